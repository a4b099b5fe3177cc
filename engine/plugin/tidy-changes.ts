/** The engine's own housekeeping of the log of changes, a job like those of plugins. */
import { deleteOldChanges } from '../change/retention.ts'
import type { JobContribution } from '../job/job.ts'
import { LIMITS } from '../limits.ts'

const job: JobContribution = {
  description: 'Deletes changes that every listener has worked and that nobody keeps.',
  every: '1 hour',
  run: async ({ catalog, database, now, signal }) => {
    const { changeKeepMs = LIMITS.changeKeepMs, changeKeepFailedMs = LIMITS.changeKeepFailedMs } = catalog.limits
    const keep = { changeMs: changeKeepMs, failedMs: changeKeepFailedMs }
    return { changes: await deleteOldChanges(database.adhoc, catalog, now(), keep, signal) }
  },
}

export const TIDY_CHANGES = { name: 'plinth.tidy_changes', job } as const
