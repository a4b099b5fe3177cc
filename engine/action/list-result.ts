/** What a list gives: a page of records, and what is told beside it. */
import type { Id } from '../id.ts'

/** One page as JSON texts; the numbers of `meta.pagination`, null where cursors leave them open. */
export interface ListResult {
  readonly items: readonly string[]
  /** What is told of a search beside its page; undefined where there is nothing to tell. */
  readonly search: SearchTold | undefined
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
export interface SearchTold {
  /** Words that stand in no record, as they were asked for, with those that were searched for instead. */
  readonly corrected?: Readonly<Record<string, string>>
  /** For each record of the page the fields in which words stand, and on request a piece of each as HTML. */
  readonly matches?: readonly {
    readonly id: Id
    readonly fields: readonly string[]
    readonly snippets?: Readonly<Record<string, string>>
  }[]
}
