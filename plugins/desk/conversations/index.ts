/** The conversations plugin: who has read what, what a message does to its conversation, and that internal ones stay so. */
import { ApiError, definePlugin, type HookContext, type Next, type Route } from '../../../engine/index.ts'
import { markRead } from './mark-read.ts'

/** `conversations.reopen`: a message to a closed conversation opens it again. */
async function reopen(context: HookContext, next: Next): Promise<void> {
  await next()
  const { catalog, result, transaction } = context
  const { table } = catalog.resources.get('conversations')!
  const closed = await transaction.knex(table).where({ id: result?.conversation_id, status: 'closed' }).first('id')
  if (closed !== undefined) await context.records('conversations', 'system').update(closed.id, { status: 'open' })
}

/** `conversations.stays_internal`: what staff said among themselves would reach the customer with the type. */
async function staysInternal({ draft, record }: HookContext, next: Next): Promise<void> {
  if (record?.type === 'internal' && (await draft()).type !== 'internal') {
    throw new ApiError('conflict', { message: 'An internal conversation stays internal: open another one' })
  }
  await next()
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/conversations/{id}/mark-read',
    summary: 'Mark the messages of a conversation as read by the caller',
    tag: 'Conversations',
    access: [{ kind: 'signed_in' }],
    body: 'none',
    output: { $ref: '#/resources/conversations' },
    handle: markRead,
  },
]

export default definePlugin({
  name: 'conversations',
  description: 'Conversations: messages read and unread for each user, reopened by a new message.',
  after: ['auth'],
  resources: [new URL('./resources/message_reads.yaml', import.meta.url)],
  hooks: { reopen, stays_internal: { run: staysInternal, transaction: false } },
  routes,
})
