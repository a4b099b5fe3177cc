/** Field types over columns of another type than their own, as existing tables have them. */
import { addressOf, subnetOf } from '../address.ts'
import type { Json, JsonSchema } from '../json.ts'
import { numberOption } from './characters.ts'
import { decimal } from './decimal.ts'
import type { Decoded, FieldOptions, FieldType } from './field-type.ts'
import { listOver } from './list.ts'

/** The name of a type as `format_type` prints it; a capital letter needs quotes there, and a schema may come before it. */
const TYPE_NAME = /^(?:[a-z_][a-z0-9_]*\.)?(?:[a-z_][a-z0-9_]*|"[^"\\$]{1,63}")$/
const WITHOUT_ZONE = /^timestamp(?:\([0-6]\))? without time zone$/
const NUMBERS: ReadonlySet<string> = new Set(['numeric', 'real', 'double precision'])

/** The columns over which a type of field may be declared, besides its own, for people. */
export const COLUMN_TYPES: Readonly<Record<string, readonly string[]>> = {
  decimal: [...NUMBERS],
  enum: ['an enum of the database, such as mpaa_rating'],
  list: ['an array of texts, whole numbers, booleans, days or UUIDs, such as text[]'],
  text: ['citext', 'inet', 'cidr', 'macaddr', 'time', 'interval', 'a range, such as int4range'],
  timestamp: ['timestamp without time zone'],
}

const CLOCK = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,6})?)?|24:00(:00)?'
const SPAN =
  /^(?=\S)(-?P[\dYMWDTHS.,:+-]+|[@\s]*([+-]?\d+(\.\d+)?\s*[a-z]+\.?\s*|[+-]?\d+:\d\d(:\d\d(\.\d+)?)?\s*|[+-]?\d+-\d+\s*|ago\s*)+)$/i

