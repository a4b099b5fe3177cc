/** The text of a search → the words that records must have, and those that they must not have. */
import { likeLiteral } from '../filter/to-sql.ts'

/** What of a search decides its statement: how many words there are; the words themselves are slots. */
export interface SearchShape {
  readonly wanted: number
  readonly unwanted: number
}

/** A search as it is asked for. */
export interface SearchTerms extends SearchShape {
  readonly slots: Readonly<Record<string, string>>
  /** Whether the best plan depends on the words. */
  readonly adhoc: boolean
}

/** The slots of the words, as LIKE patterns; of those that are wanted also the word itself, and as a regular expression. */
export const WANTED = 'word'
export const UNWANTED = 'unwanted'
export const EXACT = 'exact'
export const BEGINNING = 'beginning'

/** A part of a word that is shorter has no trigram, so that no index finds it. */
const TRIGRAM_LENGTH = 3

/** Words are parted by white space, a quoted phrase is one, and one behind a hyphen must not be there; a quote that nobody closes goes on to the end. */
const TERM = /(-?)"([^"]*)(?:"|$)|(\S+)/gu

/** Reads the words of a search. A text without any, `""`, is a word itself: nothing is no wish for everything. */
export function readTerms(text: string): SearchTerms {
  const wanted = new Set<string>()
  const unwanted = new Set<string>()
  for (const [, hyphen, phrase, word = ''] of text.matchAll(TERM)) {
    const isUnwanted = phrase === undefined ? /^-./u.test(word) : hyphen === '-'
    const term = (phrase ?? (isUnwanted ? word.slice(1) : word)).trim()
    if (term !== '') (isUnwanted ? unwanted : wanted).add(term)
  }
  if (wanted.size + unwanted.size === 0) wanted.add(text)
  // The word that finds the fewest records, most likely, comes first: its index is read.
  const first = [...wanted].sort((one, other) => indexable(other) - indexable(one))
  const slots: Record<string, string> = {}
  first.forEach((word, at) => {
    slots[`${WANTED}${at}`] = patternOf(word)
    slots[`${EXACT}${at}`] = word
    slots[`${BEGINNING}${at}`] = literally(word)
  })
  ;[...unwanted].forEach((word, at) => {
    slots[`${UNWANTED}${at}`] = patternOf(word)
  })
  const isAlone = first.length === 1 && unwanted.size === 0
  return {
    wanted: first.length,
    unwanted: unwanted.size,
    slots,
    adhoc: !isAlone || indexable(first[0] ?? '') < TRIGRAM_LENGTH,
  }
}

function patternOf(word: string): string {
  return `%${likeLiteral(word)}%`
}

/** Nothing but ASCII is escaped: PostgreSQL takes a letter behind a backslash for a mistake, and knows more letters. */
function literally(word: string): string {
  return word.replace(/[!-/:-@[-`{-~]/g, '\\$&')
}

/** Characters of the longest run of letters and digits: an index holds the trigrams of these. */
function indexable(word: string): number {
  return Math.max(0, ...(word.match(/[\p{L}\p{N}]+/gu) ?? []).map((run) => [...run].length))
}
