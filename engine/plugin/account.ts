/** Who an id stands for ⇄: the account of whom work is done for when nobody asks, by the plugin that knows the accounts. */
import { executionOf, type Foundation } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { SYSTEM } from '../actor.ts'
import type { Composition } from './compose.ts'

/** Finds accounts by the plugin's own word, within the transaction of whoever asks. */
export function accountFinder(
  { identify }: Pick<Composition, 'identify'>,
  foundation: () => Foundation,
): Foundation['actorOf'] {
  return async (account, runner) => {
    if (identify === undefined) return null
    const call = executionOf(foundation(), { actor: SYSTEM, requestId: 'account', afterCommit: () => undefined })
    const context = pluginContext(call, identify.options)
    // Inside an open transaction everything is asked of that: it may be the only connection, and it holds what is judged.
    const database = Object.create(context.database, { adhoc: { value: runner } })
    return identify.value({ ...context, database }, String(account))
  }
}
