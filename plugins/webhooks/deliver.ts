/**
 * Jobs: `webhooks.deliver` sends everything that is due, many attempts at once; `webhooks.tidy` gives up old messages
 * and switches off dead webhooks.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { JobContext, Json } from '../../engine/index.ts'
import { attempt } from './attempt.ts'
import { PAUSED, pause } from './owner.ts'
import { failingFor, giveUpOld, nextAttemptAt, takeAttempts, webhooksDue } from './queue.ts'
import { receiversOf, roomsFor } from './receivers.ts'
import { DELIVER, ONE } from './webhook.ts'

/** After this time a run makes way for another, perhaps of a newer application. */
const RUN_MS = 60_000
/** The time between two looks for due messages while attempts run. */
const LOOK_MS = 250
/** The time until the next look for messages that are due and had to wait for their receiver. */
const LEFT_ALONE_MS = 10_000

/** It has one place in the queue of jobs, however many receivers are slow. */
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

/** Enqueues a job for the next due message. */
async function comeBack(context: JobContext): Promise<void> {
  const leftAlone = (await webhooksDue(context)).length > 0 ? new Date(Date.now() + LEFT_ALONE_MS) : undefined
  const next = await nextAttemptAt(context)
  const at = [next, leftAlone].filter((one) => one !== undefined).sort((a, b) => a.getTime() - b.getTime())[0]
  if (at !== undefined) await context.enqueue(DELIVER, {}, { ...ONE, runAt: at })
}

/** After this many days a message is given up, also after few attempts: a receiver that is left alone gets few. */
const MOST_DAYS = 3
/** After this many days without a success a webhook is switched off. */
const FAILING_DAYS = 5

/** `webhooks.tidy`. */
export async function tidy(context: JobContext): Promise<Json> {
  const { adhoc } = context.database
  const givenUp = await giveUpOld(context, MOST_DAYS)
  const failing = await failingFor(context, adhoc, FAILING_DAYS)
  for (const id of failing) await pause(context, adhoc, id, PAUSED.failing)
  return { given_up: givenUp, switched_off: failing.length }
}
