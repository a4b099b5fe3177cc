/**
 * The mentions plugin: a comment with `@name` or `@[Name](7)` mentions a person. YAML cannot read a text and look for the
 * people whom it names.
 */
import { definePlugin } from '../../../engine/index.ts'
import { find } from './find.ts'

export default definePlugin({
  name: 'mentions',
  description: 'Finds the people whom a comment on a ticket mentions by @name.',
  after: ['auth', 'tickets'],
  needs: ['auth'],
  reliesOn: { tickets: ['assigned_to'] },
  resources: [new URL('./resources/ticket_mentions.yaml', import.meta.url)],
  hooks: { find },
})
