/** Which fields are columns of a resource's table. */
import type { Catalog, Field, Resource } from './catalog.ts'

/** Whether a field has a column; computed and counted fields have none. */
export function isStored(field: Pick<Field, 'computed' | 'count'>): boolean {
  return field.computed === undefined && field.count === undefined
}

/** The fields of a resource that are columns of its table. */
export function storedFields(resource: Resource): readonly Field[] {
  return [...resource.fields.values()].filter(isStored)
}

/** The fields of every column of a resource's table, the resource's own first: one that stands on another's table may not show all of them. */
export function tableFields(catalog: Catalog, resource: Resource): readonly Field[] {
  const own = storedFields(resource)
  const owner = catalog.resources.get(resource.owner)
  if (owner === undefined || owner === resource) return own
  const columns = new Set(own.map((field) => field.column))
  return [...own, ...storedFields(owner).filter((field) => !columns.has(field.column))]
}
