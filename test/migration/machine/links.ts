/** What a relation to many records begins with: the links of the only one that gives way to it. */
import type { Known, Model, Value } from './model.ts'
import { type Relation, type Resource, tableOf, type Version } from './shape.ts'

interface Left {
  readonly key: string
  readonly known: Known
}

/** Relations to one record that no version names any more, and that lead from the one resource to the other. */
function leftBetween(model: Model, version: Version, one: string, other: string): readonly Left[] {
  const named = new Set(version.flatMap(({ relations }) => relations.map(({ key }) => key)))
  return [...model.known].flatMap(([key, known]) =>
    known.isOne === true && !named.has(key) && known.owner === one && known.target === other ? [{ key, known }] : [],
  )
}

/** The links of each record, by its id; undefined where nobody knows them. */
export function firstLinks(
  model: Model,
  version: Version,
  { key: owner }: Resource,
  { target }: Relation,
): ReadonlyMap<number, readonly number[]> | undefined {
  const none = new Map<number, readonly number[]>()
  if (owner === target) return none
  const left = [...leftBetween(model, version, owner, target), ...leftBetween(model, version, target, owner)]
  // Whether it came back with its table is not kept.
  if (left.some(({ key }) => model.aside.has(key))) return undefined
  const [from, ...more] = left
  if (from === undefined || more.length > 0) return none
  const pairs = (model.records.get(from.known.owner) ?? []).map(({ id, values }): readonly [number, Value] => {
    return [id, values.get(from.key)]
  })
  if (pairs.some(([, to]) => to === undefined)) return undefined
  const links = new Map<number, number[]>()
  for (const [id, to] of pairs) {
    if (to === null) continue
    const [near, far] = from.known.owner === owner ? [id, Number(to)] : [Number(to), id]
    links.set(near, [...(links.get(near) ?? []), far])
  }
  return links
}

/** The table of a relation to many records. */
function joiningTableOf(version: Version, resource: Resource, { target, through }: Relation): string {
  const other = version.find(({ key }) => key === target) ?? resource
  return through ?? [tableOf(resource), tableOf(other)].sort().join('_')
}

/** The links of another relation that lose their table to this one, where it names none: the table and their number. */
export function displacedLinks(
  before: Model,
  model: Model,
  version: Version,
  resource: Resource,
  relation: Relation,
): { readonly table: string; readonly rows: number } {
  const table = joiningTableOf(version, resource, relation)
  const holder = before.joined.get(table)
  for (const [name, key] of model.joined) if (key === relation.key) model.joined.delete(name)
  model.joined.set(table, relation.key)
  const isNamed = version.some(({ relations }) => relations.some(({ key }) => key === holder))
  if (holder === undefined || holder === relation.key || isNamed || relation.through !== undefined)
    return { table, rows: 0 }
  const all = before.records.get(before.known.get(holder)?.owner ?? '') ?? []
  const linked = all.map(({ values }) => values.get(holder))
  return { table, rows: linked.reduce<number>((sum, links) => sum + (Array.isArray(links) ? links.length : 0), 0) }
}
