/** The command `plinth jobs`: what was given up, and trying it again. */
import { failedJobs, type PluginContext, retryJobs } from '../../engine/index.ts'

const SHOWN = 50
const USAGE = 'plinth jobs: the jobs that were given up; plinth jobs retry <id>|all: try them again\n'

/** Lists failed jobs, or lets some begin anew; 1 when there is no such job. */
export async function jobsCommand({ database }: PluginContext, args: readonly string[]): Promise<number> {
  const [verb, which] = args
  if (verb === undefined) {
    const failed = await failedJobs(database.adhoc, SHOWN)
    const lines = failed.map(
      ({ id, name, attempts, error, finishedAt }) =>
        `${id}  ${finishedAt}  ${name} (tried ${attempts} times): ${error}`,
    )
    process.stdout.write(`${lines.length === 0 ? 'No job was given up.' : lines.join('\n')}\n`)
    return 0
  }
  if (verb !== 'retry' || which === undefined) {
    process.stdout.write(USAGE)
    return 1
  }
  const again = await retryJobs(database.adhoc, which)
  process.stdout.write(
    again === 0 ? 'There is no such job among those that were given up.\n' : `Begins anew: ${again}\n`,
  )
  return again === 0 ? 1 : 0
}
