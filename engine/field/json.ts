/** The field type `json`: any JSON value, of a shape that the YAML may fix. */

import { isObject, type Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { brokenText, numberOption } from './characters.ts'
import type { FieldType, Refusal } from './field-type.ts'
import { misfits, unusableShape } from './shape.ts'

export const json: FieldType = {
  name: 'json',
  description: 'Any JSON value; its shape may be fixed by a JSON Schema.',
  options: {
    schema: { type: 'object', description: 'A JSON Schema that values must fit.', examples: [{ type: 'object' }] },
    max_bytes: {
      type: 'integer',
      minimum: 2,
      maximum: LIMITS.jsonBytes,
      description: `The most bytes as JSON; ${LIMITS.jsonFieldBytes} if absent.`,
      examples: [10_000],
    },
  },
  column: () => 'jsonb',
  schema: (options) =>
    typeof options.own.schema === 'object' ? (options.own.schema as Readonly<Record<string, Json>>) : {},
  wire: 'json',
  operators: ['null'],
  sortable: false,
  decode: (value, options) => {
    const broken = brokenInside(value, 0)
    if (broken !== undefined) return broken
    const most = numberOption(options, 'max_bytes', LIMITS.jsonFieldBytes)
    if (Buffer.byteLength(JSON.stringify(value)) > most)
      return { code: 'too_long', error: `must be at most ${most} bytes of JSON` }
    const { schema } = options.own
    const [first, ...others] = isObject(schema) ? misfits(schema, value) : []
    return first === undefined ? { value } : { ...first, ...(others.length === 0 ? {} : { others }) }
  },
  parse: () => ({ code: 'invalid', error: 'can only be filtered by [null]' }),
  mistakes: (options) => {
    const sentence = options.own.schema === undefined ? undefined : unusableShape(options.own.schema)
    return sentence === undefined ? {} : { schema: sentence }
  },
}

/** jsonb refuses NUL in any text, keys included, and recursion must end. */
function brokenInside(value: Json, depth: number): Refusal | undefined {
  if (depth > LIMITS.jsonDepth) return { code: 'invalid', error: `must be nested at most ${LIMITS.jsonDepth} deep` }
  if (typeof value === 'string') return brokenText(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const item of value) {
      const broken = brokenInside(item, depth + 1)
      if (broken !== undefined) return broken
    }
    return undefined
  }
  for (const [key, child] of Object.entries(value)) {
    const broken = brokenText(key) ?? brokenInside(child, depth + 1)
    if (broken !== undefined) return broken
  }
  return undefined
}
