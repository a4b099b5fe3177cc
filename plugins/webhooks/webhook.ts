/** Webhooks from their rows ⇄, and the listener that queues deliveries for them. */
import type { Change, HearingContext, Json, PluginContext, Row, Runner } from '../../engine/index.ts'
import { textsOf } from './check.ts'
import { heardByAll } from './events.ts'
import { ownersOf, PAUSED, pause } from './owner.ts'
import { type Looked, queueDeliveries } from './select.ts'
import { tablesOf } from './tables.ts'

export interface Webhook {
  readonly id: number
  readonly ownerId: number | null
  readonly events: readonly string[]
  readonly where: Json
}

/** The webhooks that are on, or the one of an id in any state. */
export async function webhooksIn(
  context: Pick<PluginContext, 'catalog'>,
  runner: Runner,
  id?: number,
): Promise<readonly Webhook[]> {
  const { webhooks } = tablesOf(context)
  const text = `select id, owner_id, events, "where" from ${webhooks} where ${id === undefined ? 'active' : 'id = $1::int'} order by id`
  const name = `webhooks ${id === undefined ? 'active' : 'one'}`
  return (await runner.run({ text, name }, id === undefined ? [] : [id])).map(webhookOf)
}

function webhookOf([id, owner, events, where]: Row): Webhook {
  return {
    id: Number(id),
    ownerId: owner === null || owner === undefined ? null : Number(owner),
    events: textsOf(JSON.parse(events ?? '[]')),
    where: JSON.parse(where ?? 'null') as Json,
  }
}

/** Queues the deliveries of each webhook; returns their number. `lookedAt` chooses the changes of a resource. */
export async function queueFor(
  context: PluginContext,
  runner: Runner,
  webhooks: readonly Webhook[],
  lookedAt: (resource: string) => Looked | undefined,
): Promise<number> {
  const owners = ownersOf(context)
  let queued = 0
  for (const { events, id, ownerId, where } of webhooks) {
    for (const [name, actions] of heardByAll(context.catalog, events)) {
      const looked = lookedAt(name)
      if (looked === undefined) continue
      const owner = await owners(ownerId)
      if (typeof owner === 'string') {
        await pause(context, runner, id, PAUSED[owner])
        break
      }
      const read = where === null ? undefined : owner.condition(name, where)
      if (read?.problems !== undefined) {
        await pause(context, runner, id, `Its condition cannot be read any more: ${read.problems[0]?.message}`)
        break
      }
      const resource = context.catalog.resources.get(name)!
      const told = { webhook: id, resource, actions: [...actions], condition: read?.condition }
      queued += await queueDeliveries(owner, runner, told, looked)
    }
  }
  return queued
}

/** The name of the job that delivers, and the key under which one is enough. */
export const DELIVER = 'webhooks.deliver'
export const ONE = { dedupe: 'deliver' } as const

/** `webhooks.queue`: queues for each webhook the changes of a batch that it asks for. */
export async function queueChanges(context: HearingContext, changes: readonly Change[]): Promise<void> {
  const { enqueue, transaction } = context
  const webhooks = await webhooksIn(context, transaction)
  if (webhooks.length === 0) return context.idle()
  const ids = new Map<string, number[]>()
  for (const { id, resource } of changes) ids.set(resource, [...(ids.get(resource) ?? []), id])
  const queued = await queueFor(context, transaction, webhooks, (resource) => {
    const some = ids.get(resource)
    return some && { ids: some }
  })
  if (queued > 0) await enqueue(DELIVER, {}, ONE)
}
