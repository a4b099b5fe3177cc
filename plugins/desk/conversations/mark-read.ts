/** Marks every message of a conversation that the caller may see, and did not write, as read by the caller. */
import type { Reply, RouteContext } from '../../../engine/index.ts'

/** Idempotent: what was read before keeps its time. Answers the conversation as it is then. */
export async function markRead(context: RouteContext): Promise<Reply> {
  const data = await context.transaction(async ({ actor, catalog, now, params, records, transaction }) => {
    const conversation = await records('conversations').get(params.id ?? '')
    const table = (name: string): string => catalog.resources.get(name)!.table
    await transaction.knex.raw(
      `insert into ?? (message_id, user_id, read_at)
       select m.id, ?::integer, ?::timestamptz from ?? m
       where m.conversation_id = ? and m.user_id is distinct from ?::integer
         and (not m.is_internal or ?::boolean)
       on conflict (message_id, user_id) do nothing`,
      [
        table('message_reads'),
        actor.id,
        now(),
        table('messages'),
        Number(conversation.id),
        actor.id,
        actor.permissions.has('*') || actor.permissions.has('conversations.view'),
      ],
    )
    return records('conversations').get(Number(conversation.id))
  })
  return { data, message: 'Messages marked as read' }
}
