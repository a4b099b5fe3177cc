/** The engine's own housekeeping: jobs like those of plugins, which delete what has expired and look after the database. */

import { join } from 'node:path'
import { deleteOldRuns } from '../automation/runs.ts'
import { deleteOldChanges } from '../change/retention.ts'
import { deleteExpiredAnswers } from '../http/kept-answers.ts'
import type { JobContribution } from '../job/job.ts'
import { deleteOldJobs } from '../job/queue.ts'
import { LIMITS } from '../limits.ts'
import { protectSecrets } from '../migration/own/secrets.ts'
import { tidyCalendars } from '../migration/own/working-time.ts'
import { gatherStatistics } from '../migration/statistics.ts'
import { removeOldFiles } from '../old-files.ts'

const jobsAndAnswers: JobContribution = {
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
      // An earlier version may still write unsealed secrets while this one runs.
      secrets: await protectSecrets(catalog, settings, database.adhoc),
    }
  },
}

const statistics: JobContribution = {
  description: 'Has the database look at tables that have grown or got columns, so that it plans for what they hold.',
  every: '1 minute',
  eachInstance: true,
  run: async ({ catalog, database, signal }) => ({ tables: await gatherStatistics(catalog, database, signal) }),
}

const files: JobContribution = {
  description: 'Removes files in passing (DATA_DIR/tmp) that a process left behind when it was killed.',
  every: '1 hour',
  eachInstance: true,
  run: async ({ now, settings, signal }) => ({
    ...(await removeOldFiles(join(settings.dataDir, 'tmp'), now(), LIMITS.temporaryMs, { signal })),
  }),
}

const automations: JobContribution = {
  description: 'Deletes runs of automations that are older than they are kept.',
  every: '1 hour',
  run: async ({ catalog, database, now, signal }) => {
    const { automationKeepMs = LIMITS.automationKeepMs, automationUnmetKeepMs = LIMITS.automationUnmetKeepMs } =
      catalog.limits
    const keep = { runMs: automationKeepMs, unmetMs: automationUnmetKeepMs }
    return { runs: await deleteOldRuns(database.adhoc, now(), keep, signal) }
  },
}

const changes: JobContribution = {
  description: 'Deletes changes that every listener has worked and that nobody keeps.',
  every: '1 hour',
  run: async ({ catalog, database, now, signal }) => {
    const { changeKeepMs = LIMITS.changeKeepMs, changeKeepFailedMs = LIMITS.changeKeepFailedMs } = catalog.limits
    const keep = { changeMs: changeKeepMs, failedMs: changeKeepFailedMs }
    return { changes: await deleteOldChanges(database.adhoc, catalog, now(), keep, signal) }
  },
}

/** The jobs by the names under which the queue knows them. */
export const HOUSEKEEPING: readonly { readonly name: string; readonly job: JobContribution }[] = [
  { name: 'plinth.statistics', job: statistics },
  { name: 'plinth.tidy', job: jobsAndAnswers },
  { name: 'plinth.tidy_automations', job: automations },
  { name: 'plinth.tidy_changes', job: changes },
  { name: 'plinth.tidy_files', job: files },
]
