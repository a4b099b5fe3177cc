/** The search of a list's query string: its words, the records that it may name, and the order in which it is answered. */
import type { Actor } from '../actor.ts'
import type { Catalog, Resource, SortTerm } from '../catalog/catalog.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { namedFirst, namesIn, readIdentifiers } from './identifier.ts'
import { rankedSort } from './rank.ts'
import { readTerms, type SearchShape, type SearchTerms } from './search-terms.ts'

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
): SearchTerms | undefined {
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
  const terms = readTerms(text, snippets === 'true', resource.language)
  const most = catalog.limits.searchWords ?? 0
  if (terms.wanted + terms.unwanted > most)
    refuse('search', 'too_many', `The search parameter must have at most ${most} words`)
  if (terms.unwanted > 0) {
    const [name] = OF_MAIL.test(text) ? namesIn(text) : []
    return name === undefined
      ? terms
      : readSearch(catalog, resource, actor, new Map([...given, ['search', name]]), refuse)
  }
  const { fields, slots } = readIdentifiers(resource, actor, text)
  return { ...terms, identifiers: fields, slots: { ...terms.slots, ...slots } }
}

/** Whether a text is longer than a search may be, and names something by a `#` or a long number, as the subject of a mail does. */
function isPasted({ limits }: Catalog, text: string): boolean {
  const isLong = text.length > (limits.searchLength ?? 0) || text.split(/\s+/).length > (limits.searchWords ?? 0)
  return isLong && text.length <= PASTED_LENGTH && /#[\p{L}\p{N}]|\d{8}/u.test(text)
}

/** What the statements of a search depend on, as text. */
export function searchKey({ corrected, identifiers, snippets, spelt, stems, unwanted, wanted }: SearchShape): string {
  const named = identifiers.length === 0 ? '' : `named ${identifiers.map(({ name }) => name).join()} `
  const stemmed = stems === undefined ? '' : `stems ${stems.wanted.join()}-${stems.unwanted.join()} `
  return `search ${wanted}-${unwanted} ${named}${stemmed}${snippets ? 'snippets ' : ''}${corrected ? `corrected ${spelt.join()} ` : ''}`
}

/** The order in which a search is answered where none is asked for; undefined: the list's. */
export function searchedSort(
  resource: Resource,
  { identifiers, wanted }: SearchShape,
  sort: readonly SortTerm[],
): readonly SortTerm[] | undefined {
  if (wanted === 0) return undefined
  if (resource.ranked) return rankedSort(resource)
  return identifiers.length === 0 ? undefined : namedFirst(resource, sort)
}
