/** A judgement: an engine's verdict on a ticket for each target, its confidence, and its reasons. */
import type { Answerer } from './by-engine.ts'
import type { Target } from './model.ts'

export interface Verdict {
  readonly target: Target
  /** The id of a live setting, or null without a suggestion. */
  readonly id: number | null
  /** 0 to 1. */
  readonly confidence: number
  readonly reason: string
}

/** An engine's judgement of a ticket. */
export interface Verdicts {
  readonly verdicts: readonly Verdict[]
  /** The mean of the suggestions, 0 to 1. */
  readonly confidence: number
  readonly reasoning: string
}

export type Judgement = Verdicts & Answerer

export function fourDigits(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
