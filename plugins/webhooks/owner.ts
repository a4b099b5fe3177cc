/** The owner of a webhook ⇄: messages have what the owner may see, and none are sent without an owner. */
import { holds, type PluginContext, type Runner } from '../../engine/index.ts'
import { tablesOf } from './tables.ts'

/** People who manage webhooks. */
export const PERMISSION = 'webhooks.manage'

/** The reason why a webhook was switched off automatically. */
export const PAUSED = {
  ownerGone: 'The account of its owner is not there any more. Who switches it on again becomes its owner',
  ownerMayNot: `Its owner has no longer the permission ${PERMISSION}. Who switches it on again becomes its owner`,
  gone: 'Its receiver answered 410 Gone',
  failing: 'Nothing has arrived for five days',
  secret: 'Its secret cannot be opened: APP_SECRET was changed. Rotate the secret and switch it on again',
} as const

/** Finds owners once each. */
export function ownersOf(context: PluginContext): (id: number | null) => Promise<PluginContext | keyof typeof PAUSED> {
  const known = new Map<number | null, Promise<PluginContext | keyof typeof PAUSED>>()
  return (id) => {
    const found = known.get(id) ?? ownerOf(context, id)
    known.set(id, found)
    return found
  }
}

async function ownerOf(context: PluginContext, id: number | null): Promise<PluginContext | keyof typeof PAUSED> {
  const owner = id === null ? null : await context.as(id)
  if (owner === null) return 'ownerGone'
  return holds(owner.actor, PERMISSION) && owner.actor.restriction === undefined ? owner : 'ownerMayNot'
}

/** Switches a webhook off, with the reason; one that is off keeps its own. */
export async function pause(
  context: Pick<PluginContext, 'catalog' | 'log'>,
  runner: Runner,
  id: number,
  reason: string,
): Promise<void> {
  const { webhooks } = tablesOf(context)
  const text = `update ${webhooks} set active = false, paused_at = clock_timestamp(), paused_reason = $2
    where id = $1::int and active returning id`
  const rows = await runner.run({ text }, [id, reason])
  if (rows.length > 0) context.log.warn({ webhook: id, reason }, 'a webhook was switched off')
}
