/** The indexes by which an import finds the keys of records: those of a unique field have the live ones only, or compare sign by sign. */
import { type FieldDefinition, isObject, type ResourceDefinition } from '../../engine/index.ts'
import { definitionOf } from './key.ts'

/** Adds the indexes to a resource that is imported by a key. */
export function findKeys(resource: ResourceDefinition): ResourceDefinition {
  const { fields = {}, indexes = [], live, of } = resource
  const definition = isObject(resource.csv) ? definitionOf(resource.csv) : undefined
  if (of !== undefined || definition?.import === undefined) return resource
  const keys = Object.entries(definition.columns).flatMap(([, column]) =>
    typeof column !== 'string' && column.key === true && isIndexable(fields[column.path]) ? [column.path] : [],
  )
  const found = keys.flatMap((key) => {
    const { unique } = fields[key]!
    const alike = unique === 'exact' ? {} : { alike: true }
    const dead = live === undefined ? [] : [{ fields: [key], where: { not: live }, ...alike }]
    return unique === undefined || unique === false ? [{ fields: [key], ...alike }, ...dead] : dead
  })
  return found.length === 0 ? resource : { ...resource, indexes: [...indexes, ...found] }
}

/** The characters that an index of the engine keeps. */
const INDEXED = 600

/** Whether the resource has the field itself, and an index keeps its longest value. */
function isIndexable(field: FieldDefinition | undefined): boolean {
  if (field === undefined || (field.type !== 'string' && field.type !== 'text')) return field !== undefined
  const longest = field.type === 'text' ? Number.POSITIVE_INFINITY : 255
  return (typeof field.max === 'number' ? field.max : longest) <= INDEXED
}
