/** The field type `uuid`: 128 bits as PostgreSQL writes them, in lower case with hyphens. */
import type { Json } from '../json.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldType } from './field-type.ts'

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const uuid: FieldType = {
  name: 'uuid',
  description: 'A UUID of any version.',
  options: {},
  column: () => 'uuid',
  schema: () => ({ type: 'string', format: 'uuid' }),
  wire: 'string',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: uuidOf,
  parse: uuidOf,
}

/** A text as a UUID, in the one form in which it is stored. */
export function uuidOf(value: Json): Decoded {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return FORM.test(text) ? { value: text } : { code: 'wrong_format', error: 'must be a UUID' }
}

/** Whether PostgreSQL itself would write a UUID so. */
export function isUuid(text: string): boolean {
  return FORM.test(text)
}
