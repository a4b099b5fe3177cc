/** One step of a migration: what it does in words and in SQL, and whether it can hurt. */

/**
 * `safe`: adds, loosens or loses nothing. `unsafe`: sets data aside, done when a person says so.
 * `blocked`: rows stand in its way, so the database would refuse it; a person changes the rows or the YAML first.
 */
export type Risk = 'safe' | 'unsafe' | 'blocked'

export interface Step {
  /** For people: `add column tickets.due_date (date)`. */
  readonly title: string
  readonly sql: readonly string[]
  readonly risk: Risk
  /** SQL that counts the rows that stand in the way or would be set aside; none of them makes the step safe. */
  readonly question?: string
  /** The answer, once asked. */
  readonly rows?: number
  /** What is lost or refused: completes "<rows> rows …". */
  readonly consequence?: string
  readonly advice?: string
  /** Outside a transaction, without stopping writes: indexes, and checks of what is already there. */
  readonly online?: boolean
}

export function safe(title: string, ...sql: readonly string[]): Step {
  return { title, sql, risk: 'safe' }
}

export function online(title: string, ...sql: readonly string[]): Step {
  return { title, sql, risk: 'safe', online: true }
}
