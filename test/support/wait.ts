/** Waiting in tests for what a job, a connection or another process does. */
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** An answer that takes long is asked for less often: most of the processor is left to what the test waits for. */
const REST = 4

/** The share of a core that a process gets: less than one where the machine has more work than cores. */
export function share(): number {
  const [load = 0] = loadavg()
  return Math.min(1, availableParallelism() / Math.max(load, 1))
}

/** Asks again and again until it holds; rejects when it has not within so many milliseconds, or more on a busy machine. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  let left = ms
  for (;;) {
    const asked = performance.now()
    if (await holds()) return
    if (left <= 0) throw new Error(`it did not come to that within ${ms} ms`)
    await sleep(Math.max(5, Math.min(100, (performance.now() - asked) * REST)))
    left -= (performance.now() - asked) * share()
  }
}
