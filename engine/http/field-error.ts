/** The mistakes that an answer tells of, and their codes beside them. */
import { codeOf, type FieldError, type FieldErrorCode, type FieldErrors } from '../field-error.ts'

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
