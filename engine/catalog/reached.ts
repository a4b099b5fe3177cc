/** Which other records a filter looks at: the ways that lead away from the record that it judges. */
import { comparedPaths, leaves } from '../filter/walk.ts'
import type { BelongsTo, Field, FieldPath, Filter, FilterPath, HasMany, ManyToMany, Resource } from './catalog.ts'

/** One way to other records: to-one relations, and at its end the field that is compared, or a relation to many. */
export interface Reached {
  readonly relations: readonly BelongsTo[]
  readonly end: Field | HasMany | ManyToMany
}

function reachedOver({ relations, field }: FieldPath): readonly Reached[] {
  return relations.length === 0 ? [] : [{ relations, end: field }]
}

/** Every way that a filter takes away from its record; what it asks of many records is not followed further. */
export function reachedBy(filter: Filter): readonly Reached[] {
  return leaves(filter).flatMap((leaf): readonly Reached[] => {
    if (leaf.kind === 'compare') return comparedPaths(leaf).flatMap(reachedOver)
    const { relations, many } = leaf.path
    if (many.kind !== 'belongs_to') return [{ relations, end: many }]
    const way = [...relations, many]
    const asked = [leaf.of, ...(leaf.seen === undefined ? [] : [leaf.seen])]
    return asked.flatMap((of) => [
      ...ownFields(of).map((end) => ({ relations: way, end })),
      ...reachedBy(of).map((further) => ({ ...further, relations: [...way, ...further.relations] })),
    ])
  })
}

/** The fields of the record itself that a filter compares. */
function ownFields(filter: Filter): readonly Field[] {
  const paths = leaves(filter).flatMap((leaf) => (leaf.kind === 'compare' ? comparedPaths(leaf) : []))
  return paths.flatMap(({ field, relations }) => (relations.length === 0 ? [field] : []))
}

function reachedByPath({ through, ...path }: FilterPath): readonly Reached[] {
  return through === undefined ? reachedOver(path) : [{ relations: through.relations, end: through.many }]
}

/** The resources at the ends of relations on which it depends who sees a record, and which filters match it. */
export function resourcesLookedAt(
  resource: Pick<Resource, 'policies' | 'scope' | 'filters' | 'specials'>,
): ReadonlySet<string> {
  const conditions = [resource.scope, ...resource.policies.view.map(({ where }) => where)]
  const specials = [...resource.specials.values()].flatMap(({ values }) => [...values.values()])
  const ways = [
    ...[...conditions, ...specials].flatMap((filter) => (filter === undefined ? [] : reachedBy(filter))),
    ...[...resource.filters.values()].flatMap(reachedByPath),
  ]
  return new Set(
    ways.flatMap(({ relations, end }) => [
      ...relations.map(({ target }) => target),
      ...('target' in end ? [end.target] : []),
    ]),
  )
}
