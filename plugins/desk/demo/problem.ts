/** The type of a problem in the demo. */

export const LEVELS = ['Low', 'Medium', 'High', 'Critical'] as const
export type Level = (typeof LEVELS)[number]

/**
 * A problem in several wordings, with words in braces for what varies; its priority may differ from that of its kind.
 */
export interface Problem {
  readonly subjects: readonly string[]
  readonly details: readonly string[]
  readonly priority?: Level
  readonly type?: string
}
