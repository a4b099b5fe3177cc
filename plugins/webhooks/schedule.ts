/** When a message is sent again: soon at first, then for more than a day, as Standard Webhooks advise. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pause after each failed attempt, in milliseconds; after the last one a message is given up. */
const PAUSES_MS: readonly number[] = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** So long a receiver may ask to be left alone, in milliseconds. */
const LONGEST_MS = 24 * HOUR

/** Statuses that say that the receiver as a whole has too much to do. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/** A pause spread by a tenth, so that messages that failed together do not come back together. */
function spread(ms: number, random: number): number {
  return ms * (0.9 + random / 5)
}

/** The pauses after an attempt that failed; `number` is 1 for the first one, `random` from 0 to 1. */
export function pausesAfter(
  number: number,
  answer: { readonly status: number | null; readonly retryInMs: number | undefined },
  random: number,
): { readonly nextMs: number | undefined; readonly webhookMs: number | undefined } {
  const pause = PAUSES_MS[number - 1]
  if (pause === undefined) return { nextMs: undefined, webhookMs: undefined }
  const asked = answer.retryInMs === undefined ? undefined : Math.min(answer.retryInMs, LONGEST_MS)
  const isBusy = answer.status !== null && BUSY.has(answer.status)
  return { nextMs: Math.max(spread(pause, random), asked ?? 0), webhookMs: isBusy ? asked : undefined }
}