/** Types whose values are texts as PostgreSQL prints them: their names, and the sentence about a text that is none. */
const PRINTED: readonly (readonly [name: RegExp, fits: (text: string) => boolean, error: string])[] = [
  [/^(?:[a-z_][a-z0-9_]*\.|"[^"\\$]{1,63}"\.)?citext$/, () => true, ''],
  [/^(?:inet|cidr)$/, (text) => (addressOf(text) ?? subnetOf(text)) !== undefined, 'must be an IP address'],
  [/^macaddr8?$/, (text) => /^([\da-f]{2}[:.-]?){5,7}[\da-f]{2}$/i.test(text), 'must be a MAC address'],
  [
    /^time(?:\(\d\))? without time zone$/,
    (text) => new RegExp(`^(${CLOCK})$`).test(text),
    'must be a time of day, such as 09:30',
  ],
  [
    /^time(?:\(\d\))? with time zone$/,
    (text) => new RegExp(`^(${CLOCK})(Z|[+-]\\d\\d(:?\\d\\d)?)$`).test(text),
    'must be a time of day with its zone, such as 09:30+02',
  ],
  [/^interval\b/, (text) => SPAN.test(text), 'must be a length of time, such as 1 day 02:00:00'],
  [
    /^(?:int4|int8|num|ts|tstz|date)range$/,
    (text) => /^(empty|[[(][^[\]()]*,[^[\]()]*[\])])$/.test(text),
    'must be a range, such as [1,5)',
  ],
]

/** Whether a column of that type is a field of the type `text` that can be written. */
export function isPrinted(column: string): boolean {
  return PRINTED.some(([name]) => name.test(column))
}

/** A text over a column whose values are equal or not, and in an order, by its own rules. */
function printedOver(type: FieldType, column: string): FieldType | undefined {
  const [, fits, error = ''] = PRINTED.find(([name]) => name.test(column)) ?? []
  if (fits === undefined) return undefined
  const fitting = (decoded: Decoded): Decoded =>
    'error' in decoded || fits(String(decoded.value)) ? decoded : { code: 'wrong_format', error }
  return {
    ...type,
    column: () => column,
    operators: ['eq', 'ne', 'in', 'not_in', 'null'],
    sortable: true,
    decode: (value, options) => fitting(type.decode(value, options)),
    parse: (text, options) => fitting(type.parse(text, options)),
  }
}

/** The type of field over a column of that type; undefined where values could not go to and fro. */
export function overColumn(type: FieldType, column: string): FieldType | undefined {
  if (type.name === 'enum') return TYPE_NAME.test(column) ? { ...type, column: () => column } : undefined
  if (type.name === 'timestamp') return WITHOUT_ZONE.test(column) ? { ...type, column: () => column } : undefined
  if (type.name === 'text') return printedOver(type, column)
  if (type.name === 'list') return listOver(column)
  return type.name === 'decimal' && NUMBERS.has(column) ? decimalOver(column) : undefined
}

/** Digits before the point that every such column can hold. */
const WHOLE_DIGITS = 37

/** Digits behind the point; a column without a scale holds any number of them. */
const FRACTION = 1_000

const WITHOUT_DIGITS = /^(?:NaN|-?Infinity)$/

function isWithoutDigits(value: Json): value is string {
  return typeof value === 'string' && WITHOUT_DIGITS.test(value)
}

/** A number whose digits behind the point are as many as it has: none is added, and those of a float are not exact. */
function decimalOver(column: string): FieldType {
  const precise = (options: FieldOptions): FieldOptions => {
    const scale = numberOption(options, 'scale', FRACTION)
    const own = { ...options.own, scale, precision: numberOption(options, 'precision', WHOLE_DIGITS + scale) }
    return { ...options, own }
  }
  return {
    ...decimal,
    column: () => column,
    schema: () => ({ type: 'string', pattern: '^-?\\d+(\\.\\d+)?(e[+-]?\\d+)?$' }),
    input: (options) => decimal.input!(precise(options)),
    decode: (value, options) => shortened(decimal.decode(value, precise(options))),
    parse: (text, options) => {
      const parsed = shortened(decimal.parse(text, options))
      const digits = /^-?(\d+)/.exec('value' in parsed ? String(parsed.value) : '')?.[1]?.length ?? 0
      return digits > WHOLE_DIGITS
        ? { code: 'too_long', error: `must have at most ${WHOLE_DIGITS} digits before the decimal point` }
        : parsed
    },
  }
}

/** A type of numbers over a column of others, which may hold NaN and infinities: answered as texts, and taken back. */
export function alsoNotANumber(type: FieldType): FieldType {
  const also = (schema: JsonSchema): JsonSchema => ({
    ...schema,
    pattern: `${String(schema.pattern)}|${WITHOUT_DIGITS.source}`,
  })
  return {
    ...type,
    schema: (options) => also(type.schema(options)),
    input: (options) => also(type.input!(options)),
    decode: (value, options) => (isWithoutDigits(value) ? { value } : type.decode(value, options)),
    parse: (text, options) => (isWithoutDigits(text) ? { value: text } : type.parse(text, options)),
  }
}

function shortened(decoded: Decoded): Decoded {
  return 'value' in decoded ? { value: withoutZeros(decoded.value) } : decoded
}

function withoutZeros(value: Json): Json {
  return typeof value === 'string' && value.includes('.') ? value.replace(/\.?0+$/, '') : value
}

/** Whether a text is a number that such a column holds, as PostgreSQL prints one. */
export function isStoredNumber(text: string, column: string): boolean {
  if (isWithoutDigits(text)) return true
  if (column.startsWith('numeric')) return /^-?\d{1,1000}(\.\d{1,1000})?$/.test(text)
  if (!/^-?\d{1,400}(\.\d{1,400})?(e[+-]\d{1,3})?$/.test(text)) return false
  return Math.abs(Number(text)) <= (column === 'real' ? 3.4e38 : Number.MAX_VALUE)
}
