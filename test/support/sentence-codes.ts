/** What each code looks like in words, so that every sentence that a test is answered is held against the code beside it. */
import type { FieldErrors } from '../../engine/field-error.ts'

/** Code → what its sentences hold; the first that fits counts, and none means `invalid`. */
const WORDS: readonly (readonly [code: string, sentences: RegExp])[] = [
  ['unknown_field', /^Unknown field "|is not a known field$|not have the key/],
  ['unknown_parameter', /^Unknown parameter "|cannot be searched$/],
  ['unknown_sort', /^Cannot sort by "/],
  ['unknown_operator', /^Unknown operator "|^The operator "/],
  ['required', /is required$|must have a value$|must have the key/],
  ['not_null', /must not be null$/],
  ['taken', /has already been taken$/],
  ['invalid_selection', /^The selected |must be the record of the path$/],
  ['not_writable', /cannot be changed$|cannot be written$/],
  ['repeated', /must not repeat another item$/],
  ['given_twice', /was given twice|given only once$/],
  ['not_text', /that are not text$|null characters$|well-formed/],
  ['too_many', /at most \d+ (?:items?|entries|values|files|sort keys|conditions|words)|^Only one file/],
  ['too_few', /at least \d+ (?:items?|entries)/],
  ['too_long', /(?:at most|more than) \d+ (?:characters?|bytes|digits?)|more text than/],
  ['too_short', /at least \d+ characters?/],
  ['too_large', /must be at most /],
  ['too_small', /must be at least /],
  ['out_of_range', /must be (?:a date )?between |must leave .* between |must be from /],
  ['not_allowed', /must be one of|must be (?:"|asc or desc)/],
  ['mismatch', /does not match$/],
  [
    'wrong_type',
    /must be (?:a (?:string|number|list|positive integer|boolean)|an (?:integer|object)|true or false|null)/,
  ],
  ['wrong_format', /invalid format$|must be a |must be an |must contain only /],
]

/** Sentences of authors of applications, which have the code `invalid` whatever they read like. */
const OF_AUTHORS: readonly string[] = ['The selected sub category does not belong to the category of the ticket']

/** The sentences of mistakes as an answer has them. */
export function sentencesIn(errors: FieldErrors): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(errors).map(([name, mistakes]) => [name, mistakes.map(String)]))
}

/** The code that a sentence reads like. */
export function codeInWords(sentence: string): string {
  if (OF_AUTHORS.includes(sentence)) return 'invalid'
  return WORDS.find(([, words]) => words.test(sentence))?.[0] ?? 'invalid'
}

/** The first sentence of an answer whose code is another than it reads like, with both codes; of one in English. */
export function otherCode(body: unknown): string | undefined {
  if (Reflect.get(Object(body), 'message') !== 'Validation failed') return undefined
  const errors = Object.entries(Object(Reflect.get(Object(body), 'errors')))
  const codes = Object(Reflect.get(Object(body), 'error_codes'))
  for (const [key, sentences] of errors)
    for (const [at, sentence] of [sentences].flat().entries()) {
      const [code, read] = [Reflect.get(Object(codes[key]), at), codeInWords(String(sentence))]
      if (code !== read) return `"${sentence}" has the code ${code}, and reads like ${read}`
    }
  return undefined
}
