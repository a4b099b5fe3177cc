/** The text of a search → the words that records must have, and those that they must not have. */
import type { Field } from '../catalog/catalog.ts'
import { compatible } from '../filter/fold.ts'
import { type Sql, slot, sql } from '../filter/sql.ts'
import { type Stem, stemOf } from '../filter/stem.ts'
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
  /** Which of its words are sought by their stems too: those of letters that are not quoted. */
  readonly stems: Stems | undefined
  /** Fields of which the whole text may be the value that names a record. */
  readonly identifiers: readonly Field[]
}

interface Stems {
  readonly language: string
  readonly wanted: readonly number[]
  readonly unwanted: readonly number[]
}

/** A search as it is asked for. */
export interface SearchTerms extends SearchShape {
  readonly slots: Readonly<Record<string, unknown>>
  /** Whether the best plan depends on the words. */
  readonly adhoc: boolean
}

/** The slots of the words, as LIKE patterns and as they are; of those that are wanted also as a regular expression. */
const WANTED = 'word'
const UNWANTED = 'unwanted'
const EXACT = 'exact'
const EXACTLY_UNWANTED = 'unwantedExact'
const BEGINNING = 'beginning'

/** Shorter words have too few letters to tell which one was meant. */
const SPELT_LENGTH = 4

/** A word in a statement: as a LIKE pattern, and by its stem. */
export interface SoughtWord {
  readonly pattern: Sql
  readonly stem: Stem | undefined
}

/** A wanted word: also as it is, and as a regular expression. */
export interface WantedWord extends SoughtWord {
  readonly exact: Sql
  readonly beginning: Sql
}

/** The wanted word at a place. What a correction found has letters only, which mean themselves everywhere. */
export function wantedWord({ corrected, spelt, stems }: SearchShape, at: number): WantedWord {
  const given = (name: string): Sql => sql`${slot(`${name}${at}`)}::text`
  const found = corrected && spelt.includes(at) ? sql`(select k.w${at} from k)` : undefined
  const exact = found === undefined ? given(EXACT) : sql`coalesce(${found}, ${given(EXACT)})`
  const stem = stems?.wanted.includes(at) ? stemOf(stems.language, exact) : undefined
  if (found === undefined) return { pattern: given(WANTED), exact, beginning: given(BEGINNING), stem }
  return {
    pattern: sql`coalesce('%' || ${found} || '%', ${given(WANTED)})`,
    exact,
    beginning: sql`coalesce(${found}, ${given(BEGINNING)})`,
    stem,
  }
}

/** The unwanted word at a place. */
export function unwantedWord({ stems }: SearchShape, at: number): SoughtWord {
  const given = (name: string): Sql => sql`${slot(`${name}${at}`)}::text`
  const stem = stems?.unwanted.includes(at) ? stemOf(stems.language, given(EXACTLY_UNWANTED)) : undefined
  return { pattern: given(UNWANTED), stem }
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
export function readTerms(written: string, snippets: boolean, language: string | undefined): SearchTerms {
  const text = compatible(written)
  const wanted = new Set<string>()
  const unwanted = new Set<string>()
  const quoted = new Set<string>()
  for (const [, hyphen, phrase, word = ''] of text.matchAll(TERM)) {
    const isUnwanted = phrase === undefined ? /^-./u.test(word) : hyphen === '-'
    const term = (phrase ?? (isUnwanted ? word.slice(1) : word)).trim()
    if (term !== '') (isUnwanted ? unwanted : wanted).add(term)
    if (phrase !== undefined) quoted.add(term)
  }
  if (wanted.size + unwanted.size === 0) wanted.add(text.trim() === '' ? '""' : text)
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
    slots[`${EXACTLY_UNWANTED}${at}`] = word
  })
  const stemmed = (words: Iterable<string>): readonly number[] =>
    [...words].flatMap((word, at) => (quoted.has(word) || !isOfLetters(word) ? [] : [at]))
  return {
    wanted: first.length,
    unwanted: unwanted.size,
    spelt: first.flatMap((word, at) => (quoted.has(word) || !isSpelt(word) ? [] : [at])),
    corrected: false,
    snippets,
    stems: language === undefined ? undefined : { language, wanted: stemmed(first), unwanted: stemmed(unwanted) },
    identifiers: [],
    slots,
    adhoc: indexable(first.at(-1) ?? '') < TRIGRAM_LENGTH,
  }
}

/** Some letters are written as one and marks on it. */
function isOfLetters(word: string): boolean {
  return /^\p{L}[\p{L}\p{M}]*$/u.test(word)
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
