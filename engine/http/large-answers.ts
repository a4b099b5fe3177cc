/**
 * The places of large answers, such as exports. Each holds rows in memory and asks for more as its reader takes them, so
 * a few are sent at a time, and a reader that takes nothing, or next to nothing while others wait, loses its place.
 */
import type { ServerResponse } from 'node:http'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'

export interface LargeAnswers {
  /** Takes a place until the response is closed; throws unavailable where none is free. */
  begin(response: ServerResponse): void
  /** How many are being sent, and how many were refused so far. */
  figures(): { readonly sending: number; readonly refused: number }
}

interface Sending {
  readonly response: ServerResponse
  /** Monotonic, in milliseconds, and what its connection had sent by then. */
  readonly since: number
  readonly bytes: number
}

/** Whether a reader has had its minimum time and reads slower than any connection that people use for downloads. */
function isSlow({ response, since, bytes }: Sending, now: number): boolean {
  const seconds = (now - since) / 1_000
  const sent = (response.socket?.bytesWritten ?? bytes) - bytes
  return now - since > LIMITS.slowReaderMs && sent / seconds < LIMITS.slowReaderBytes
}

/** The places of one process. */
export function createLargeAnswers(): LargeAnswers {
  const sending = new Set<Sending>()
  let refused = 0

  function makeRoom(now: number): void {
    if (sending.size < LIMITS.largeAnswers) return
    const slow = [...sending].find((one) => isSlow(one, now))
    if (slow === undefined) {
      refused += 1
      throw new ApiError('unavailable', { message: 'Too many exports are under way; try again', retryAfter: 5 })
    }
    sending.delete(slow)
    slow.response.destroy()
  }

  return {
    begin(response) {
      const now = performance.now()
      makeRoom(now)
      const one = { response, since: now, bytes: response.socket?.bytesWritten ?? 0 }
      sending.add(one)
      response.once('close', () => sending.delete(one))
      response.setTimeout(LIMITS.stalledMs, () => response.destroy())
    },
    figures: () => ({ sending: sending.size, refused }),
  }
}
