/** Webhooks as their rows say ⇄: what the program itself needs of them. */
import type { Json, PluginContext, Row, Runner } from '../../engine/index.ts'
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

/** The webhooks that are switched on, or the one of an id whether it is or not. */
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

/** Queues what each of the webhooks is told of; gives how many deliveries. `lookedAt` says which changes of a resource. */
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
