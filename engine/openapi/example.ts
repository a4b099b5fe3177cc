/** An example of a field's value, made from its type: of several guesses, the first that the type itself takes. */
import type { Field } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'

const DAY = '2026-01-31'
const TEXTS = [
  '2026-01-31T09:30:00.000000Z',
  DAY,
  'ada@example.com',
  'https://example.com/page',
  '#ff8800',
  '12.50',
  '12',
  'in-progress',
] as const

/** Which of the texts are tried for fields whose schema says no more than "a string". */
const PLAIN: readonly Json[] = ['in-progress', '12.50', '12']

/** A value that the field takes, in the form that answers have; undefined when no guess fits. */
export function exampleOf(field: Field): Json | undefined {
  if (field.default !== undefined && field.default !== null) return field.default
  for (const guess of guesses(field)) {
    const decoded = field.type.decode(guess, field.options)
    if ('value' in decoded) return decoded.value
  }
  return undefined
}

function guesses(field: Field): readonly Json[] {
  const schema = field.type.schema(field.options)
  const { own } = field.options
  if (Array.isArray(schema.enum)) return schema.enum as readonly Json[]
  switch (schema.type) {
    case 'boolean':
      return [true]
    case 'integer':
    case 'number':
      return [1, Number(own.min ?? 0), Number(own.max ?? 0)]
    case 'array':
      return [...TEXTS, 'printer', 1, true].map((item) => [item])
    case 'string':
      if (own.start !== undefined) return [String(own.start)]
      if (schema.writeOnly === true) return ['correct horse battery']
      if (schema.format !== undefined) return TEXTS
      return schema.pattern === undefined ? [field.label, ...PLAIN] : [...TEXTS, '1', String(own.min), field.label]
    default:
      return []
  }
}
