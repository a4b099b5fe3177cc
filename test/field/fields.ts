/** One field of every type, as a catalog would hold its options, with values that it takes and refuses. */
import type { FieldOptions, FieldType } from '../../engine/field/field-type.ts'
import { FIELD_TYPES } from '../../engine/field/index.ts'
import type { Json, JsonObject } from '../../engine/json.ts'

export function typeNamed(name: string): FieldType {
  const type = FIELD_TYPES.find((known) => known.name === name)
  if (type === undefined) throw new Error(`No field type ${name}`)
  return type
}

export function options(own: JsonObject = {}): FieldOptions {
  return { name: 'value', required: false, nullable: true, own }
}

/** What decode makes of a value: the value, or its refusal as `! predicate`. */
export function decoded(type: string, value: Json, own: JsonObject = {}): Json {
  const result = typeNamed(type).decode(value, options(own))
  return 'error' in result ? `! ${result.at === undefined ? '' : `${result.at} `}${result.error}` : result.value
}

/** What parse makes of the text of a query. */
export function parsed(type: string, text: string, own: JsonObject = {}): Json {
  const result = typeNamed(type).parse(text, options(own))
  return 'error' in result ? `! ${result.error}` : result.value
}

/** The own options with which each type is tried. */
export const OWN: Readonly<Record<string, JsonObject>> = {
  enum: { values: ['open', 'closed'] },
  list: { of: 'string' },
  count: { of: 'comments' },
  slug: { from: 'name' },
}
