/** The search of a list's query string: its words, the records that it may name, and the order in which it is answered. */
import type { Actor } from '../actor.ts'
import type { Catalog, Field, Resource, SortTerm } from '../catalog/catalog.ts'
import { isStored, typed } from '../catalog/stored.ts'
import { integer } from '../field/integer.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { likeLiteral } from '../filter/sql.ts'
import { compatible } from '../filter/text-forms.ts'
import { identityOf } from '../plan/plan.ts'
import { identifierSlot, type SearchShape, WORD_SLOTS } from '../plan/read-plan.ts'
import { lookupBy } from './lookup.ts'
import { filterable } from './policy.ts'

/** A search as it is asked for. */
export interface Search {
  readonly shape: SearchShape
  /** Its words, by their slots. */
  readonly slots: Readonly<Record<string, unknown>>
  /** Whether the best plan depends on the words. */
  readonly adhoc: boolean
}

/** The longest subject of a mail, with what programs set in front of it. */
const PASTED_LENGTH = 512

/** The subject of a mail, in which a hyphen before a word means nothing. */
const OF_MAIL = /^(?:\p{L}{1,5}:\s*)*\[#[\p{L}\p{N}]/u

/** Reads `search` and `snippets`; undefined where nothing is sought. */
export function readSearch(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  given: ReadonlyMap<string, string>,
  refuse: (parameter: string, code: FieldErrorCode, sentence: string) => void,
): Search | undefined {
  const written = (given.get('search') ?? '').trim()
  const text = isPasted(catalog, written) ? (namesIn(written)[0] ?? written) : written
  const snippets = given.get('snippets') ?? ''
  if (!['', 'true', 'false'].includes(snippets))
    refuse('snippets', 'wrong_type', 'The snippets parameter must be true or false')
  if (resource.search.length === 0) {
    const useless = catalog.strictness.unknownParameters === 'refuse' ? { search: text, snippets } : {}
    for (const [name, value] of Object.entries(useless))
      if (value !== '') refuse(name, 'unknown_parameter', 'This list cannot be searched')
    return undefined
  }
  if (text === '') return undefined
  const longest = catalog.limits.searchLength ?? 0
  if (text.length > longest) refuse('search', 'too_long', `The search parameter must be at most ${longest} characters`)
  if (text.includes('\0') || !text.isWellFormed())
    refuse('search', 'not_text', 'The search parameter must be well-formed text without NUL')
  const words = readWords(text, snippets === 'true', resource.language)
  const { unwanted, wanted } = words.shape
  const most = catalog.limits.searchWords ?? 0
  if (wanted + unwanted > most) refuse('search', 'too_many', `The search parameter must have at most ${most} words`)
  if (unwanted === 0) return withIdentifiers(resource, actor, text, words)
  const [name] = OF_MAIL.test(text) ? namesIn(text) : []
  return name === undefined
    ? words
    : readSearch(catalog, resource, actor, new Map([...given, ['search', name]]), refuse)
}

/** Whether a text is longer than a search may be, and names something by a `#` or a long number, as the subject of a mail does. */
function isPasted({ limits }: Catalog, text: string): boolean {
  const isLong = text.length > (limits.searchLength ?? 0) || text.split(/\s+/).length > (limits.searchWords ?? 0)
  return isLong && text.length <= PASTED_LENGTH && /#[\p{L}\p{N}]|\d{8}/u.test(text)
}

/** Shorter words have too few letters to tell which one was meant. */
const SPELT_LENGTH = 4

/** A part of a word that is shorter has no trigram, so that no index finds it. */
const TRIGRAM_LENGTH = 3

/** Words are parted by white space, a quoted phrase is one, and one with a hyphen in front must not be there; a quote that is not closed goes on to the end. */
const TERM = /(-?)"([^"]*)(?:"|$)|(\S+)/gu

/** Reads the words of a search. A text without any, `""`, is a word itself: nothing is no wish for everything. */
function readWords(written: string, snippets: boolean, language: string | undefined): Search {
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
    slots[`${WORD_SLOTS.pattern}${at}`] = patternOf(word)
    slots[`${WORD_SLOTS.exact}${at}`] = word
    slots[`${WORD_SLOTS.beginning}${at}`] = literally(word)
  })
  ;[...unwanted].forEach((word, at) => {
    slots[`${WORD_SLOTS.unwanted}${at}`] = patternOf(word)
    slots[`${WORD_SLOTS.exactlyUnwanted}${at}`] = word
  })
  const stemmed = (all: Iterable<string>): readonly number[] =>
    [...all].flatMap((word, at) => (quoted.has(word) || !isOfLetters(word) ? [] : [at]))
  const shape = shapeOf({
    wanted: first.length,
    unwanted: unwanted.size,
    spelt: first.flatMap((word, at) => (quoted.has(word) || !isSpelt(word) ? [] : [at])),
    corrected: false,
    snippets,
    stems: language === undefined ? undefined : { language, wanted: stemmed(first), unwanted: stemmed(unwanted) },
    identifiers: [],
  })
  return { shape, slots, adhoc: indexable(first.at(-1) ?? '') < TRIGRAM_LENGTH }
}

