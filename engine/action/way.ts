/** A path of relations that may lead to many records at one step: `comments.user`. */
import type { Catalog, Relation, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/target.ts'

/** The relations of a path; throws when it leads nowhere, or to many at two steps. */
export function wayOf(catalog: Catalog, resource: Resource, path: string): readonly Relation[] {
  const way: Relation[] = []
  let at = resource
  for (const word of path.split('.')) {
    const relation = at.relations.get(word)
    if (relation === undefined) throw new Error(`${at.name} has no relation ${word}`)
    way.push(relation)
    at = targetOf(catalog, relation)
  }
  if (way.filter(({ kind }) => kind !== 'belongs_to').length > 1) throw new Error(`${path} leads to many at two steps`)
  return way
}
