/** Runs one job as whom it asks, with a context like that of every plugin function. */
import { executionOf, type Foundation, inTransaction, runLeft, type Work } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { type Actor, ANONYMOUS, SYSTEM } from '../actor.ts'
import type { Json } from '../json.ts'
import type { JobContext, Jobs, Taken } from './job.ts'
import type { Run } from './worker-parts.ts'

/** Who a job runs as by the id that was noted; null when there is nobody of that id any more. */
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
  if (actor === null) throw new Error('whoever it was to run as is not there any more')
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
