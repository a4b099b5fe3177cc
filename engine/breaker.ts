/** ⇄ Outside servers: each call of one ends, and one that cannot be reached is left alone for a while, so that only its own work stops. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { ApiError } from './error.ts'
import { LIMITS } from './limits.ts'
import { memo } from './memo.ts'
import type { Logger } from './observe.ts'
import type { Settings } from './settings.ts'

/** The state of one outside server. */
export interface Standing {
  /** `smtp`, `s3 https://files.example.com`. */
  readonly server: string
  /** `half_open`: the pause is over, and one call finds out whether the server is back. */
  readonly state: 'closed' | 'open' | 'half_open'
  /** Calls in a row that did not reach it. */
  readonly failures: number
  /** Milliseconds until the next call; 0 unless it is open. */
  readonly retryInMs: number
}

export interface Breaker {
  /**
   * Runs one call of the server, which must have a time limit of its own. While the breaker is open it rejects with
   * BreakerOpen without running `work`.
   */
  run<T>(work: () => Promise<T>): Promise<T>
  /** The number of calls that may begin now. */
  places(): number
  standing(): Standing
}

/** A call that was not made, because the server did not answer the calls before it. For a request it is a 503. */
export class BreakerOpen extends ApiError {
  /** Milliseconds until the next call. */
  readonly retryInMs: number

  constructor(server: string, retryInMs: number) {
    const cause = new Error(`${server} does not answer and is left alone for ${Math.ceil(retryInMs / 1000)} s`)
    super('unavailable', { retryAfter: Math.max(1, Math.ceil(retryInMs / 1000)), cause })
    this.name = 'BreakerOpen'
    this.retryInMs = retryInMs
  }
}

/** Codes of sockets, fetch and nodemailer for a server that cannot be reached or falls silent. */
const UNREACHABLE =
  /^(ECONN(REFUSED|RESET|ABORTED|ECTION)|ENOTFOUND|EAI_AGAIN|E?TIMEDOUT|EPIPE|E(HOST|NET)UNREACH|EDNS|ESOCKET|ETLS|UND_ERR_.+|TimeoutError)$/

/** Whether an error, or one that caused it, means that a server could not be reached or did not answer in time. */
export function isUnreachable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false
  const { code, name, cause }: { code?: unknown; name?: unknown; cause?: unknown } = error
  return [code, name].some((word) => UNREACHABLE.test(String(word))) || isUnreachable(cause, depth + 1)
}

interface Options {
  /** Monotonic, in milliseconds. */
  readonly clock?: () => number
  /** Errors that mean no answer; every other error is an answer. */
  readonly counts?: (error: unknown) => boolean
  /** Called when it opens and when it closes. */
  readonly told?: (standing: Standing) => void
}

/** The state of a breaker: the one place that changes. */
interface State {
  failures: number
  /** How often it opened since the last answer. */
  opened: number
  /** The end of its pause, by its clock. */
  until: number
  probing: boolean
}

/** A breaker that opens after LIMITS.breakerFailures successive calls without an answer. */
export function createBreaker(server: string, options: Options = {}): Breaker {
  const { clock = () => performance.now(), counts = isUnreachable, told = () => undefined } = options
  const state: State = { failures: 0, opened: 0, until: 0, probing: false }
  const standing = (): Standing => standingOf(server, state, clock())
  const places = (): number => placesOf(standing(), state)
  return {
    places,
    standing,
    async run(work) {
      if (places() === 0) throw new BreakerOpen(server, Math.max(standing().retryInMs, LIMITS.breakerProbeMs))
      const isProbe = state.opened > 0
      state.probing ||= isProbe
      const end = (isSilent: boolean): void => {
        if (isProbe) state.probing = false
        if (note(state, isSilent, isProbe, clock())) told(standing())
      }
      try {
        const result = await work()
        end(false)
        return result
      } catch (error) {
        end(counts(error))
        throw error
      }
    },
  }
}

function standingOf(server: string, { failures, opened, until }: State, now: number): Standing {
  const retryInMs = opened === 0 ? 0 : Math.max(0, until - now)
  const state = opened === 0 ? 'closed' : retryInMs > 0 ? 'open' : 'half_open'
  return { server, state, failures, retryInMs }
}

function placesOf({ state }: Standing, { probing }: State): number {
  if (state === 'closed') return Number.POSITIVE_INFINITY
  return state === 'half_open' && !probing ? 1 : 0
}

/** Records the outcome of a call; returns whether the breaker opened or closed. */
function note(state: State, isSilent: boolean, isProbe: boolean, now: number): boolean {
  if (!isSilent) {
    const wasOpen = state.opened > 0
    state.failures = 0
    state.opened = 0
    return wasOpen
  }
  state.failures++
  // A call from before the opening says nothing new.
  if (!isProbe && (state.opened > 0 || state.failures < LIMITS.breakerFailures)) return false
  state.until = now + Math.min(LIMITS.breakerPauseMs * 2 ** state.opened, LIMITS.breakerPauseMostMs)
  state.opened++
  return true
}

/** The breakers of one process. */
export interface Breakers {
  readonly byServer: Map<string, Breaker>
  /** Called for every breaker that opens or closes. */
  told: (standing: Standing) => void
}

const breakersOf = memo((_: Settings): Breakers => ({ byServer: new Map(), told: () => undefined }))

/**
 * The one breaker of a process for an outside server. Its name is what operators read: the kind of the server, and its
 * address where there may be several; never a secret.
 *
 *     await breakerOf(settings, 'smtp').run(() => transport.sendMail(mail))
 */
export function breakerOf(settings: Settings, server: string, options: Pick<Options, 'counts'> = {}): Breaker {
  const breakers = breakersOf(settings)
  const there = breakers.byServer.get(server)
  if (there !== undefined) return there
  if (breakers.byServer.size >= LIMITS.breakers) forgetIdle(breakers)
  const made = createBreaker(server, { ...options, told: (standing) => breakers.told(standing) })
  breakers.byServer.set(server, made)
  return made
}

/** Breakers without failures know no more than a new one. */
function forgetIdle({ byServer }: Breakers): void {
  for (const [server, breaker] of byServer) if (breaker.standing().failures === 0) byServer.delete(server)
}

/** The state of each outside server that this process has called. */
export function standings(settings: Settings): readonly Standing[] {
  return [...breakersOf(settings).byServer.values()].map((breaker) => breaker.standing())
}

/** The same for /readyz: work with a server waits while it is out, and everything else is served. */
export function outsideChecks(settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(standings(settings).map(({ server, state }) => [server, state === 'closed' ? 'ok' : 'out']))
}

/** Logs whenever a breaker of this process opens or closes. */
export function logBreakers(settings: Settings, log: Pick<Logger, 'info' | 'warn'>): void {
  breakersOf(settings).told = ({ server, state, retryInMs }) => {
    if (state === 'closed') log.info({ server }, 'an outside server answers again')
    else log.warn({ server, retryInMs }, 'an outside server does not answer and is left alone')
  }
}

/**
 * The answer to a request. Rejects with the connection's error, or with a code that breakers know where the connection
 * ends without one: Node reports a change of the protocol (RFC 9110, 15.2.2) and a close without an error.
 */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      reject(new Error(`The server answered ${statusCode}: it changes the protocol, which nobody asked for`))
    })
    request.once('close', () =>
      reject(Object.assign(new Error('The connection ended without an answer'), { code: 'ECONNRESET' })),
    )
  })
}

/** The result of work; rejects with the reason of the signal once it is aborted, whatever the work does then. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
