/** Values that the program itself gives a record: what a body may say, and what only the program may. */
import type { Resource } from '../catalog/catalog.ts'
import { invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { type FieldValues, isWritable, misfit } from '../record/decode.ts'

/** Divides values by field, as JSON; throws validation_failed where a value that only the program may say does not fit. */
export function writtenValues(
  resource: Resource,
  values: JsonObject,
): { readonly body: JsonObject; readonly fixed: FieldValues } {
  const body: Record<string, Json> = {}
  const fixed: FieldValues = {}
  for (const [name, value = null] of Object.entries(values)) {
    const field = resource.fields.get(name)!
    if (isWritable(field)) body[name] = value
    else if (value === null) fixed[name] = null
    else {
      const found = field.type.decode(value, field.options)
      if (!('value' in found)) throw invalid({ [field.name]: [misfit(field, found)] })
      fixed[name] = found.value
    }
  }
  return { body, fixed }
}
