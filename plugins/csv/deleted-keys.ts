/** The index by which an import finds the keys of deleted records: that of a unique field has the live ones only. */
import { isObject, type ResourceDefinition } from '../../engine/index.ts'
import { definitionOf } from './key.ts'

/** Adds the index to a resource whose deleted records stay, and that is imported by a key. */
export function findDeletedKeys(resource: ResourceDefinition): ResourceDefinition {
  const { fields = {}, indexes = [], live, of } = resource
  const definition = isObject(resource.csv) ? definitionOf(resource.csv) : undefined
  if (live === undefined || of !== undefined || definition?.import === undefined) return resource
  const keys = Object.values(definition.columns).flatMap((column) =>
    typeof column !== 'string' && column.key === true && Object.hasOwn(fields, column.path) ? [column.path] : [],
  )
  const added = keys.map((key) => ({ fields: [key], where: { not: live } }))
  return keys.length === 0 ? resource : { ...resource, indexes: [...indexes, ...added] }
}
