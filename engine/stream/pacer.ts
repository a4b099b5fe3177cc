/** Runs work when it is asked for, and otherwise after a while; never twice at a time, and never too often. */

export interface Pacer {
  /** Runs soon. Calls that come together make one run, which begins after the last of them. */
  wake(): void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  close(): void
}

export interface Paced {
  /**
   * The least time between two runs, in milliseconds. After a longer run the pause is as long as the run, but at most
   * three times this.
   */
  readonly pauseMs: () => number
  /** The time after which it runs without being asked; undefined: never. */
  readonly pollMs: () => number | undefined
  /** Nothing runs while this is false. */
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
