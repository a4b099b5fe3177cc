/** Starts the jobs of an application in this process ⇄, with whatever application is current when one begins. */

import { randomUUID } from 'node:crypto'
import { breakerOf } from '../breaker.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Foundation } from '../run/execution.ts'
import type { Store } from '../store/store.ts'
import { durationMs } from '../text/duration.ts'
import type { JobContribution, Jobs, Taken } from './job.ts'
import type { Kind } from './places.ts'
import { JOBS } from './queue.ts'
import { type ActorOf, runJob, withinTime } from './run.ts'
import type { Scheduled } from './schedule.ts'
import { startWorker, type Worker } from './worker.ts'
import type { Run, WorkerLimits } from './worker-parts.ts'

export interface Current {
  readonly foundation: Foundation
  readonly jobs: Jobs
  readonly actorOf: ActorOf
}

/** The parts that jobs get from the process, not from the application. */
export interface JobsAround {
  readonly store: Pick<Store, 'subscribe'>
  /** From 0 to 1. */
  readonly random: () => number
  /** Called with each completed scheduled job and its result. */
  readonly tidied: (name: string, result: Json | undefined) => void
  /** `Admission.gap`. */
  readonly gap: (mostMs: number) => Promise<void>
  /** Counts the queue, now and then. */
  readonly measure: () => Promise<void>
}

/** Takes jobs until it is closed. */
export function startJobs({ store, random, tidied, gap, measure }: JobsAround, current: () => Current): Worker {
  const { foundation } = current()
  const { log } = foundation
  const limits = foundation.catalog.limits as Readonly<Record<string, number>> & WorkerLimits
  const begin = (job: Taken, around: Run): Promise<Json | undefined> => {
    const { foundation, jobs, actorOf } = current()
    return runJob(foundation, jobs, actorOf, job, around)
  }
  const run = withinTime(begin, ({ name }) => {
    const job = current().jobs.get(name)?.value
    return job !== undefined && isLong(job) ? limits.jobLongMs : limits.jobMs
  })
  const completed = (name: string, result: Json | undefined): void => {
    if (current().jobs.get(name)?.value.every !== undefined) tidied(name, result)
  }
  const worker = startWorker({
    runner: foundation.database.adhoc,
    log,
    limits,
    kinds: () => kindsOf(current()),
    scheduled: () => scheduledOf(current().jobs, false),
    run,
    gap,
    completed,
    measure: () => measure().catch((error: unknown) => log.debug({ err: error }, 'the queue of jobs was not counted')),
    random,
  })
  store.subscribe(JOBS, worker.wake, worker.wake)
  const lookMs = limits.jobScheduleMs
  const own = startEachInstance({ log, jobs: () => scheduledOf(current().jobs, true), run, completed, lookMs })
  return {
    wake: worker.wake,
    close: async (ms) => void (await Promise.all([worker.close(ms), own.close()])),
  }
}

function isLong({ every, long = every !== undefined }: JobContribution): boolean {
  return long
}

function isEachInstance({ eachInstance = false }: JobContribution): boolean {
  return eachInstance
}

function kindsOf({ foundation, jobs }: Current): readonly Kind[] {
  return [...jobs].flatMap(([name, { value }]): Kind[] => {
    const { concurrency, prefetch = 0, server } = value
    const admits = (): number =>
      server === undefined ? Number.POSITIVE_INFINITY : breakerOf(foundation.settings, server).places()
    return isEachInstance(value) ? [] : [{ name, concurrency, prefetch, long: isLong(value), admits }]
  })
}

/** The jobs with a schedule: those of all instances together, or those of each. */
export function scheduledOf(jobs: Jobs, eachInstance: boolean): readonly Scheduled[] {
  return [...jobs].flatMap(([name, { value }]) => {
    const ms = value.every === undefined ? undefined : durationMs(value.every)
    if (ms === undefined || isEachInstance(value) !== eachInstance) return []
    return [{ name, everyMs: ms, attempts: value.attempts ?? LIMITS.jobAttempts }]
  })
}

interface EachInstanceParts {
  readonly log: Logger
  readonly jobs: () => readonly Scheduled[]
  readonly run: (job: Taken, run: Run) => Promise<Json | undefined>
  readonly completed: (name: string, result: Json | undefined) => void
  /** How often it is looked whether one is due, in milliseconds. */
  readonly lookMs: number
}

/** Runs them one after the other until it is closed; closing stops the present one and waits for it. */
function startEachInstance(parts: EachInstanceParts): { close(): Promise<void> } {
  const controller = new AbortController()
  const ranAt = new Map<string, number>()
  let running: Promise<void> | undefined
  const look = (): void => {
    running ??= runDue(parts, ranAt, controller.signal).finally(() => {
      running = undefined
    })
  }
  const timer = setInterval(look, parts.lookMs).unref()
  look()
  return {
    async close() {
      clearInterval(timer)
      controller.abort(new Error('the process stops'))
      await running
    },
  }
}

async function runDue(parts: EachInstanceParts, ranAt: Map<string, number>, signal: AbortSignal): Promise<void> {
  for (const { name, everyMs, attempts } of parts.jobs()) {
    const last = ranAt.get(name)
    if (signal.aborted || (last !== undefined && performance.now() - last < everyMs)) continue
    ranAt.set(name, performance.now())
    const begun = { attempt: 1, attempts, progressedAttempt: 0, progress: 0, payload: {}, actorId: null }
    const job: Taken = { id: randomUUID(), name, createdAt: new Date(), runsAs: 'system', ...begun }
    try {
      const result = await parts.run(job, { signal, progress: async () => undefined, lastAttempt: () => false })
      parts.completed(name, result)
    } catch (error) {
      if (!signal.aborted)
        parts.log.warn({ job: name, err: error }, 'job failed and will run again when its time comes')
    }
  }
}
