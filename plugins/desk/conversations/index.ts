/** The conversations plugin: who has read what. */
import { definePlugin, type Route } from '../../../engine/index.ts'
import { markRead } from './mark-read.ts'

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
  resources: [new URL('./resources/message_reads.yaml', import.meta.url)],
  routes,
})
