/** The field type `boolean`: true or false, with the forms that forms and scripts send. */
import type { Json } from '../json.ts'
import type { Decoded, FieldType } from './field-type.ts'

const WORDS: ReadonlyMap<Json, boolean> = new Map<Json, boolean>([
  [true, true],
  [1, true],
  ['true', true],
  ['1', true],
  [false, false],
  [0, false],
  ['false', false],
  ['0', false],
])

export const boolean: FieldType = {
  name: 'boolean',
  description: 'True or false.',
  options: {},
  column: () => 'boolean',
  schema: () => ({ type: 'boolean' }),
  wire: 'boolean',
  operators: ['eq', 'ne', 'in', 'not_in', 'null'],
  sortable: true,
  filterable: true,
  decode: read,
  parse: (text) => read(text.trim()),
}

function read(value: Json): Decoded {
  const word = WORDS.get(typeof value === 'string' ? value.toLowerCase() : value)
  return word === undefined ? { code: 'wrong_type', error: 'must be true or false' } : { value: word }
}
