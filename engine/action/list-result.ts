/** One page as JSON texts; the numbers of `meta.pagination`, null where cursors leave them open. */
export interface ListResult {
  readonly items: readonly string[]
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
