/** The command `plinth listeners`: how far behind each listener is, what was set aside, and trying it again. */
import { failedChanges, listenerStates, type PluginContext, retryChanges } from '../../engine/index.ts'
import { retryCommand, SHOWN } from './retry-command.ts'

/** Lists listeners and what they could not work, or lets some of that begin anew; 1 when there is no such change. */
export const listenersCommand = retryCommand(
  {
    usage:
      'plinth listeners: how they stand, and the changes that were set aside; plinth listeners retry <change>|all: try them again',
    none: 'There is no such change among those that were set aside.',
    again: 'Tried again',
  },
  lines,
  retryChanges,
)

async function lines({ catalog, database, now }: PluginContext): Promise<readonly string[]> {
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
