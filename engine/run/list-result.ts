/** The result of a list: a page of records, its place in the list, and the matches of a search. */
import type { Id } from '../id.ts'

/** One page as JSON texts; the numbers of `meta.pagination`, null where cursors leave them open. */
export interface ListResult {
  readonly items: readonly string[]
  /** The corrected words and the matches of a search; undefined without a search. */
  readonly search: SearchResult | undefined
  readonly pagination: {
    readonly current_page: number | null
    readonly per_page: number
    readonly total: number | null
    readonly last_page: number | null
    readonly from: number | null
    readonly to: number | null
    readonly next_cursor: string | null
    /** Present, and false, only where the total is capped or estimated. */
    readonly total_exact?: false
  }
}

/** `meta.search`. */
export interface SearchResult {
  /** Asked words that no record has, with those that were searched for instead. */
  readonly corrected?: Readonly<Record<string, string>>
  /** For each record of the page the fields that have words of the search, and on request a piece of each as HTML. */
  readonly matches?: readonly {
    readonly id: Id
    readonly fields: readonly string[]
    readonly snippets?: Readonly<Record<string, string>>
  }[]
}
