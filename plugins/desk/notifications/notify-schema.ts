/** The JSON Schema of the key `notify` of a resource. */
import type { JsonSchema } from '../../../engine/index.ts'
import { CONDITIONS, KIND_PATTERN, NAME, PROPERTIES } from './takes.ts'

/** The writes of which something can be told; what is deleted is seen by nobody. */
export const WRITES = ['create', 'update', 'restore'] as const

const CHANGED: JsonSchema = { ...NAME, pattern: '^[A-Za-z][A-Za-z0-9_]*$', 'x-expects': 'a field or a relation' }

/** The key `notify` of a resource: what is told, by name. */
export const NOTIFY: JsonSchema = {
  type: 'object',
  minProperties: 1,
  maxProperties: 50,
  propertyNames: { pattern: KIND_PATTERN },
  examples: [{ lent: { on: 'create', to: 'borrower', title: 'You have borrowed {{ book.title }}' } }],
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    required: ['on', 'to', 'title'],
    properties: {
      description: { ...NAME, description: 'What it is for.', examples: ['Who lends a book hears when it is back.'] },
      on: {
        description: 'After which writes.',
        examples: ['create', ['create', 'update']],
        oneOf: [{ enum: [...WRITES] }, { type: 'array', items: { enum: [...WRITES] }, minItems: 1, uniqueItems: true }],
      },
      changed: {
        description: 'Of updates, only those that change this, or one of these.',
        examples: ['status'],
        oneOf: [CHANGED, { type: 'array', items: CHANGED, minItems: 1 }],
      },
      ...CONDITIONS,
      ...PROPERTIES,
    },
  },
}
