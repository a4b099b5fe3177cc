/** Runs something when it is asked to, and after a while by itself; never twice at a time, and never too often. */

export interface Pacer {
  /** Runs soon; calls that come together make one run, which begins after the last of them. */
  wake(): void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  close(): void
}

export interface Paced {
  /** The least time from one run to the next, in milliseconds; a run that took longer is followed by a pause as long as it, but three times this at most. */
  readonly pauseMs: () => number
  /** After how long it runs unasked; undefined: never. */
  readonly pollMs: () => number | undefined
  /** While it is not, nothing runs. */
  readonly isWanted: () => boolean
  /** Never rejects. */
  readonly run: () => Promise<void>
}

/** A pacer that waits to be asked. */
export function createPacer({ isWanted, pauseMs, pollMs, run }: Paced): Pacer {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let rings = Number.POSITIVE_INFINITY
  let running: Promise<void> | undefined
  let again = false
  let ended = Number.NEGATIVE_INFINITY
  let took = 0

  function runIn(ms: number): void {
    const at = performance.now() + ms
    if (closed || rings <= at) return
    clearTimeout(timer)
    rings = at
    timer = setTimeout(begin, ms).unref()
  }
  function begin(): void {
    rings = Number.POSITIVE_INFINITY
    if (closed || running !== undefined || !isWanted()) return
    const began = performance.now()
    again = false
    running = run().finally(() => {
      ended = performance.now()
      took = ended - began
      running = undefined
      const poll = pollMs()
      if (again) wake()
      else if (poll !== undefined && isWanted()) runIn(poll)
    })
  }
  function pause(): number {
    const least = pauseMs()
    return Math.max(least, Math.min(took, least * 3))
  }
  function wake(): void {
    again = true
    if (running === undefined && isWanted()) runIn(Math.max(0, ended + pause() - performance.now()))
  }
  return {
    wake,
    idle: async () => {
      while (running !== undefined) await running
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
