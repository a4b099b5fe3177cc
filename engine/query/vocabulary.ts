/** The names that a caller may use in a condition: the filters of a resource, and over its relations those of others. */
import type { BelongsTo, FilterPath, ManyPath, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/target.ts'
import { pathName } from '../plan/plan.ts'
import { type Asker, isAskable, isManyAskable } from './askable.ts'
import { allowsOne, readable } from './policy.ts'

/** The records that names are about. */
export interface Ground {
  readonly resource: Resource
  /** Names beside its own: what the resource from which it was reached declares over the relation. */
  readonly also: ReadonlyMap<string, FilterPath>
}

/** The names of a resource's own filters that the caller may use: each by its parameter and by its path, and the id. */
export function ownNames(asker: Asker, { also, resource }: Ground): ReadonlyMap<string, FilterPath> {
  const names = new Map<string, FilterPath>([[resource.key.name, { relations: [], field: resource.key }]])
  const declared = [...resource.filters, ...also]
  for (const [name, path] of declared) {
    if (!isAskable(asker, resource, path)) continue
    names.set(name, path)
    names.set(writtenPath(path), path)
  }
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'belongs_to' || names.has(relation.name)) continue
    const key = names.get(relation.field.name)
    if (key?.field === relation.field) names.set(relation.name, key)
  }
  return names
}

/** A path as it is written. */
export function writtenPath({ through, ...path }: FilterPath): string {
  if (through === undefined) return pathName(path)
  return `${[...through.relations, through.many].map(({ name }) => name).join('.')}.${pathName(path)}`
}

/** The path that a name means; undefined where there is none that the caller may ask about. */
export function pathNamed(asker: Asker, ground: Ground, segments: readonly string[]): FilterPath | undefined {
  const found = composed(asker, ground, segments)
  return found !== undefined && isAskable(asker, ground.resource, found) ? found : undefined
}

function composed(asker: Asker, ground: Ground, segments: readonly string[]): FilterPath | undefined {
  const own = ownNames(asker, ground).get(segments.join('.'))
  if (own !== undefined || segments.length < 2) return own
  const relation = followed(asker, ground, segments[0]!)
  const rest = relation && composed(asker, beyond(asker, relation), segments.slice(1))
  if (relation === undefined || rest === undefined) return undefined
  const { through } = rest
  if (through === undefined) return { ...rest, relations: [relation, ...rest.relations] }
  return { ...rest, through: { ...through, relations: [relation, ...through.relations] } }
}

/** A to-one relation that the caller may follow: one by whose key it may filter. */
function followed(asker: Asker, { resource }: Ground, name: string): BelongsTo | undefined {
  const relation = resource.relations.get(name)
  if (relation?.kind !== 'belongs_to' || !allowsOne(relation.read, asker.actor)) return undefined
  const isFilter = [...resource.filters.values()].some(({ field }) => field === relation.field)
  return isFilter && readable(relation.field, asker.actor) ? relation : undefined
}

function beyond(asker: Asker, relation: { readonly target: string }): Ground {
  return { resource: targetOf(asker.catalog, relation), also: new Map() }
}

/** The way to many records that a name means, and those records; undefined where there is none that the caller may ask about. */
export function manyNamed(
  asker: Asker,
  ground: Ground,
  segments: readonly string[],
): { readonly path: ManyPath; readonly about: Ground } | undefined {
  const [name = '', ...further] = segments
  if (further.length > 0) {
    const relation = followed(asker, ground, name)
    const rest = relation && manyNamed(asker, beyond(asker, relation), further)
    if (relation === undefined || rest === undefined) return undefined
    return { ...rest, path: { ...rest.path, relations: [relation, ...rest.path.relations] } }
  }
  const many = ground.resource.relations.get(name)
  if (many === undefined || many.kind === 'belongs_to' || !isManyAskable(asker, ground.resource, many)) return undefined
  const over = [...ground.resource.filters.values()].filter(
    ({ through }) => through?.many === many && through.relations.length === 0,
  )
  if (many.show === 'never' && over.length === 0) return undefined
  const also = new Map(over.map(({ relations, field }) => [pathName({ relations, field }), { relations, field }]))
  return { path: { relations: [], many }, about: { resource: targetOf(asker.catalog, many), also } }
}

/** What is known around a name that is not: the names that could be meant, and the relation to many records where it leads to one. */
export function namesAround(
  asker: Asker,
  ground: Ground,
  segments: readonly string[],
): { readonly known: readonly string[]; readonly many: string | undefined } {
  const [name = '', ...further] = segments
  const lists = [...ground.resource.relations.values()].filter(
    (relation) => relation.kind !== 'belongs_to' && manyNamed(asker, ground, [relation.name]) !== undefined,
  )
  const here = [...ownNames(asker, ground).keys(), ...lists.map((relation) => relation.name)]
  const many = lists.some((relation) => relation.name === name) ? name : undefined
  if (further.length === 0) return { known: [...new Set(here)], many }
  const beside = [...ground.resource.relations.keys()].flatMap((one) => {
    const relation = followed(asker, ground, one)
    if (relation === undefined) return []
    const there = beyond(asker, relation)
    const found = one === name ? namesAround(asker, there, further).known : [...ownNames(asker, there).keys()]
    return found.map((word) => `${one}.${word}`)
  })
  const relation = followed(asker, ground, name)
  const rest = relation && namesAround(asker, beyond(asker, relation), further).many
  return { known: [...new Set([...here, ...beside])], many: rest === undefined ? many : `${name}.${rest}` }
}
