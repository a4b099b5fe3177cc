/** The field type `bigint`: a whole number of 64 bits. In JSON it is a string, because JavaScript's numbers end at 53 bits. */
import type { Json } from '../json.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldOptions, FieldType } from './field-type.ts'

const MOST = 9_223_372_036_854_775_807n
const LEAST = -MOST - 1n
const DIGITS = /^[+-]?\d{1,1000}$/

const LIMIT = { type: ['integer', 'string'], 'x-expects': 'a whole number', pattern: '^-?\\d{1,19}$' }

export const bigint: FieldType = {
  name: 'bigint',
  description: 'A whole number of 64 bits, as a string of digits.',
  options: {
    min: { ...LIMIT, description: 'The least value.', examples: ['0'] },
    max: { ...LIMIT, description: 'The greatest value.', examples: ['9007199254740993'] },
  },
  column: () => 'bigint',
  schema: () => ({ type: 'string', pattern: '^-?[0-9]{1,19}$' }),
  input: ({ own }) => ({
    type: ['string', 'integer'],
    pattern: '^[+-]?[0-9]+$',
    ...(own.min === undefined ? {} : { minimum: Number(own.min) }),
    ...(own.max === undefined ? {} : { maximum: Number(own.max) }),
  }),
  wire: 'string',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: (value, options) => {
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      return { code: 'invalid', error: 'must be sent as a string to keep all of its digits' }
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string' || !DIGITS.test(text)) return { code: 'wrong_type', error: 'must be an integer' }
    return within(BigInt(text), ends(options))
  },
  parse: (text) => {
    const digits = text.trim()
    return DIGITS.test(digits)
      ? within(BigInt(digits), [LEAST, MOST])
      : { code: 'wrong_type', error: 'must be an integer' }
  },
  mistakes: (options) => {
    const [low, high] = ends(options)
    const beyond = [['min', low] as const, ['max', high] as const].filter(([, end]) => end < LEAST || end > MOST)
    if (beyond.length > 0)
      return Object.fromEntries(beyond.map(([name]) => [name, `"${name}" is beyond the numbers of 64 bits`]))
    return low > high ? { max: `"max" must not be below "min" (${low})` } : {}
  },
}

/** What the ids of a resource with `id: bigint` are: no record has a number that is none. */
export const bigintId: FieldType = {
  ...bigint,
  options: {},
  schema: () => ({ type: 'string', pattern: '^[0-9]{1,19}$' }),
  input: () => ({ type: ['string', 'integer'] }),
  decode: idOf,
  parse: (text) => idOf(text.trim()),
}

/** A number or digits as the digits of an id; "0", which no record has, for numbers that no id can be. */
function idOf(value: Json): Decoded {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !DIGITS.test(text)) return { code: 'wrong_type', error: 'must be an integer' }
  const number = BigInt(text)
  return { value: number >= 1n && number <= MOST ? String(number) : '0' }
}

function ends({ own }: FieldOptions): readonly [bigint, bigint] {
  return [endOf(own.min, LEAST), endOf(own.max, MOST)]
}

function endOf(written: Json | undefined, usual: bigint): bigint {
  return /^-?\d{1,19}$/.test(String(written)) ? BigInt(String(written)) : usual
}

function within(number: bigint, [low, high]: readonly [bigint, bigint]): Decoded {
  if (number < low) return { code: 'too_small', error: `must be at least ${low}` }
  return number > high ? { code: 'too_large', error: `must be at most ${high}` } : { value: String(number) }
}

/** Digits as the nearest number that a column of 64 bits holds. */
export function clamped(digits: string): string {
  const number = BigInt(digits)
  return String(number < LEAST ? LEAST : number > MOST ? MOST : number)
}

/** Whether a text is a number that a column of 64 bits holds. */
export function isBigint(text: string): boolean {
  if (!/^-?\d{1,19}$/.test(text)) return false
  const number = BigInt(text)
  return number <= MOST && number >= LEAST
}
