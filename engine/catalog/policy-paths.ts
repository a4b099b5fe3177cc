/** Paths that policies and filters read: values that the log of changes keeps of a record, and ways to other records. */
import { comparedPaths, leaves } from '../filter/walk.ts'
import { memo } from '../memo.ts'
import type {
  BelongsTo,
  Catalog,
  Field,
  FieldPath,
  Filter,
  FilterPath,
  HasMany,
  ManyToMany,
  Resource,
} from './catalog.ts'
import { isStored } from './stored.ts'

/** The name under which a path's value is kept: columns, so that resources on one table agree on it. */
export function keptName({ relations, field }: FieldPath): string {
  return [...relations.map((relation) => relation.field.column), field.column].join('.')
}

/** The paths that a filter compares on the record itself, or from it over relations to one. */
export function pathsOf(filter: Filter): readonly FieldPath[] {
  return leaves(filter).flatMap((leaf) => (leaf.kind === 'compare' ? comparedPaths(leaf) : []))
}

/**
 * What has to be kept of a record so that its policy `view` can be asked later, by the name it is kept under: every
 * stored value that a condition compares, of this resource and of the others on its table.
 */
export const policyPaths = memo((catalog: Catalog, resource: Resource): ReadonlyMap<string, FieldPath> => {
  const siblings = [...catalog.resources.values()].filter(({ owner }) => owner === resource.owner)
  // A computed or counted value may differ from reader to reader, so there is no one value to keep; a secret is never kept.
  const paths = siblings
    .flatMap(({ policies }) => policies.view.flatMap(({ where }) => (where === undefined ? [] : pathsOf(where))))
    .filter(({ field }) => isStored(field) && field.type.hidden !== true)
  return new Map(paths.map((path) => [keptName(path), path]))
})

/** One way to other records: to-one relations, and at its end the field that is compared, or a relation to many. */
interface Reached {
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

/** The resources at the ends of relations that decide who sees a record, and which filters match it. */
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
