/** Values that stand in place of a record's own, as a change has them: by its fields, and as the JSON by columns that SQL lays over a row. */
import type { Resource } from '../catalog/catalog.ts'
import type { JsonObject } from '../json.ts'

/** The JSON of values by the columns of their fields; what is no stored field is left out. */
export function columnsOf({ fields }: Pick<Resource, 'fields'>, values: JsonObject): string {
  const columns = Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field === undefined || field.computed !== undefined || field.count !== undefined
      ? []
      : [[field.column, value] as const]
  })
  return JSON.stringify(Object.fromEntries(columns))
}
