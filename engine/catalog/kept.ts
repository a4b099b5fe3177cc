/** What the log of changes keeps of a record for its policies, and the names under which it does. */
import { comparedPaths, leaves } from '../filter/walk.ts'
import { memo } from '../memo.ts'
import type { Catalog, FieldPath, Filter, Resource } from './catalog.ts'
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