/** A shape with what tells it from others; one of several words is made up by its caller. */
function shapeOf(shape: Omit<SearchShape, 'planId' | 'madeUp'>): SearchShape {
  const { corrected, identifiers, snippets, spelt, stems, unwanted, wanted } = shape
  const stemmed = stems && [stems.language, stems.wanted, stems.unwanted]
  const planId = identityOf([wanted, unwanted, identifiers, stemmed, snippets, corrected, spelt])
  return { ...shape, planId, madeUp: wanted + unwanted > 1 }
}

/** The same search with its words corrected; undefined where none of them may be misspelt. */
export function correctedSearch(shape: SearchShape): SearchShape | undefined {
  return shape.corrected || shape.spelt.length === 0 ? undefined : shapeOf({ ...shape, corrected: true })
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

/** Nothing but ASCII is escaped: PostgreSQL takes a letter after a backslash for a mistake, and knows more letters. */
function literally(word: string): string {
  return word.replace(/[!-/:-@[-`{-~]/g, '\\$&')
}

/** Characters of the longest run of letters and digits: an index holds the trigrams of these. */
function indexable(word: string): number {
  return Math.max(0, ...(word.match(/[\p{L}\p{N}]+/gu) ?? []).map((run) => [...run].length))
}

/** The search with what its whole text may be: the id as answers show it, or the value of a unique field that the caller may read. */
function withIdentifiers(resource: Resource, actor: Actor, text: string, search: Search): Search {
  const whole = /^"([^"]*)"?$/u.exec(text)?.[1]?.trim() ?? text
  const within = namesIn(whole)
  const slots: Record<string, unknown> = {}
  const fields = identifiersOf(resource, actor).filter((field) => {
    const [named] = [whole, ...within].flatMap((one) => lookupBy(resource, field, one) ?? [])
    if (named === undefined) return false
    slots[identifierSlot(field)] = named.value
    if (!isText(field)) return true
    slots[identifierSlot(field, 'Within')] = within[0] ?? whole
    slots[identifierSlot(field, 'Small')] = whole.toLowerCase()
    slots[identifierSlot(field, 'Large')] = whole.toUpperCase()
    return true
  })
  return { ...search, shape: shapeOf({ ...search.shape, identifiers: fields }), slots: { ...search.slots, ...slots } }
}

const SIGNED = /(?<![\p{L}\p{N}])#([\p{L}\p{N}][\p{L}\p{N}_-]*)/u
const LONG_NUMBER = /(?<![\p{L}\p{N}])\d{8,}(?![\p{L}\p{N}])/u
const ADDRESS = /^<?https?:\/\/[^\s/]+\/(\S*?)[>.,;]?$/iu
const AROUND = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu

/**
 * The names in a text that was pasted from a mail, a notice or an address: the word after a `#`, a long number, parts of
 * the address, the last first, and the text without the signs around it.
 */
function namesIn(text: string): readonly string[] {
  const [path = ''] = (ADDRESS.exec(text)?.[1] ?? '').split(/[?#]/)
  const names = [
    SIGNED.exec(text)?.[1],
    LONG_NUMBER.exec(text)?.[0],
    ...path.split('/').reverse(),
    text.replace(AROUND, ''),
  ]
  return [...new Set(names)].filter((one): one is string => one !== undefined && one !== '' && one !== text)
}

function identifiersOf(resource: Resource, actor: Actor): readonly Field[] {
  const { fields, key, lookup } = resource
  const unique = [...fields.values()].filter((field) => field.unique)
  return [...new Set([key, ...lookup, ...unique])].filter(
    (field) =>
      isStored(field) &&
      field.type.hidden !== true &&
      field.show !== 'never' &&
      (field.type.wire === 'string' || field.type.wire === 'number') &&
      filterable({ relations: [], field }, actor),
  )
}

/** Whether values of the field are texts of any letters. */
export function isText(field: Field): boolean {
  return ['character varying', 'text'].includes(field.sqlType)
}

/** The order in which a search is answered where none is asked for; undefined: the list's. */
export function searchedSort(
  { key, ranked }: Resource,
  { identifiers, wanted }: SearchShape,
  sort: readonly SortTerm[],
): readonly SortTerm[] | undefined {
  if (wanted === 0) return undefined
  // Best first, of equals the newest.
  if (ranked) return [madeUpTerm(key, '$rank'), { path: { relations: [], field: key }, direction: 'desc' }]
  return identifiers.length === 0 ? undefined : [madeUpTerm(key, '$named'), ...sort]
}

/** A term of a sort, greatest first, that is no field of the record but a number made for the search. */
function madeUpTerm(key: Field, name: string): SortTerm {
  const options = { name, required: true, nullable: false, own: {} }
  const field = { ...key, ...typed(integer, options), name, nullable: false }
  return { path: { relations: [], field }, direction: 'desc' }
}
