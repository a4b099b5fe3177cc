/** One run of a job to its end ⇄: completed, tried again later, postponed, or given up. */
import { setTimeout as after } from 'node:timers/promises'
import { BreakerOpen } from '../breaker.ts'
import type { Runner } from '../database/database.ts'
import type { Json } from '../json.ts'
import { JobGivenUp, type Taken } from './job.ts'
import { completeJobs, type Done, ownJob } from './queue.ts'
import type { WorkerParts } from './worker-parts.ts'

/** Records that a job of the owner is completed; false when another process has it by now. */
export type Complete = (job: Taken, result: Json | undefined) => Promise<boolean>

/** How long a completed job waits for others, to be recorded together. */
const GATHER_MS = 5

interface Waiting {
  readonly done: Done
  readonly resolve: (isMine: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Records completed jobs of one owner, by one statement at a time for all that wait. */
export function completer(runner: Runner, owner: string): Complete {
  let waiting: Waiting[] = []
  let isNoting = false
  const note = async (): Promise<void> => {
    isNoting = true
    while (waiting.length > 0) {
      await after(GATHER_MS)
      const batch = waiting
      waiting = []
      try {
        const mine = await completeJobs(
          runner,
          owner,
          batch.map(({ done }) => done),
        )
        for (const { done, resolve } of batch) resolve(mine.has(done.id))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isNoting = false
  }
  return ({ attempt, id }, result) =>
    new Promise<boolean>((resolve, reject) => {
      waiting.push({ done: { id, attempt, result }, resolve, reject })
      if (!isNoting) void note()
    })
}

/**
 * Runs a job in a gap between requests and records its end; never rejects. A job that another process has taken over is
 * left to that.
 */
export async function runToEnd(
  parts: WorkerParts,
  owner: string,
  job: Taken,
  controller: AbortController,
  complete: Complete,
): Promise<void> {
  const { log, runner } = parts
  const { signal } = controller
  const told = { job: job.name, id: job.id, attempt: job.attempt }
  let [furthest, progressedAttempt] = [job.progress, job.progressedAttempt]
  const fruitless = (): number => job.attempt - progressedAttempt
  const progress = async (percent: number): Promise<void> => {
    const whole = Math.max(0, Math.min(100, Math.floor(percent)))
    const isFurther = whole > furthest
    if (!(await ownJob.progress(runner, owner, job, whole, isFurther)))
      return controller.abort(new Error('the job was taken over'))
    if (isFurther) [furthest, progressedAttempt] = [whole, job.attempt]
  }
  const lastAttempt = (): boolean => fruitless() >= job.attempts
  await parts.gap(parts.limits.jobGapMs)
  if (signal.aborted) return
  try {
    const result = await parts.run(job, { signal, progress, lastAttempt })
    if (signal.aborted) return
    if (!(await complete(job, result))) log.warn(told, 'job done twice: its lease had run out')
    else parts.completed(job.name, result)
  } catch (error) {
    if (signal.aborted) return
    const end = endOf(error, lastAttempt())
    log[end.level]({ ...told, err: error }, end.message)
    const noted =
      end.kind === 'fail'
        ? ownJob.fail(runner, owner, job, error)
        : ownJob[end.kind](runner, owner, job, error, pauseMs(parts, error, fruitless()))
    // Where even that fails, the lease runs out and the job is tried again.
    await noted.catch((failure: unknown) => log.warn({ ...told, err: failure }, 'the end of a job was not noted'))
  }
}

function endOf(error: unknown, isLast: boolean) {
  if (error instanceof BreakerOpen)
    return { kind: 'postpone', level: 'debug', message: 'job waits for a server that is left alone' } as const
  if (error instanceof JobGivenUp)
    return { kind: 'fail', level: 'warn', message: 'job set aside: to try it again would be in vain' } as const
  if (isLast) return { kind: 'fail', level: 'error', message: 'job given up' } as const
  return { kind: 'retry', level: 'warn', message: 'job failed and will be tried again' } as const
}

/** Doubled with each attempt, and spread, so that jobs that failed together do not come back together. */
function pauseMs({ limits, random }: WorkerParts, error: unknown, attempts: number): number {
  const spread = 0.5 + random() / 2
  if (error instanceof BreakerOpen) return error.retryInMs + limits.jobBackoffMs * spread
  const pause = Math.min(limits.jobBackoffMs * 2 ** Math.max(0, attempts - 1), limits.jobBackoffMostMs)
  return pause * spread
}
