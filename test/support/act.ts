/** Does by hand what an automation does, and counts what it asks of the database. */

import { SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ActionRecord } from '../../engine/index.ts'
import { executionOf, inTransaction } from '../../engine/run/execution.ts'

/** Does the first action of an automation, `tickets.urgent`, for these records; gives the number of its statements. */
export async function act({ app }: Engine, automation: string, records: readonly ActionRecord[]): Promise<number> {
  const { composition, foundation } = app
  const [holder = '', name = ''] = automation.split('.')
  const resource = foundation.catalog.resources.get(holder)!
  const done = resource.automations.get(name)!.actions[0]!
  if (done.kind !== 'run') throw new Error(`${automation} begins with no action of a plugin`)
  const { options, value } = composition.actions.get(done.action)!
  let count = 0
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined })
  await inTransaction(call, async (inner) => {
    const transaction = Object.assign(Object.create(inner.transaction), {
      run: (...args: Parameters<typeof inner.transaction.run>) => {
        count++
        return inner.transaction.run(...args)
      },
    })
    const within = { ...inner, transaction, runner: transaction, adhoc: transaction }
    const work = { resource, automation, given: done.given, records, runs: [] }
    await value.run({ ...pluginContext(within, options), transaction, work })
  })
  return count
}
