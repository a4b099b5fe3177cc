/** The field type `enum`: one of a few words. */
import type { JsonObject } from '../json.ts'
import type { FieldOptions, FieldType, Refusal } from './field-type.ts'

/** Room for every word, so that a new one never changes the column. */
const LONGEST = 100

export const enumeration: FieldType = {
  name: 'enum',
  description: 'One of a few words.',
  options: {
    values: {
      type: 'array',
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: LONGEST },
      description: 'The words.',
      examples: [['open', 'closed']],
    },
    becomes: {
      type: 'object',
      maxProperties: 200,
      additionalProperties: { type: 'string' },
      description: 'Which word takes the place of one that is no longer among the values, in records that have it.',
      examples: [{ waiting: 'open' }],
    },
  },
  requires: ['values'],
  mistakes: ({ own }) => ({ ...becomesMistake(own), ...valuesMistake(own) }),
  column: () => `character varying(${LONGEST})`,
  schema: (options) => ({ type: 'string', enum: valuesOf(options.own) }),
  wire: 'string',
  operators: ['eq', 'ne', 'in', 'not_in', 'null'],
  sortable: true,
  filterable: true,
  decode: (value, options) =>
    typeof value === 'string' && valuesOf(options.own).includes(value) ? { value } : refusal(options),
  parse: (text, options) => (valuesOf(options.own).includes(text.trim()) ? { value: text.trim() } : refusal(options)),
}

function valuesOf(own: JsonObject): readonly string[] {
  return (own.values ?? []) as readonly string[]
}

/** Values of bodies and queries are trimmed, so a word with blanks around it is never sent. */
function valuesMistake(own: JsonObject): Readonly<Record<string, string>> {
  const blank = valuesOf(own).find((word) => word !== word.trim())
  return blank === undefined ? {} : { values: `"values" has "${blank}" with blanks around it, which nobody could send` }
}

function becomesMistake(own: JsonObject): Readonly<Record<string, string>> {
  const values = valuesOf(own)
  for (const [from, to] of Object.entries((own.becomes ?? {}) as Readonly<Record<string, string>>)) {
    if (values.includes(from)) return { becomes: `"becomes" names ${from}, which is one of the values still` }
    if (!values.includes(to))
      return { becomes: `"becomes" makes ${from} ${to}, which is none of the values: ${values.join(', ')}` }
  }
  return {}
}

function refusal(options: FieldOptions): Refusal {
  const values = valuesOf(options.own)
  return values.length === 1
    ? { code: 'invalid', error: `must be ${values[0]}` }
    : { code: 'not_allowed', error: `must be one of ${values.join(', ')}` }
}
