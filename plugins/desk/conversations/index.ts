/** The conversations plugin: who has read what. */
import { definePlugin, type Reply, type Route, type RouteContext } from '../../../engine/index.ts'

/** Idempotent: messages that were read before keep their time. Returns the present conversation. */
function markRead(context: RouteContext): Promise<Reply> {
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

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/conversations/{id}/mark-read',
    summary: 'Mark the messages of a conversation as read by the caller',
    tag: 'Conversations',
    access: [{ kind: 'signed_in' }],
    body: 'none',
    once: true,
    output: { $ref: '#/resources/conversations' },
    handle: markRead,
  },
]

export default definePlugin({
  name: 'conversations',
  description: 'Conversations: messages read and unread for each user.',
  after: ['auth'],
  reliesOn: { conversations: [], messages: ['conversation_id', 'user_id'] },
  resources: ['message_reads', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  routes,
})
