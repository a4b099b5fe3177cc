/** The command `plinth automations`: how each automation stands, what was given up, and trying it again. */
import { automationStates, failedRuns, type PluginContext, retryRuns } from '../../engine/index.ts'
import { retryCommand, SHOWN } from './retry-command.ts'

/** Lists automations and what they could not do, or lets that begin anew; 1 when there is none such. */
export const automationsCommand = retryCommand(
  {
    usage:
      'plinth automations: how they stand, and the runs that were given up; plinth automations retry <resource>.<name>|all: try them again',
    none: 'There is no such run among those that were given up.',
    again: 'Tried again',
  },
  lines,
  retryRuns,
)

async function lines({ catalog, database }: PluginContext): Promise<readonly string[]> {
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
