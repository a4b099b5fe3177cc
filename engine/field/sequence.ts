/** The field type `sequence`: a public number that the database gives, a string so that nobody calculates with it. */
import { numberOption, parseText } from './characters.ts'
import type { FieldType } from './field-type.ts'

export const sequence: FieldType = {
  name: 'sequence',
  description: 'A public number, given by the database, as a string of digits.',
  options: {
    start: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The first number; 1 if absent.',
      examples: [3_000_000_001],
    },
  },
  column: () => 'text',
  schema: () => ({ type: 'string', pattern: '^[0-9]+$' }),
  wire: 'string',
  operators: ['eq', 'ne', 'in', 'not_in', 'contains', 'starts_with', 'null'],
  sortable: true,
  // Read-only for callers; an import may bring its own.
  decode: (value) => {
    const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    return typeof digits === 'string' && /^[1-9]\d{0,17}$/.test(digits)
      ? { value: digits }
      : { code: 'wrong_type', error: 'must be a string of digits' }
  },
  parse: (text) => parseText(text.trim()),
  generated: (options, table) => {
    const name = `${`${table}_${options.name}`.slice(0, 59)}_seq`
    // Names with capitals are another name to PostgreSQL unless they are quoted.
    const quoted = /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`
    return { default: `nextval('${quoted}')::text`, sequence: { name, start: numberOption(options, 'start', 1) } }
  },
}
