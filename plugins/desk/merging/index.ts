/**
 * The merging plugin: two tickets become one, and one becomes two. It is a plugin because one request writes several
 * records of several resources, and remembers which, so that a merge can be undone.
 */
import { definePlugin, type Route } from '../../../engine/index.ts'
import { merge, unmerge } from './merge.ts'
import { split } from './split.ts'

const COMMON = {
  method: 'POST',
  tag: 'tickets',
  access: [{ kind: 'permission', permission: 'tickets.update' }],
  once: true,
  versioned: true,
} as const

const routes: readonly Route[] = [
  {
    ...COMMON,
    path: '/tickets/{id}/merge',
    summary: 'Merge a ticket into another one',
    description:
      'Comments, conversations and files move to the other ticket, which is answered. The merged one is closed and stays readable.',
    input: {
      into: { type: 'integer', required: true, min: 1, max: 999_999_999_999_999, description: 'Its id or uid.' },
      force: { type: 'boolean', default: false, description: 'Also tickets of different customers.' },
    },
    output: { $ref: '#/resources/tickets' },
    handle: merge,
  },
  {
    ...COMMON,
    path: '/tickets/{id}/unmerge',
    summary: 'Undo the merge of a ticket',
    description: 'What moved comes back.',
    body: 'none',
    output: { $ref: '#/resources/tickets' },
    handle: unmerge,
  },
  {
    ...COMMON,
    path: '/tickets/{id}/split',
    summary: 'Make a new ticket of some comments',
    description: 'The comments move to the new ticket, which is answered.',
    input: {
      comments: { type: 'list', of: 'integer', required: true, min_items: 1, unique_items: true },
      subject: { type: 'string', required: true },
      details: { type: 'text', description: 'The text of the first public comment if absent.' },
    },
    status: 201,
    output: { $ref: '#/resources/tickets' },
    handle: split,
  },
]

export default definePlugin({
  name: 'merging',
  description: 'Merges tickets, undoes it, and splits tickets.',
  after: ['tickets'],
  reliesOn: {
    tickets: ['uid', 'subject', 'details', 'status_id', 'user_id', 'contact_id', 'merged_into_id', 'split_from_id'],
    ticket_comments: ['ticket_id', 'user_id', 'comment', 'is_internal'],
    ticket_watchers: ['ticket_id', 'user_id'],
    statuses: ['category'],
  },
  resources: ['ticket_merges', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  routes,
})
