/**
 * The places of large answers, such as exports. Each holds rows in memory and reads more as its client takes them. So
 * only a few are sent at a time, and a client that takes nothing, or almost nothing while others wait, loses its place.
 */
import type { ServerResponse } from 'node:http'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'

export interface LargeAnswers {
  /**
   * Takes a place until the response is closed; throws unavailable where none is free, and too_many_requests where the
   * caller has its most.
   */
  begin(response: ServerResponse, caller: string): Place
  /** Large answers being sent, and large answers refused so far. */
  figures(): { readonly sending: number; readonly refused: number }
}

/** The place of one answer. */
export interface Place {
  /** The answer exists and can be sent; a refusal does not count for anybody. Throws too_many_requests like `begin`. */
  send(): void
}

interface Sending {
  readonly response: ServerResponse
  readonly caller: string
  /** Monotonic, in milliseconds, and the bytes that the connection had sent by then. */
  readonly since: number
  readonly bytes: number
  /** Whether it has an answer to send. */
  hasAnswer: boolean
}

/**
 * Whether a client has had its minimum time and reads more slowly than any connection that people use for downloads.
 */
function isSlow({ response, since, bytes }: Sending, now: number): boolean {
  const seconds = (now - since) / 1_000
  const sent = (response.socket?.bytesWritten ?? bytes) - bytes
  return now - since > LIMITS.slowReaderMs && sent / seconds < LIMITS.slowReaderBytes
}

function tooMany(): ApiError {
  return new ApiError('unavailable', { message: 'Too many exports are under way; try again', retryAfter: 5 })
}

function tooManyOfOne(): ApiError {
  const message = `You have ${LIMITS.largeAnswersPerCaller} exports under way; read one to its end first`
  return new ApiError('too_many_requests', { message, retryAfter: 5 })
}

/** The places of one process. */
export function createLargeAnswers(): LargeAnswers {
  const sending = new Set<Sending>()
  let refused = 0

  /** Ends a slow one where all places are taken; throws where none is slow. */
  function makeRoom(among: readonly Sending[], most: number, full: () => ApiError): void {
    if (among.length < most) return
    const now = performance.now()
    const slow = among.find((one) => isSlow(one, now))
    if (slow === undefined) {
      refused += 1
      throw full()
    }
    sending.delete(slow)
    slow.response.destroy()
  }

  function makeRoomOfOne(caller: string): void {
    const own = [...sending].filter((one) => one.caller === caller && one.hasAnswer)
    makeRoom(own, LIMITS.largeAnswersPerCaller, tooManyOfOne)
  }

  return {
    begin(response, caller) {
      makeRoomOfOne(caller)
      makeRoom([...sending], LIMITS.largeAnswers, tooMany)
      const one: Sending = {
        response,
        caller,
        hasAnswer: false,
        since: performance.now(),
        bytes: response.socket?.bytesWritten ?? 0,
      }
      sending.add(one)
      response.once('close', () => sending.delete(one))
      response.setTimeout(LIMITS.stalledMs, () => response.destroy())
      return {
        send() {
          makeRoomOfOne(caller)
          one.hasAnswer = true
        },
      }
    },
    figures: () => ({ sending: sending.size, refused }),
  }
}
