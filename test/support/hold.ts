/** How long work keeps a process from everything else. */
import { setImmediate } from 'node:timers/promises'

export interface Held {
  /** Time of the whole work, in milliseconds. */
  readonly whole: number
  /** The longest piece of it in which nothing else had a turn. */
  readonly longest: number
}

/** The work is measured so often at most: a collection of garbage holds one of them, a piece that is too long each. */
const TRIES = 4

/**
 * Measures how long work holds the process.
 * Work with a piece that takes more than `share` of the whole is measured again; the best measurement is answered.
 */
export async function heldBy(work: () => Promise<unknown>, share: number): Promise<Held> {
  let best = await measured(work)
  for (let tries = 1; tries < TRIES && best.longest >= best.whole * share; tries += 1) {
    const next = await measured(work)
    if (next.longest / next.whole < best.longest / best.whole) best = next
  }
  return best
}

/**
 * Starts a watch; it answers the milliseconds since then.
 * Other programs lengthen the time by the clock, other threads of this process its processor time: the smaller one counts.
 */
function watch(): () => number {
  const clock = performance.now()
  const used = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(used)
    return Math.min((system + user) / 1_000, performance.now() - clock)
  }
}

async function measured(work: () => Promise<unknown>): Promise<Held> {
  let longest = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const taken = watch()
      await setImmediate()
      longest = Math.max(longest, taken())
    }
  })()
  const taken = watch()
  await work().finally(() => {
    isOver = true
  })
  const whole = taken()
  await watching
  return { whole, longest }
}
