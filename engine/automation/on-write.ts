/** Automations that a write sets off ⇄: each is a listener of the log of changes, and acts in the transaction of its place. */

import { listenerName, type WriteEvent } from '../catalog/automation.ts'
import type { Change, Listen } from '../change/listener.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { runCompiled, type Within } from '../run/execution.ts'
import { compileHeld } from '../statement/automation-due.ts'
import type { Acting, Taken } from './action.ts'
import { act } from './perform.ts'
import { beginRuns, type Ended, endRuns, tellRuns } from './runs.ts'

/** The listeners of the automations that writes set off, by their names. */
export function writeListeners(automations: readonly Acting[]): ReadonlyMap<string, Listen> {
  return new Map(
    automations
      .filter(({ automation }) => automation.trigger.kind === 'write')
      .map((acting) => [
        listenerName(acting.resource.name, acting.automation.name),
        (within, changes) => listen(within, acting, changes),
      ]),
  )
}

async function listen(within: Within, acting: Acting, changes: readonly Change[]): Promise<void> {
  const own = changes.filter((change) => setsOff(acting, change))
  const held = await heldOf(within, acting, own)
  const taken = own
    .filter(held)
    .map((change): Taken => ({ id: Number(change.recordId), change, cause: String(change.id) }))
  const begun = await beginRuns(within.transaction, acting.name, taken)
  const tooDeep = begun.filter(({ change }) => (change?.depth ?? 0) >= LIMITS.automationChain)
  const ended = tooDeep.map((one): Ended => ({ taken: one, outcome: 'ended', what: [CHAIN] }))
  const done = await act(
    within,
    acting,
    begun.filter((one) => !tooDeep.includes(one)),
  )
  await endRuns(within.transaction, acting.name, [...done, ...ended])
  tellRuns(within, acting, [...done, ...ended])
  within.afterCommit(() => {
    for (const { id, change } of tooDeep)
      within.log.warn({ automation: acting.name, record: id, cause: change?.source, change: change?.id }, CHAIN)
  })
}

const CHAIN = `not done: ${LIMITS.automationChain} automations in a row have set each other off`

/** Whether a write sets an automation off; one of its own never does. */
export function setsOff(
  { automation, name }: Pick<Acting, 'automation' | 'name'>,
  { action, bulk, fields, source }: Change,
): boolean {
  const { trigger } = automation
  if (trigger.kind !== 'write' || source === name) return false
  const event: WriteEvent = action === 'create' && bulk ? 'import' : action
  if (!trigger.on.has(event)) return false
  if (action !== 'update' || trigger.changed === undefined) return true
  return trigger.changed.some((turn) =>
    fields.some(({ field, from, to }) => field === turn.field.name && isAmong(from, turn.from) && isAmong(to, turn.to)),
  )
}

function isAmong(value: Json, values: readonly Json[] | undefined): boolean {
  return values === undefined || values.includes(value)
}

/** Whether the record of a change is there and fulfils the condition; of one that was removed for good nothing is asked. */
async function heldOf(
  within: Within,
  { automation, resource }: Acting,
  changes: readonly Change[],
): Promise<(change: Change) => boolean> {
  const isGone = ({ action }: Change): boolean => action === 'delete' && resource.live === undefined
  const ask = async (some: readonly Change[], deleted: boolean): Promise<ReadonlySet<number>> => {
    const ids = [...new Set(some.filter((change) => !isGone(change)).map(({ recordId }) => recordId))]
    if (ids.length === 0) return new Set()
    const compiled = within.statements.get(compileHeld, within, resource, automation, deleted)
    return new Set((await runCompiled(within, compiled, { ids })).map(([id]) => Number(id)))
  }
  const deletes = await ask(
    changes.filter(({ action }) => action === 'delete'),
    true,
  )
  const others = await ask(
    changes.filter(({ action }) => action !== 'delete'),
    false,
  )
  return (change) => isGone(change) || (change.action === 'delete' ? deletes : others).has(Number(change.recordId))
}
