/** The codes of what can be wrong with a field or parameter, read off its sentence, so that programs need not. */
import type { FieldErrors } from '../error.ts'

interface FieldErrorKind {
  /** What it means, for the documentation. */
  readonly meaning: string
  /** What its sentences hold; none of these looks back, because a sentence may quote what a caller sent. */
  readonly sentences: RegExp
}

/** Code → meaning and sentences; the first whose sentences fit counts. A code is never reused for another meaning. */
export const FIELD_ERRORS = {
  unknown_field: {
    meaning: 'there is no such field',
    sentences: /^Unknown field "|is not a known field$|not have the key/,
  },
  unknown_parameter: { meaning: 'there is no such parameter', sentences: /^Unknown parameter "|cannot be searched$/ },
  unknown_sort: { meaning: 'the list can not be sorted by it', sentences: /^Cannot sort by "/ },
  unknown_operator: {
    meaning: 'the filter does not know the operator',
    sentences: /^Unknown operator "|^The operator "/,
  },
  required: { meaning: 'a value is needed', sentences: /is required$|must have a value$|must have the key/ },
  not_null: { meaning: 'null is not allowed', sentences: /must not be null$/ },
  taken: { meaning: 'another record has the value', sentences: /has already been taken$/ },
  invalid_selection: {
    meaning: 'the record that it names does not exist, or may not be chosen',
    sentences: /^The selected |must be the record of the path$/,
  },
  not_writable: { meaning: 'it can not be written, or not again', sentences: /cannot be changed$|can not be written$/ },
  repeated: { meaning: 'an item stands there twice', sentences: /must not repeat another item$/ },
  given_twice: { meaning: 'the parameter came twice', sentences: /was given twice|given only once$/ },
  not_text: {
    meaning: 'it holds characters that are not text',
    sentences: /that are not text$|null characters$|well-formed/,
  },
  too_many: {
    meaning: 'it has too many items, values or files',
    sentences: /at most \d+ (?:items?|entries|values|files|sort keys|conditions|words)|^Only one file/,
  },
  too_few: { meaning: 'it has too few items', sentences: /at least \d+ (?:items?|entries)/ },
  too_long: {
    meaning: 'it is too long',
    sentences: /(?:at most|more than) \d+ (?:characters?|bytes|digits?)|more text than/,
  },
  too_short: { meaning: 'it is too short', sentences: /at least \d+ characters?/ },
  too_large: { meaning: 'it is above the greatest value', sentences: /must be at most / },
  too_small: { meaning: 'it is below the least value', sentences: /must be at least / },
  out_of_range: {
    meaning: 'it lies outside of what is allowed',
    sentences: /must be (?:a date )?between |must leave .* between |must be from /,
  },
  not_allowed: { meaning: 'it is none of the allowed values', sentences: /must be one of|must be (?:"|asc or desc)/ },
  mismatch: { meaning: 'it differs from what it must repeat', sentences: /does not match$/ },
  wrong_type: {
    meaning: 'it is of another type',
    sentences: /must be (?:a (?:string|number|list|positive integer|boolean)|an (?:integer|object)|true or false|null)/,
  },
  wrong_format: {
    meaning: 'it is not written as its type asks',
    sentences: /invalid format$|must be a |must be an |must contain only /,
  },
  invalid: { meaning: 'anything else; the sentence says what', sentences: /(?:)/ },
} as const satisfies Record<string, FieldErrorKind>

export type FieldErrorCode = keyof typeof FIELD_ERRORS

const KINDS = Object.entries(FIELD_ERRORS) as readonly [FieldErrorCode, FieldErrorKind][]

/** The code of a sentence. */
export function fieldErrorCode(sentence: string): FieldErrorCode {
  return KINDS.find(([, kind]) => kind.sentences.test(sentence))?.[0] ?? 'invalid'
}

/** The first mistakes of those that there are, `most` sentences, and how many there are. */
export function firstErrors(errors: FieldErrors, most: number): { readonly told: FieldErrors; readonly total: number } {
  const total = Object.values(errors).reduce((sum, sentences) => sum + sentences.length, 0)
  if (total <= most) return { told: errors, total }
  const told: Record<string, readonly string[]> = Object.create(null)
  let left = most
  for (const [key, sentences] of Object.entries(errors)) {
    if (left <= 0) break
    told[key] = sentences.slice(0, left)
    left -= sentences.length
  }
  return { told, total }
}

/** The codes of errors: the same keys, a code for every sentence in its place. */
export function fieldErrorCodes(errors: FieldErrors): Readonly<Record<string, readonly FieldErrorCode[]>> {
  // Without a prototype: a key may be "__proto__".
  const codes: Record<string, readonly FieldErrorCode[]> = Object.create(null)
  for (const [key, sentences] of Object.entries(errors)) codes[key] = sentences.map(fieldErrorCode)
  return codes
}
