/** What is sent: the event, and the record as the webhook's owner sees it at this moment. */
import { ApiError, type Json, type JsonObject, type PluginContext } from '../../engine/index.ts'
import type { Attempt } from './queue.ts'
import { readableFields } from './select.ts'

interface Kept {
  readonly actorId: number | null
  readonly changes: readonly JsonObject[]
}

/**
 * The body of an attempt. Made anew for each, so that nobody is sent what its owner may not see any more: `record` is null
 * then, as it is when the record is gone. `changes` is null too where the log does not hold them any more.
 */
export async function bodyOf(owner: PluginContext, attempt: Attempt): Promise<string> {
  const { event, occurredAt, recordId, resource } = attempt
  const said = { type: event, timestamp: occurredAt }
  if (resource === null || recordId === null) return JSON.stringify({ ...said, data: { webhook_id: attempt.webhook } })
  const record = await recordSeen(owner, resource, recordId)
  const kept = await keptOf(owner, attempt)
  return JSON.stringify({
    ...said,
    data: {
      resource,
      id: recordId,
      record,
      changes: record === null || kept === undefined ? null : changesSeen(owner, resource, kept),
      actor_id: kept?.actorId ?? null,
    },
  })
}

async function recordSeen(owner: PluginContext, resource: string, id: number): Promise<JsonObject | null> {
  if (!owner.catalog.resources.has(resource)) return null
  try {
    return await owner.records(resource).get(`id:${id}`)
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'record_not_found' || error.code === 'forbidden')) return null
    throw error
  }
}

async function keptOf({ database }: PluginContext, { changeId }: Attempt): Promise<Kept | undefined> {
  const text = `select actor_id, changes from plinth_change where id = $1::bigint`
  const [row] = await database.adhoc.run({ text, name: 'webhooks change' }, [changeId])
  if (row === undefined) return undefined
  const [actor, changes] = row
  return { actorId: actor === null || actor === undefined ? null : Number(actor), changes: JSON.parse(changes ?? '[]') }
}

function changesSeen({ actor, catalog }: PluginContext, resource: string, { changes }: Kept): readonly JsonObject[] {
  const fields = new Set<Json | undefined>(readableFields(catalog.resources.get(resource)!, actor))
  return changes
    .filter(({ field }) => fields.has(field))
    .map(({ field, from, to }) => ({ field, from, to }) as JsonObject)
}
