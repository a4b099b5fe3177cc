/** The list from which a record was opened, so that people walk to the next one without going back. */

interface Trail {
  readonly resource: string
  readonly ids: readonly string[]
}

let trail: Trail | undefined

/** Remembers the rows of a list in their order. */
export function rememberList(resource: string, ids: readonly string[]): void {
  trail = { resource, ids }
}

export interface Neighbours {
  readonly before: string | undefined
  readonly after: string | undefined
  /** Its place in the list, from 1; undefined where it was not opened from a list. */
  readonly at: number | undefined
  readonly of: number
}

/** The records next to one in the list that its reader came from. */
export function neighbours(resource: string, id: string): Neighbours {
  const ids = trail?.resource === resource ? trail.ids : []
  const at = ids.indexOf(id)
  if (at === -1) return { before: undefined, after: undefined, at: undefined, of: 0 }
  return { before: ids[at - 1], after: ids[at + 1], at: at + 1, of: ids.length }
}
