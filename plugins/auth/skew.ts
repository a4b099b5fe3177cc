/** Moments that were noted before the clock of the machine was set back. */

/** So far the clocks of two instances may be apart, in milliseconds. */
const SKEW_MS = 60_000

/** The latest moment that can have been noted by now: what lies further ahead must hold nobody up until it comes. */
export function latestNoted(now: Date): Date {
  return new Date(now.getTime() + SKEW_MS)
}
