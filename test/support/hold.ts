/** How long work keeps a process from everything else. */
import { setImmediate } from 'node:timers/promises'

export interface Held {
  /** Processor time of the whole work, in milliseconds. */
  readonly whole: number
  /** The longest piece of it in which nothing else had a turn. */
  readonly longest: number
}

/** Does work, and measures it by processor time: other programs of the machine count for nothing. */
export async function heldBy(work: () => Promise<unknown>): Promise<Held> {
  const used = (since?: NodeJS.CpuUsage): number => {
    const { system, user } = process.cpuUsage(since)
    return (system + user) / 1_000
  }
  let longest = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const before = process.cpuUsage()
      await setImmediate()
      longest = Math.max(longest, used(before))
    }
  })()
  const began = process.cpuUsage()
  await work().finally(() => {
    isOver = true
  })
  const whole = used(began)
  await watching
  return { whole, longest }
}
