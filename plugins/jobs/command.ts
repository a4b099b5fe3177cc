/** The command `plinth jobs`: what was given up, and trying it again. */
import { failedJobs, type PluginContext, retryJobs } from '../../engine/index.ts'
import { retryCommand, SHOWN } from './retry-command.ts'

/** Lists failed jobs, or lets some begin anew; 1 when there is no such job. */
export const jobsCommand = retryCommand(
  {
    usage: 'plinth jobs: the jobs that were given up; plinth jobs retry <id>|all: try them again',
    none: 'There is no such job among those that were given up.',
    again: 'Begins anew',
  },
  lines,
  retryJobs,
)

async function lines({ database }: PluginContext): Promise<readonly string[]> {
  const failed = await failedJobs(database.adhoc, SHOWN)
  if (failed.length === 0) return ['No job was given up.']
  return failed.map(
    ({ id, name, attempts, error, finishedAt }) => `${id}  ${finishedAt}  ${name} (tried ${attempts} times): ${error}`,
  )
}
