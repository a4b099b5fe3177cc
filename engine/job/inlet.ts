/** The way into the queue: a job is one row of the caller's transaction, and instances are told once it is committed. */
import type { JobInlet } from '../action/execution.ts'
import { LIMITS } from '../limits.ts'
import type { Store } from '../store/store.ts'
import type { Jobs } from './job.ts'
import { addJob, addJobs } from './queue.ts'

/** The channel on which instances tell each other that there is a job. */
export const JOBS = 'jobs'

/** The inlet of an application with these jobs; adding one that it does not have rejects. */
export function jobInlet(jobs: Jobs, store: Pick<Store, 'publish'>): JobInlet {
  const attempts = (name: string): number => {
    const job = jobs.get(name)
    if (job === undefined) throw new Error(`no plugin has a job ${name}`)
    return job.value.attempts ?? LIMITS.jobAttempts
  }
  return {
    add: async (runner, order) => addJob(runner, order, attempts(order.name)),
    addEach: async (runner, orders) => addJobs(runner, orders, attempts(orders.name)),
    wake: () => store.publish(JOBS, ''),
  }
}
