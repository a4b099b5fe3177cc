/** What an activity keeps so that it can be told later who could see its record then. */
import type { FieldPath, HookContext, Json } from '../../engine/index.ts'
import { policyPaths } from '../../engine/index.ts'

type Values = Readonly<Record<string, Json>>

/** The values that policies compare, of the record before and after a write; one where the record was the same. */
export async function seenBy(context: HookContext): Promise<readonly Values[]> {
  const { catalog, record, resource, result } = context
  const paths = [...policyPaths(catalog, resource)]
  const states: Values[] = []
  for (const stored of [record, result]) {
    if (stored === undefined) continue
    const entries: [string, Json][] = []
    for (const [name, path] of paths) entries.push([name, await storedValue(context, stored, path)])
    states.push(Object.fromEntries(entries))
  }
  const [before, after] = states
  return JSON.stringify(before) === JSON.stringify(after) ? states.slice(0, 1) : states
}

/** The value behind a path from the stored record; what lies on other records is read in the write's own transaction. */
async function storedValue(context: HookContext, stored: Values, { relations, field }: FieldPath): Promise<Json> {
  const [first, ...rest] = relations
  const own = first === undefined ? field : first.field
  const known = [...context.resource.fields.values()].find(({ column }) => column === own.column)
  const start = known === undefined ? undefined : stored[known.name]
  if (first === undefined && start !== undefined) return start
  if (first !== undefined && start === null) return null
  const { catalog, resource, transaction } = context
  const tableOf = (name: string): string => catalog.resources.get(name)!.table
  const query =
    first === undefined || start === undefined
      ? { from: resource.table, id: Number(stored.id), through: relations }
      : { from: tableOf(first.target), id: Number(start), through: rest }
  const joins = query.through.map(
    (relation, at) =>
      `left join "${tableOf(relation.target)}" r${at + 1} on r${at + 1}.id = r${at}."${relation.field.column}"`,
  )
  const text = `select to_jsonb(r${query.through.length}."${field.column}") from "${query.from}" r0 ${joins.join(' ')} where r0.id = $1::int`
  const [row] = await transaction.run({ text }, [query.id])
  return row?.[0] == null ? null : (JSON.parse(row[0]) as Json)
}
