/** The engine's own housekeeping, a job like those of plugins: jobs that came to their end, answers of expired keys. */
import { deleteExpiredAnswers } from '../http/idempotency.ts'
import type { JobContribution } from '../job/job.ts'
import { deleteOldJobs } from '../job/queue.ts'
import { LIMITS } from '../limits.ts'

const job: JobContribution = {
  description: 'Deletes jobs that ended long ago and answers kept for expired idempotency keys.',
  every: '1 hour',
  run: async ({ catalog, database, now, signal }) => {
    const { jobKeepMs = LIMITS.jobKeepMs, jobKeepFailedMs = LIMITS.jobKeepFailedMs } = catalog.limits
    const keep = { completedMs: jobKeepMs, failedMs: jobKeepFailedMs }
    return {
      jobs: await deleteOldJobs(database.adhoc, now(), keep, signal),
      answers: await deleteExpiredAnswers(database.adhoc, now(), signal),
    }
  },
}

export const TIDY = { name: 'plinth.tidy', job } as const
