/** Starts the jobs of an application in this process ⇄, with whatever application is current when one begins. */
import type { Foundation } from '../action/execution.ts'
import { LIMITS } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { JOBS } from './inlet.ts'
import type { Jobs } from './job.ts'
import { type ActorOf, runJob } from './run.ts'
import { everyMs, type Scheduled } from './schedule.ts'
import { startWorker, type Worker } from './worker.ts'
import type { WorkerLimits } from './worker-parts.ts'

export interface Current {
  readonly foundation: Foundation
  readonly jobs: Jobs
  readonly actorOf: ActorOf
}

/** Takes jobs until it is closed; `random` is from 0 to 1. */
export function startJobs(store: Pick<Store, 'subscribe'>, random: () => number, current: () => Current): Worker {
  const { foundation } = current()
  const worker = startWorker({
    runner: foundation.database.adhoc,
    log: foundation.log,
    limits: foundation.catalog.limits as Readonly<Record<string, number>> & WorkerLimits,
    names: () => [...current().jobs.keys()],
    scheduled: () => scheduledOf(current().jobs),
    run: (job, run) => {
      const { foundation, jobs, actorOf } = current()
      return runJob(foundation, jobs, actorOf, job, run)
    },
    random,
  })
  store.subscribe(JOBS, worker.wake, worker.wake)
  return worker
}

function scheduledOf(jobs: Jobs): readonly Scheduled[] {
  return [...jobs].flatMap(([name, { value }]) => {
    const ms = value.every === undefined ? undefined : everyMs(value.every)
    return ms === undefined ? [] : [{ name, everyMs: ms, attempts: value.attempts ?? LIMITS.jobAttempts }]
  })
}
