/**
 * Limits how many requests are in flight. Requests beyond what the process and its database can serve would only wait
 * inside, and delay every answer. The limit follows the two queues that can be measured: the wait for a database
 * connection, and the lateness of the event loop. It is the control loop of CoDel (RFC 8289: a queue longer than its
 * target for a while is overload, a short one is a burst) on the number of requests in flight.
 */
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import { createLargeAnswers, type LargeAnswers } from './large-answers.ts'

/** The figures of admission, for /metrics. */
export interface AdmissionFigures {
  /** Requests so far. */
  readonly admitted: number
  readonly refused: number
  /** The limit of requests in flight, and the requests in flight. */
  readonly limit: number
  readonly inFlight: number
  /** The wait of requests at present, in milliseconds. */
  readonly waitMs: number
  /** Large answers being sent, and large answers refused so far. */
  readonly large: ReturnType<LargeAnswers['figures']>
}

export interface Admission {
  readonly largeAnswers: LargeAnswers
  /** Takes a place for a request; false: refuse it. */
  enter(): boolean
  /** Gives back the place of a request whose answer is made. */
  leave(): void
  /**
   * Resolves when no request is in flight, and after this many milliseconds at the latest: for work that nobody waits
   * for.
   */
  gap(mostMs: number): Promise<void>
  /** The error for a refused request; the pauses differ, so that callers do not come back together. */
  refusal(): ApiError
  figures(): AdmissionFigures
}

/** The least and the most by which one check lowers the limit. */
const NARROW_LEAST = 0.95
const NARROW_MOST = 0.7
/** By how much one check raises the limit: after requests were refused, and when none were. */
const WIDEN = 1.1
const RELAX = 1.25
/** Seconds that refused callers are told to wait, in turn. */
const PAUSES = [1, 2, 3]

/** Measures how late the event loop is: a timer is set for each window, and its delay is the lateness. */
function loopLateness(): { begin(now: number): void; take(now: number): number } {
  let due = 0
  let late = 0
  const measure = (): void => {
    if (Number.isNaN(late)) late = performance.now() - due
  }
  return {
    begin(now) {
      due = now + LIMITS.admissionWindowMs / 2
      late = Number.NaN
      setTimeout(measure, LIMITS.admissionWindowMs / 2).unref()
    },
    take: (now) => Math.max(0, Number.isNaN(late) ? now - due : late),
  }
}

/** The next limit, from the shortest wait of the last two windows. */
export function nextLimit(limit: number, waitMs: number, peak: number, refused: boolean): number {
  if (waitMs > LIMITS.waitTargetMs) {
    const narrowed = Math.min(NARROW_LEAST, Math.max(NARROW_MOST, LIMITS.waitTargetMs / waitMs))
    return Math.max(LIMITS.inFlightLeast, Math.floor(Math.min(limit, peak) * narrowed))
  }
  return Math.min(LIMITS.inFlightMost, Math.ceil(limit * (refused ? WIDEN : RELAX)))
}

/** The limit, and the state that leads to the next one. */
interface Control {
  limit: number
  waitMs: number
  /** Takes the measurements since the last call, and sets the limit. */
  look(now: number, seen: { readonly peak: number; readonly refused: boolean }): void
}

function createControl(waited: () => number): Control {
  const lateness = loopLateness()
  let lookedAt = 0
  let waitBefore = 0
  return {
    limit: LIMITS.inFlightMost,
    waitMs: 0,
    look(now, { peak, refused }) {
      const measured = Math.max(waited(), lateness.take(now))
      // After a pause without requests, the last measurement is too old to use.
      const wait = now - lookedAt > LIMITS.admissionWindowMs * 10 ? 0 : measured
      this.waitMs = Math.min(wait, waitBefore)
      this.limit = nextLimit(this.limit, this.waitMs, peak, refused)
      waitBefore = wait
      lookedAt = now
      lateness.begin(now)
    },
  }
}

/**
 * Admission for one process; `waited` is `Database.waited`. Measurements are looked at when requests come, and cost
 * nothing without requests.
 */
export function createAdmission({ waited, log }: { waited(): number; log: Logger }): Admission {
  const control = createControl(waited)
  const sayRefused = refusalLog(log)
  const largeAnswers = createLargeAnswers()
  const gaps = createGaps()
  const window = { began: 0, peak: 0, refused: 0 }
  let inFlight = 0
  let admitted = 0
  let refused = 0

  function look(now: number): void {
    control.look(now, { peak: window.peak, refused: window.refused > 0 })
    const { limit, waitMs } = control
    if (window.refused > 0) sayRefused(now, { refused: window.refused, limit, waitMs: Math.round(waitMs) })
    Object.assign(window, { began: now, peak: inFlight, refused: 0 })
  }

  return {
    largeAnswers,
    enter() {
      const now = performance.now()
      if (now - window.began > LIMITS.admissionWindowMs) look(now)
      if (inFlight >= control.limit) {
        refused += 1
        window.refused += 1
        return false
      }
      inFlight += 1
      admitted += 1
      if (inFlight > window.peak) window.peak = inFlight
      return true
    },
    leave() {
      inFlight -= 1
      if (inFlight === 0) gaps.come()
    },
    gap: (mostMs) => (inFlight === 0 ? Promise.resolve() : gaps.next(mostMs)),
    refusal() {
      const retryAfter = PAUSES[refused % PAUSES.length] ?? 1
      return new ApiError('unavailable', { message: 'The service is busy; try again', retryAfter })
    },
    figures() {
      const { limit, waitMs } = control
      return { admitted, refused, limit, inFlight, waitMs, large: largeAnswers.figures() }
    },
  }
}

/** Work that waits for a moment without requests. */
function createGaps(): { come(): void; next(mostMs: number): Promise<void> } {
  const waiting = new Set<() => void>()
  return {
    come() {
      for (const resume of waiting) resume()
    },
    next: (mostMs) =>
      new Promise((resolve) => {
        const resume = (): void => {
          clearTimeout(late)
          waiting.delete(resume)
          resolve()
        }
        const late = setTimeout(resume, mostMs)
        waiting.add(resume)
      }),
  }
}

/** Logs refused requests at most once in ten seconds, with their number: a line for each would add to the overload. */
function refusalLog(
  log: Logger,
): (now: number, told: { readonly refused: number; readonly limit: number; readonly waitMs: number }) => void {
  let lastAt = Number.NEGATIVE_INFINITY
  let untold = 0
  return (now, told) => {
    untold += told.refused
    if (now - lastAt < LIMITS.sayRefusedMs) return
    log.warn({ ...told, refused: untold }, 'overload: requests are refused')
    lastAt = now
    untold = 0
  }
}
