/** Whole numbers of 64 bits as ids. In JSON they are strings, because JavaScript's numbers end at 53 bits. */
import type { Json } from '../json.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldType } from './field-type.ts'

const MOST = 9_223_372_036_854_775_807n

export const bigint: FieldType = {
  name: 'bigint',
  description: 'A whole number of 64 bits, as a string of digits.',
  options: {},
  internal: true,
  column: () => 'bigint',
  schema: () => ({ type: 'string', pattern: '^[0-9]{1,19}$' }),
  input: () => ({ type: ['string', 'integer'] }),
  wire: 'string',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: bigintOf,
  parse: (text) => bigintOf(text.trim()),
}

/** A number or digits as the digits of an id; "0", which no record has, for numbers that no id can be. */
export function bigintOf(value: Json): Decoded {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^[+-]?\d{1,1000}$/.test(text)) return { error: 'must be an integer' }
  const number = BigInt(text)
  return { value: number >= 1n && number <= MOST ? String(number) : '0' }
}

/** Whether a text is a number that a column of 64 bits holds. */
export function isBigint(text: string): boolean {
  if (!/^-?\d{1,19}$/.test(text)) return false
  const number = BigInt(text)
  return number <= MOST && number >= -MOST - 1n
}
