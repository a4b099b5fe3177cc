/** The conversations plugin: who has read what, and what a message does to its conversation. */
import { definePlugin, type HookContext, type Next, type Route } from '../../../engine/index.ts'
import { markRead } from './mark-read.ts'

/**
 * `conversations.reopen`: a message to a closed conversation opens it again. YAML can't say it: what follows from a write
 * is a value of the record that is written, and an automation would be later than the next look.
 */
async function reopen(context: HookContext, next: Next): Promise<void> {
  await next()
  const { catalog, result, transaction } = context
  const { table } = catalog.resources.get('conversations')!
  const closed = await transaction.knex(table).where({ id: result?.conversation_id, status: 'closed' }).first('id')
  if (closed !== undefined) await context.records('conversations', 'system').update(closed.id, { status: 'open' })
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
  description: 'Conversations: messages read and unread for each user, reopened by a new message.',
  after: ['auth'],
  resources: [new URL('./resources/message_reads.yaml', import.meta.url)],
  hooks: { reopen },
  routes,
})
