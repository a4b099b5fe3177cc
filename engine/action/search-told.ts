/** What is told of a search beside its page: corrected words, and where the words stand. */
import type { Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import type { Row } from '../database/database.ts'
import type { ListQuery } from '../query/list-query.ts'
import type { CompiledPage } from '../query/list-statement.ts'
import { askedWord, type SearchShape } from '../query/search-terms.ts'
import { snippet } from '../query/snippet.ts'
import type { SearchTold } from './list-result.ts'

interface Read {
  readonly compiled: CompiledPage
  readonly first: Row | undefined
  readonly page: readonly Row[]
}

/** `meta.search` of a page; `first` is the first row of the answer, which is there on an empty page too. */
export function searchTold(
  resource: Resource,
  list: ListQuery,
  search: SearchShape,
  { compiled: { corrections, keys, matches }, first, page }: Read,
): SearchTold {
  // A map, because a word may be "constructor".
  const corrected = new Map(
    corrections.flatMap(([at, column]): [string, string][] => {
      const word = first?.[column]
      return typeof word === 'string' ? [[askedWord(list, at), word]] : []
    }),
  )
  const words = Array.from({ length: search.wanted }, (_, at) => askedWord(list, at))
  const sought = words.map((word) => corrected.get(word) ?? word)
  const { snippets } = search
  const told =
    matches.length === 0
      ? undefined
      : page.map((row) => ({ id: idOf(resource, row[keys.at(-1)!]), ...matchOf(row, matches, snippets, sought) }))
  return {
    ...(corrected.size === 0 ? {} : { corrected: Object.fromEntries(corrected) }),
    ...(told === undefined ? {} : { matches: told }),
  }
}

function matchOf(
  row: Row,
  matches: CompiledPage['matches'],
  snippets: boolean,
  words: readonly string[],
): Omit<NonNullable<SearchTold['matches']>[number], 'id'> {
  const found = matches.filter(({ column }) => (snippets ? row[column] !== null : row[column] === 't'))
  const fields = found.map(({ name }) => name)
  if (!snippets) return { fields }
  const pieces = found.map(({ column, name }) => {
    const [begin, length, text, forms = []] = JSON.parse(row[column]!) as [number, number, string, string[]?]
    const before = begin - 1
    return [name, snippet({ text, before, behind: length - before - [...text].length }, [...words, ...forms])] as const
  })
  return { fields, snippets: Object.fromEntries(pieces) }
}
