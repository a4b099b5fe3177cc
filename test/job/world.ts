/** A queue of jobs on a database of its own, and workers that take from it. */

import { SYSTEM } from '../../engine/actor.ts'
import type { Taken } from '../../engine/job/job.ts'
import type { Kind } from '../../engine/job/places.ts'
import { addJob } from '../../engine/job/queue.ts'
import { type JobState, jobState } from '../../engine/job/state.ts'
import { startWorker, type Worker } from '../../engine/job/worker.ts'
import type { Run, WorkerLimits, WorkerParts } from '../../engine/job/worker-parts.ts'
import type { Json, JsonObject } from '../../engine/json.ts'
import { LIMITS } from '../../engine/limits.ts'
import { createIndex, createTable } from '../../engine/migration/ddl.ts'
import { JOB_TABLE } from '../../engine/migration/own/engine-tables.ts'
import type { JobOrder } from '../../engine/run/execution.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const QUICK: WorkerLimits = { ...LIMITS, jobLeaseMs: 600, jobPollMs: 50, jobBackoffMs: 4 }

/** An order of a job `test.work`. */
export const order = (payload: JsonObject, more: Partial<JobOrder> = {}): JobOrder => ({
  name: 'test.work',
  payload,
  runAt: undefined,
  dedupe: undefined,
  actor: SYSTEM,
  as: 'system',
  ...more,
})

/** A kind of job with no wishes of its own. */
export const kind = (name: string, more: Partial<Kind> = {}): Kind => ({
  name,
  concurrency: undefined,
  prefetch: 0,
  long: false,
  admits: () => Number.POSITIVE_INFINITY,
  ...more,
})

type JobWork = (job: Taken, run: Run) => Promise<Json | undefined>

export interface QueueWorld {
  readonly db: TestDatabase
  add(payload: JsonObject, more?: Partial<JobOrder>, attempts?: number): Promise<string>
  /** Starts a worker that runs jobs in this way, with other limits or kinds than the usual ones. */
  work(run: JobWork, limits?: Partial<WorkerLimits>, kinds?: readonly Kind[], gap?: WorkerParts['gap']): Worker
  /** The workers that were started since the last `clear`. */
  readonly workers: Worker[]
  state(id: string): Promise<JobState>
  ended(id: string): Promise<void>
  /** Stops all workers and empties the queue. */
  clear(): Promise<void>
}

export async function openQueue(): Promise<QueueWorld> {
  const db = await testDatabase()
  const indexes = JOB_TABLE.indexes.flatMap((index) => createIndex(JOB_TABLE.name, index, false))
  for (const text of [createTable(JOB_TABLE), ...indexes]) await db.database.adhoc.run({ text }, [])
  const workers: Worker[] = []
  const state = async (id: string): Promise<JobState> => {
    const found = await jobState(db.database.adhoc, id)
    if (found === undefined) throw new Error(`there is no job ${id}`)
    return found
  }
  return {
    db,
    workers,
    state,
    add: (payload, more = {}, attempts = 3) => addJob(db.database.adhoc, order(payload, more), attempts),
    work(run, limits = {}, kinds = [kind('test.work')], gap = async () => undefined) {
      const worker = startWorker({
        runner: db.database.adhoc,
        log: SILENT,
        limits: { ...QUICK, ...limits },
        kinds: () => kinds,
        scheduled: () => [],
        run,
        gap,
        completed: () => undefined,
        measure: async () => undefined,
        random: () => 0.5,
      })
      workers.push(worker)
      return worker
    },
    ended: (id) => until(async () => (await state(id)).finishedAt !== null),
    async clear() {
      await Promise.all(workers.splice(0).map((worker) => worker.close(1_000)))
      await db.database.knex('plinth_job').delete()
    },
  }
}
