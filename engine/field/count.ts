/** The field type `count`: how many records of a has_many relation the caller may see. */
import type { FieldType } from './field-type.ts'

export const count: FieldType = {
  name: 'count',
  description: 'How many records of a has_many relation there are, of those the caller may see.',
  options: {
    of: {
      type: 'string',
      description: 'The has_many relation whose records are counted.',
      examples: ['comments'],
      pattern: '^[A-Za-z][A-Za-z0-9_]*$',
      'x-expects': 'a has_many relation of this resource',
    },
  },
  requires: ['of'],
  column: () => 'integer',
  schema: () => ({ type: 'integer', minimum: 0 }),
  wire: 'number',
  operators: [],
  sortable: false,
  decode: () => ({ code: 'not_writable', error: 'cannot be written' }),
  parse: () => ({ code: 'invalid', error: 'cannot be filtered by' }),
}
