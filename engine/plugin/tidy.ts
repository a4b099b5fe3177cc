/** The engine's own housekeeping, jobs like those of plugins: jobs that ended, answers of expired keys, files in passing. */
import { join } from 'node:path'
import { deleteExpiredAnswers } from '../http/kept-answers.ts'
import type { JobContribution } from '../job/job.ts'
import { deleteOldJobs } from '../job/queue.ts'
import { LIMITS } from '../limits.ts'
import { protectSecrets } from '../migration/own/secrets.ts'
import { tidyCalendars } from '../migration/own/working-time.ts'
import { gatherStatistics } from '../migration/statistics.ts'
import { removeOldFiles } from '../old-files.ts'

const job: JobContribution = {
  description:
    'Deletes jobs that ended long ago, answers of expired idempotency keys, hours of unused calendars; seals secrets that stand open.',
  every: '1 hour',
  run: async ({ catalog, database, now, settings, signal }) => {
    const { jobKeepMs = LIMITS.jobKeepMs, jobKeepFailedMs = LIMITS.jobKeepFailedMs } = catalog.limits
    const keep = { completedMs: jobKeepMs, failedMs: jobKeepFailedMs }
    return {
      jobs: await deleteOldJobs(database.adhoc, now(), keep, signal),
      answers: await deleteExpiredAnswers(database.adhoc, now(), signal),
      calendars: await tidyCalendars(catalog, database, now()),
      // Those that a version of before wrote while this one ran already.
      secrets: await protectSecrets(catalog, settings, database.adhoc),
    }
  },
}

export const TIDY = { name: 'plinth.tidy', job } as const

const statistics: JobContribution = {
  description: 'Has the database look at tables that have grown or got columns, so that it plans for what they hold.',
  every: '1 minute',
  eachInstance: true,
  run: async ({ catalog, database, signal }) => ({ tables: await gatherStatistics(catalog, database, signal) }),
}

export const STATISTICS = { name: 'plinth.statistics', job: statistics } as const

/** What a process that was killed left in the folder of files in passing. */
const files: JobContribution = {
  description: 'Removes files in passing (DATA_DIR/tmp) that a process left behind when it was killed.',
  every: '1 hour',
  eachInstance: true,
  run: async ({ now, settings, signal }) => ({
    ...(await removeOldFiles(join(settings.dataDir, 'tmp'), now(), LIMITS.temporaryMs, { signal })),
  }),
}

export const TIDY_FILES = { name: 'plinth.tidy_files', job: files } as const
