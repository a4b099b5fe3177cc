/** Waiting in tests for what a job, a connection or another process does. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Asks again and again until it holds; rejects when it has not within so many milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  const end = Date.now() + ms
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it did not come to that within ${ms} ms`)
    await sleep(5)
  }
}
