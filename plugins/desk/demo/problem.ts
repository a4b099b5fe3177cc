/** What a problem of the demo is. */

export const LEVELS = ['Low', 'Medium', 'High', 'Critical'] as const
export type Level = (typeof LEVELS)[number]

/** One problem in several wordings, with words in braces for what differs; it may weigh more or less than its kind. */
export interface Problem {
  readonly subjects: readonly string[]
  readonly details: readonly string[]
  readonly priority?: Level
  readonly type?: string
}
