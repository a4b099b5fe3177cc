/** What an engine says of a ticket: one verdict for each target, how sure it is, and why. */
import type { Answerer } from './by-engine.ts'
import type { Target } from './model.ts'

export interface Verdict {
  readonly target: Target
  /** The id of a live setting, or null where nothing is suggested. */
  readonly id: number | null
  /** 0 to 1. */
  readonly confidence: number
  readonly reason: string
}

/** What an engine says of a ticket. */
export interface Verdicts {
  readonly verdicts: readonly Verdict[]
  /** The mean of what is suggested, 0 to 1. */
  readonly confidence: number
  readonly reasoning: string
}

export type Judgement = Verdicts & Answerer
