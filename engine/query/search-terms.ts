/** The text of a search → the words that records must have, and those that they must not have. */
import { type Sql, slot, sql } from '../filter/sql.ts'
import { likeLiteral } from '../filter/to-sql.ts'

/** What of a search decides its statement: how many words there are; the words themselves are slots. */
export interface SearchShape {
  readonly wanted: number
  readonly unwanted: number
  /** Which of the wanted words may be misspelt ones of others: a word of letters that is not quoted. */
  readonly spelt: readonly number[]
  /** Whether these stand as `k` corrects them. */
  readonly corrected: boolean
  /** Whether pieces of the texts are asked for. */
  readonly snippets: boolean
}

/** A search as it is asked for. */
export interface SearchTerms extends SearchShape {
  readonly slots: Readonly<Record<string, string>>
  /** Whether the best plan depends on the words. */
  readonly adhoc: boolean
}

/** The slots of the words, as LIKE patterns; of those that are wanted also the word itself, and as a regular expression. */
const WANTED = 'word'
const UNWANTED = 'unwanted'
const EXACT = 'exact'
const BEGINNING = 'beginning'

/** Shorter words have too few letters to tell which one was meant. */
const SPELT_LENGTH = 4

/** A wanted word in a statement: as a LIKE pattern, as it is, and as a regular expression. */
export interface WantedWord {
  readonly pattern: Sql
  readonly exact: Sql
  readonly beginning: Sql
}

/** The wanted word at a place. What a correction found has letters only, which mean themselves everywhere. */
export function wantedWord({ corrected, spelt }: SearchShape, at: number): WantedWord {
  const given = (name: string): Sql => sql`${slot(`${name}${at}`)}::text`
  const word: WantedWord = { pattern: given(WANTED), exact: given(EXACT), beginning: given(BEGINNING) }
  if (!corrected || !spelt.includes(at)) return word
  const found = sql`(select k.w${at} from k)`
  return {
    pattern: sql`coalesce('%' || ${found} || '%', ${word.pattern})`,
    exact: sql`coalesce(${found}, ${word.exact})`,
    beginning: sql`coalesce(${found}, ${word.beginning})`,
  }
}

/** The LIKE pattern of an unwanted word. */
export function unwantedPattern(at: number): Sql {
  return sql`${slot(`${UNWANTED}${at}`)}::text`
}

/** The wanted word at a place, as it was asked for. */
export function askedWord({ slots }: { readonly slots: Readonly<Record<string, unknown>> }, at: number): string {
  return String(slots[`${EXACT}${at}`])
}

/** A part of a word that is shorter has no trigram, so that no index finds it. */
const TRIGRAM_LENGTH = 3

/** Words are parted by white space, a quoted phrase is one, and one behind a hyphen must not be there; a quote that nobody closes goes on to the end. */
const TERM = /(-?)"([^"]*)(?:"|$)|(\S+)/gu

/** Reads the words of a search. A text without any, `""`, is a word itself: nothing is no wish for everything. */
export function readTerms(text: string, snippets: boolean): SearchTerms {
  const wanted = new Set<string>()
  const unwanted = new Set<string>()
  const quoted = new Set<string>()
  for (const [, hyphen, phrase, word = ''] of text.matchAll(TERM)) {
    const isUnwanted = phrase === undefined ? /^-./u.test(word) : hyphen === '-'
    const term = (phrase ?? (isUnwanted ? word.slice(1) : word)).trim()
    if (term !== '') (isUnwanted ? unwanted : wanted).add(term)
    if (phrase !== undefined) quoted.add(term)
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
  return {
    wanted: first.length,
    unwanted: unwanted.size,
    spelt: first.flatMap((word, at) => (quoted.has(word) || !isSpelt(word) ? [] : [at])),
    corrected: false,
    snippets,
    slots,
    adhoc: indexable(first.at(-1) ?? '') < TRIGRAM_LENGTH,
  }
}

function isSpelt(word: string): boolean {
  return /^\p{L}+$/u.test(word) && [...word].length >= SPELT_LENGTH
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
