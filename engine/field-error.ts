/** What can be wrong with a field or parameter: a sentence for people, and a code for programs. */

/** Code → meaning. A code is never reused for another meaning. */
export const FIELD_ERRORS = {
  unknown_field: 'there is no such field',
  unknown_parameter: 'there is no such parameter',
  unknown_sort: 'the list cannot be sorted by it',
  unknown_operator: 'the filter does not know the operator',
  required: 'a value is needed',
  not_null: 'null is not allowed',
  taken: 'another record has the value',
  invalid_selection: 'the record that it names does not exist, or may not be chosen',
  not_writable: 'it cannot be written, or not again',
  repeated: 'an item appears twice',
  given_twice: 'the parameter came twice',
  not_text: 'it holds characters that are not text',
  too_many: 'it has too many items, values or files',
  too_few: 'it has too few items',
  too_long: 'it is too long',
  too_short: 'it is too short',
  too_large: 'it is above the greatest value',
  too_small: 'it is below the least value',
  out_of_range: 'it lies outside of what is allowed',
  not_allowed: 'it is none of the allowed values',
  mismatch: 'it differs from what it must repeat',
  wrong_type: 'it is of another type',
  wrong_format: 'it is not written as its type asks',
  invalid: 'anything else; the sentence says what',
} as const satisfies Record<string, string>

export type FieldErrorCode = keyof typeof FIELD_ERRORS

/** One mistake. Wherever text is asked for, it is its sentence. */
export class FieldError {
  readonly code: FieldErrorCode
  readonly message: string

  constructor(code: FieldErrorCode, message: string) {
    this.code = code
    this.message = message
  }

  toString(): string {
    return this.message
  }

  toJSON(): string {
    return this.message
  }
}

/** Field name in dot form → its mistakes; a sentence alone has the code `invalid`. */
export type FieldErrors = Readonly<Record<string, readonly (FieldError | string)[]>>

/** A mistake by its code and its sentence. */
export function fieldError(code: FieldErrorCode, message: string): FieldError {
  return new FieldError(code, message)
}

/** The code of a mistake. */
export function codeOf(error: FieldError | string): FieldErrorCode {
  return typeof error === 'string' ? 'invalid' : error.code
}

/** The same mistakes with other sentences. */
export function translatedErrors(errors: FieldErrors, say: (sentence: string) => string): FieldErrors {
  const told: Record<string, readonly (FieldError | string)[]> = Object.create(null)
  for (const [key, mistakes] of Object.entries(errors))
    told[key] = mistakes.map((one) => (typeof one === 'string' ? say(one) : new FieldError(one.code, say(one.message))))
  return told
}

/** The first mistakes of those that there are, `most` sentences, and how many there are. */
export function firstErrors(errors: FieldErrors, most: number): { readonly told: FieldErrors; readonly total: number } {
  const total = Object.values(errors).reduce((sum, sentences) => sum + sentences.length, 0)
  if (total <= most) return { told: errors, total }
  const told: Record<string, readonly (FieldError | string)[]> = Object.create(null)
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
  for (const [key, mistakes] of Object.entries(errors)) codes[key] = mistakes.map(codeOf)
  return codes
}
