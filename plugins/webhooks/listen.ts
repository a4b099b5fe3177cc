/** Listener: changes become deliveries of the webhooks that ask for them. */
import type { Change, HearingContext } from '../../engine/index.ts'
import { queueFor, webhooksIn } from './webhook.ts'

/** The name of the job that delivers, and the key under which one is enough. */
export const DELIVER = 'webhooks.deliver'
export const ONE = { dedupe: 'deliver' } as const

/** `webhooks.queue`: of a batch of changes, each webhook is queued those that it asks for. */
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
