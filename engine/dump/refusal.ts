/** What a database says when it refuses a part of a dump, in its own words: nobody is there who sent a value. */
import { ApiError, sentenceOf } from '../error.ts'

/** The sentence of the database. */
export function refusal(error: unknown): string {
  const cause = error instanceof ApiError ? error.params.cause : undefined
  return sentenceOf(cause ?? error)
}
