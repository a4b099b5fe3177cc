/** Marks every message of a conversation that the caller may see, and did not write, as read by the caller. */
import type { Reply, RouteContext } from '../../../engine/index.ts'

/** Idempotent: what was read before keeps its time. Answers the conversation as it is then. */
export function markRead(context: RouteContext): Promise<Reply> {
  return context.once(async ({ actor, catalog, now, params, readable, records, transaction }) => {
    const conversation = await records('conversations').get(params.id ?? '')
    const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
    const values: unknown[] = [Number(conversation.id), actor.id, now()]
    const text = `insert into ${table('message_reads')} (message_id, user_id, read_at)
      select m.id, $2::integer, $3::timestamptz from ${table('messages')} m
      where m.conversation_id = $1::integer and m.user_id is distinct from $2::integer and ${readable('messages', 'm', values)}
      on conflict (message_id, user_id) do nothing`
    await transaction.run({ text }, values)
    return { data: await records('conversations').get(Number(conversation.id)), message: 'Messages marked as read' }
  })
}
