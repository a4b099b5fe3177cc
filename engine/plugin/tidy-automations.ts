/** The engine's own housekeeping of automations, a job like those of plugins. */
import { deleteOldRuns } from '../automation/runs.ts'
import type { JobContribution } from '../job/job.ts'
import { LIMITS } from '../limits.ts'

const job: JobContribution = {
  description: 'Deletes runs of automations that are older than they are kept.',
  every: '1 hour',
  run: async ({ catalog, database, now, signal }) => {
    const { automationKeepMs = LIMITS.automationKeepMs, automationUnmetKeepMs = LIMITS.automationUnmetKeepMs } =
      catalog.limits
    const keep = { runMs: automationKeepMs, unmetMs: automationUnmetKeepMs }
    return { runs: await deleteOldRuns(database.adhoc, now(), keep, signal) }
  },
}

export const TIDY_AUTOMATIONS = { name: 'plinth.tidy_automations', job } as const
