/** Keeps an outage from flooding the log: the first failure at once, then one line per ten seconds with a count. */
import type { Logger } from '../observe.ts'
import { failureCode } from './failure.ts'

const QUIET_MS = 10_000

/** Notes one failure of what is out; `now` is a monotonic time in milliseconds. */
export type NoteFailure = (error: unknown, now: number) => void

/** A note-taker that writes at most one line per ten seconds, with how many failures it stands for. */
export function outageLog(log: Logger, message = 'database unavailable'): NoteFailure {
  let lastAt = Number.NEGATIVE_INFINITY
  let unwritten = 0
  return (error, now) => {
    unwritten += 1
    if (now - lastAt < QUIET_MS) return
    const failures = unwritten
    lastAt = now
    unwritten = 0
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ code: failureCode(error), reason, failures }, message)
  }
}
