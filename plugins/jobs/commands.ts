/** The commands `plinth jobs`, `plinth listeners` and `plinth automations`: list their state and failures, and retry. */
import {
  automationStates,
  failedChanges,
  failedJobs,
  failedRuns,
  listenerStates,
  type PluginContext,
  retryChanges,
  retryJobs,
  retryRuns,
} from '../../engine/index.ts'

/** The number of failures in a list. */
const SHOWN = 50

interface Words {
  readonly usage: string
  /** The message of `retry` where it finds nothing of that name. */
  readonly none: string
  /** The message of `retry`, in front of the number. */
  readonly again: string
}

/** A command that prints `lines`, or retries; its exit code is 2 for other words, and 1 where there is nothing to retry. */
function retryCommand(
  { again, none, usage }: Words,
  lines: (context: PluginContext) => Promise<readonly string[]>,
  retry: (runner: PluginContext['database']['adhoc'], which: string) => Promise<number>,
) {
  return async (context: PluginContext, [verb, which]: readonly string[]): Promise<number> => {
    if (verb === undefined) {
      process.stdout.write(`${(await lines(context)).join('\n')}\n`)
      return 0
    }
    if (verb !== 'retry' || which === undefined) {
      process.stderr.write(`${usage}\n`)
      return 2
    }
    const count = await retry(context.database.adhoc, which)
    if (count === 0) process.stderr.write(`${none}\n`)
    else process.stdout.write(`${again}: ${count}\n`)
    return count === 0 ? 1 : 0
  }
}

/** `plinth automations`: the state of each automation and its failed runs. */
export const automationsCommand = retryCommand(
  {
    usage:
      'plinth automations: their state, and the runs that failed; plinth automations retry <resource>.<name>|all: try them again',
    none: 'There is no such run among those that failed.',
    again: 'Tried again',
  },
  automationLines,
  retryRuns,
)

async function automationLines({ catalog, database }: PluginContext): Promise<readonly string[]> {
  const states = await automationStates(database.adhoc, catalog)
  if (states.length === 0) return ['This application has no automations.']
  const failed = await failedRuns(database.adhoc, SHOWN)
  return [
    ...states.map(({ name, nextAt, lastAt, outcomes }) => {
      const counted = Object.entries(outcomes).map(([outcome, count]) => `${outcome} ${count}`)
      const said = lastAt === null ? ['has not acted yet'] : [...counted, `last ${lastAt}`]
      return `${name}: ${[...said, ...(nextAt === null ? [] : [`next ${nextAt}`])].join(', ')}`
    }),
    ...failed.map(
      ({ automation, recordId, cause, attempts, error, at }) =>
        `${at}  ${automation}, record ${recordId} for ${cause} (tried ${attempts} times): ${error}`,
    ),
  ]
}

/** `plinth listeners`: the state of each listener, and the changes that it set aside. */
export const listenersCommand = retryCommand(
  {
    usage:
      'plinth listeners: their state, and the changes that were set aside; plinth listeners retry <change>|all: try them again',
    none: 'There is no such change among those that were set aside.',
    again: 'Tried again',
  },
  listenerLines,
  retryChanges,
)

async function listenerLines({ catalog, database, now }: PluginContext): Promise<readonly string[]> {
  const states = await listenerStates(database.adhoc, catalog, now())
  if (states.length === 0) return ['No plugin listens to anything.']
  const failed = await failedChanges(database.adhoc, SHOWN)
  return [
    ...states.map(({ name, waiting, lag, deferred, failed }) => {
      const behind = waiting === 0 ? 'nothing waits' : `${waiting} wait, the oldest for ${lag.toFixed(1)} s`
      return `${name}: ${behind}; tried again ${deferred}, set aside ${failed}`
    }),
    ...failed.map(
      ({ changeId, listener, resource, recordId, attempts, error, failedAt }) =>
        `${changeId}  ${failedAt}  ${listener}, ${resource} ${recordId} (tried ${attempts} times): ${error}`,
    ),
  ]
}

/** `plinth jobs`: the failed jobs. */
export const jobsCommand = retryCommand(
  {
    usage: 'plinth jobs: the jobs that were given up; plinth jobs retry <id>|all: try them again',
    none: 'There is no such job among those that were given up.',
    again: 'Begins anew',
  },
  jobLines,
  retryJobs,
)

async function jobLines({ database }: PluginContext): Promise<readonly string[]> {
  const failed = await failedJobs(database.adhoc, SHOWN)
  if (failed.length === 0) return ['No job was given up.']
  return failed.map(
    ({ id, name, attempts, error, finishedAt }) => `${id}  ${finishedAt}  ${name} (tried ${attempts} times): ${error}`,
  )
}
