/** Runs one job as its actor, with the context of a plugin function and within a time limit. */

import { type Actor, ANONYMOUS, SYSTEM } from '../actor.ts'
import { unlessAborted } from '../breaker.ts'
import { pluginContext } from '../context/plugin-context.ts'
import type { Json } from '../json.ts'
import { executionOf, type Foundation, inTransaction, runLeft, type Work } from '../run/execution.ts'
import type { JobContext, Jobs, Taken } from './job.ts'
import type { Run } from './worker-parts.ts'

/** The actor of a stored id; null when there is no account of that id any more. */
export type ActorOf = (id: number) => Promise<Actor | null>

/** Runs a job to its result; rejects with whatever went wrong. */
export async function runJob(
  foundation: Foundation,
  jobs: Jobs,
  actorOf: ActorOf,
  taken: Taken,
  run: Run,
): Promise<Json | undefined> {
  const job = jobs.get(taken.name)
  if (job === undefined) throw new Error(`no plugin has a job ${taken.name}`)
  const actor = await runner(taken, actorOf)
  if (actor === null) throw new Error('the account that it was to run as is not there any more')
  const left: Work[] = []
  const requestId = `job:${taken.id}`
  const call = executionOf(foundation, { actor, requestId, afterCommit: (work) => void left.push(work) })
  const context: JobContext = {
    ...pluginContext(call, job.options),
    ...run,
    id: taken.id,
    createdAt: taken.createdAt,
    attempt: taken.attempt,
    transaction: (work) =>
      inTransaction(call, (inner) => {
        if (inner.transaction === undefined) throw new Error('a transaction is open here')
        return work({ ...pluginContext(inner, job.options), transaction: inner.transaction })
      }),
  }
  const result = await job.value.run(context, taken.payload)
  await runLeft(call, left)
  return result
}

async function runner({ actorId, runsAs }: Taken, actorOf: ActorOf): Promise<Actor | null> {
  if (runsAs === 'system') return SYSTEM
  return actorId === null ? ANONYMOUS : actorOf(actorId)
}

export type RunJob = (job: Taken, run: Run) => Promise<Json | undefined>

/**
 * `run` within `limitMs` of the job, counted again from each progress. A longer run is stopped by its signal, and rejects
 * even if it does not stop: an outside server or a library may keep it waiting for ever.
 */
export function withinTime(run: RunJob, limitMs: (job: Taken) => number): RunJob {
  return async (job, around) => {
    const ms = limitMs(job)
    const late = new AbortController()
    const giveUp = (): void => late.abort(new Error(`it came no further for ${ms / 1_000} s`))
    let timer = setTimeout(giveUp, ms).unref()
    let furthest = job.progress
    const progress = async (percent: number): Promise<void> => {
      if (percent > furthest) {
        furthest = percent
        clearTimeout(timer)
        timer = setTimeout(giveUp, ms).unref()
      }
      await around.progress(percent)
    }
    try {
      const signal = AbortSignal.any([around.signal, late.signal])
      return await unlessAborted(run(job, { ...around, signal, progress }), late.signal)
    } finally {
      clearTimeout(timer)
    }
  }
}
