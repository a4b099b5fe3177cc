/** What all text values have in common: no NUL, no broken characters, lengths counted as people count. */
import type { Json } from '../json.ts'
import type { Decoded, FieldOptions, Operator, Refusal } from './field-type.ts'

/** Most texts: one look at each character instead of one for each mistake. */
const PLAIN = /^[\x20-\x7e]*$/
const PLAIN_LINES = /^[\x20-\x7e\n]*$/

/** Why PostgreSQL could not keep a text as it is, or undefined when it can. */
export function brokenText(text: string): Refusal | undefined {
  if (PLAIN_LINES.test(text)) return undefined
  if (text.includes('\0')) return { code: 'not_text', error: 'must not contain null characters' }
  // With the u flag only surrogates without their other half are matched.
  return /\p{Cs}/u.test(text) ? { code: 'not_text', error: 'must be well-formed Unicode text' } : undefined
}

/** Characters as PostgreSQL counts them for `character varying`: code points. */
export function lengthOf(text: string): number {
  let pairs = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit < 0xdc00) pairs += 1
  }
  return text.length - pairs
}

/** Text within limits, as it is; the predicate of the refusal otherwise. */
export function decodeText(value: Json, least: number, most: number): Decoded {
  if (typeof value !== 'string') return { code: 'wrong_type', error: 'must be a string' }
  // A character takes at most two units, so a much longer text is refused without counting it.
  if (value.length > most * 2 || (value.length > most && lengthOf(value) > most))
    return { code: 'too_long', error: `must be at most ${characters(most)}` }
  if (least > 0 && lengthOf(value) < least) return { code: 'too_short', error: `must be at least ${characters(least)}` }
  return brokenText(value) ?? { value }
}

/** Signs that nobody sees: blanks of every width, controls, what shows nothing by Unicode's own list, and the empty pattern of Braille. */
const UNSEEN = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u

/** Whether a text has no sign that can be seen, so that it is no value. */
export function isUnseen(text: string): boolean {
  return UNSEEN.test(text)
}

/** Why a text is not one line that reads as it is written, or undefined when it is. */
export function brokenLine(text: string): string | undefined {
  if (PLAIN.test(text)) return undefined
  if (/[\n\r\v\f\u0085\u2028\u2029]/.test(text)) return 'must be one line of text'
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters'
  // Arabic and Hebrew need the plain marks of direction; embedding and overriding can make a text look like another one.
  return /[\u202a-\u202e\u2066-\u2069]/.test(text)
    ? 'must not contain characters that override the direction of writing'
    : undefined
}

/** Why a text holds more than characters, line breaks and tabs, or undefined when it does not. */
export function brokenLines(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return /[\u0001-\u0008\u000b\u000c\u000e-\u001f]/.test(text)
    ? 'must not contain control characters other than line breaks and tabs'
    : undefined
}

export function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

/** A caller may search for any text that PostgreSQL takes, also for one that could never be stored. */
export function parseText(text: string): Decoded {
  return brokenText(text) ?? { value: text }
}

/** An own option that is a number, or its default. */
export function numberOption(options: FieldOptions, name: string, fallback: number): number {
  const value = options.own[name]
  return typeof value === 'number' ? value : fallback
}

/** An own option that is text, if it is there. */
export function textOption(options: FieldOptions, name: string): string | undefined {
  const value = options.own[name]
  return typeof value === 'string' ? value : undefined
}

/** A sentence for `max` below `min`, for types that have both; `usual` is the upper bound where none is written. */
export function boundsMistakes(
  options: FieldOptions,
  low = 'min',
  high = 'max',
  usual = Number.POSITIVE_INFINITY,
): Record<string, string> {
  const { [low]: least, [high]: most } = options.own
  if (typeof least !== 'number') return {}
  if (typeof most === 'number') return least > most ? { [high]: `"${high}" must not be below "${low}" (${least})` } : {}
  return most === undefined && least > usual ? { [low]: `"${low}" is above ${usual}, the most without "${high}"` } : {}
}

export const TEXT_OPERATORS: readonly Operator[] = [
  'eq',
  'ne',
  'in',
  'not_in',
  'contains',
  'starts_with',
  'ends_with',
  'null',
]

export const ORDER_OPERATORS: readonly Operator[] = [
  'eq',
  'ne',
  'in',
  'not_in',
  'lt',
  'lte',
  'gt',
  'gte',
  'between',
  'null',
]
