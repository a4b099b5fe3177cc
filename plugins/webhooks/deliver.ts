/** Job: sends what is due, many at a time beside each other, until nothing is. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobContext, Json } from '../../engine/index.ts'
import { attempt } from './attempt.ts'
import { DELIVER, ONE } from './listen.ts'
import { nextAttemptAt, takeAttempts, webhooksDue } from './queue.ts'
import { receiversOf, roomsFor } from './receivers.ts'

/** After so long a run lets another one go on, which may be of a newer application. */
const RUN_MS = 60_000
/** How often it looks for what has become due while attempts are under way. */
const LOOK_MS = 250
/** How soon it is looked again for what is due and could not begin, because its receiver is left alone. */
const LEFT_ALONE_MS = 10_000

/** `webhooks.deliver`. Its place in the queue is one, however many receivers are slow. */
export async function deliver(context: JobContext): Promise<Json> {
  const count = { delivered: 0, failed: 0 }
  const { signal } = context
  const receivers = receiversOf(context)
  const underWay = new Set<Promise<void>>()
  const broken: unknown[] = []
  const ends = performance.now() + RUN_MS
  for (let isDone = false; !isDone && !signal.aborted && broken.length === 0 && performance.now() < ends; ) {
    const rooms = roomsFor(receivers, await webhooksDue(context))
    const taken = rooms.length === 0 ? [] : await takeAttempts(context, rooms)
    for (const one of taken) {
      const made = attempt(context, one)
        .then(
          (end) => {
            if (end !== 'none') count[end] += 1
          },
          (error: unknown) => void broken.push(error),
        )
        .finally(() => underWay.delete(made))
      underWay.add(made)
    }
    isDone = taken.length === 0 && underWay.size === 0
    if (!isDone) await Promise.race([...underWay, sleep(LOOK_MS)])
  }
  if (performance.now() >= ends) await context.enqueue(DELIVER, {}, ONE)
  await Promise.all(underWay)
  if (broken.length > 0) throw broken[0]
  if (!signal.aborted) await comeBack(context)
  return count
}

/** Has a job wait for what is due next. */
async function comeBack(context: JobContext): Promise<void> {
  const leftAlone = (await webhooksDue(context)).length > 0 ? new Date(Date.now() + LEFT_ALONE_MS) : undefined
  const next = await nextAttemptAt(context)
  const at = [next, leftAlone].filter((one) => one !== undefined).sort((a, b) => a.getTime() - b.getTime())[0]
  if (at !== undefined) await context.enqueue(DELIVER, {}, { ...ONE, runAt: at })
}
