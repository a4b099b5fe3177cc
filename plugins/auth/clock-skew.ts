/** Stored moments that are in the future, because the clock of a machine was set back. */

/** The most by which the clocks of two instances may differ, in milliseconds. */
const SKEW_MS = 60_000

/** The latest stored moment that can be true; a later one must not keep anybody waiting. */
export function latestNoted(now: Date): Date {
  return new Date(now.getTime() + SKEW_MS)
}
