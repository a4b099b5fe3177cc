/** Columns that entries of `follows` count up from records of another table: those that are there when the column is new are not counted. */
import type { Catalog, RelatedFollow, Resource, Value } from '../catalog/catalog.ts'
import { quoted as q } from '../filter/sql.ts'
import { type Pair, presentColumn } from './pair.ts'
import { changing, type Step } from './step.ts'
import type { CountedFrom } from './table.ts'

/** Column → the tables whose new records change it by what it was, as a sum or a count does. */
export function countedFrom(catalog: Catalog, owner: Resource): ReadonlyMap<string, readonly CountedFrom[]> {
  const found = new Map<string, readonly CountedFrom[]>()
  for (const resource of catalog.resources.values()) {
    if (resource.owner !== resource.name) continue
    for (const follow of resource.relatedFollows) {
      const [first] = follow.of.relations
      const by = first?.field.column ?? follow.of.field.column
      if (follow.target !== owner.name || !follow.on.has('create')) continue
      for (const { field, value } of follow.set) {
        if (!goesOn(value, follow, field.column)) continue
        found.set(field.column, [...(found.get(field.column) ?? []), { table: resource.table, column: by }])
      }
    }
  }
  return found
}

/** Whether a value is the one that the other record has, and more. */
function goesOn(value: Value, follow: RelatedFollow, column: string): boolean {
  if (value.kind === 'record') return value.path.relations.length > 0 && value.path.field.column === column
  const isMade = value.kind === 'sum' || value.kind === 'difference' || value.kind === 'first'
  return isMade && value.of.some((one) => goesOn(one, follow, column))
}

/** Records that a new sum or count leaves out, which a person has to say. */
export function leavingOut(pair: Pair, pairs: ReadonlyMap<string, Pair>): readonly Step[] {
  const fresh = pair.wanted.columns.filter((column) => column.fill === undefined && !presentColumn(pair, column))
  return fresh.flatMap(({ countedFrom: sources = [], name }) =>
    sources.flatMap(({ column, table }): readonly Step[] => {
      const source = pairs.get(table)
      const by = source?.wanted.columns.find((one) => one.name === column)
      const was = source && by && presentColumn(source, by)
      if (source === undefined || was === undefined) return []
      return [
        {
          ...changing(`begin ${pair.wanted.name}.${name} anew`),
          effect: 'adds',
          risk: 'unsafe',
          question: `select count(*) from ${q(source.actual.name)} where ${q(was.name)} is not null`,
          noun: 'record',
          consequence: `are in ${table} already and are not counted in it`,
          advice: `a field with \`computed: { sum: <relation>.<field> }\` or \`{ count: <relation> }\` counts them too; \`nullable: false, backfill: <value>\` says what it begins with`,
        },
      ]
    }),
  )
}
