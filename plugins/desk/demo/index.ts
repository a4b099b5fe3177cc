/** The demo plugin: fills an empty desk with people, tickets and articles that look like a year of work. */
import { definePlugin } from '../../../engine/index.ts'
import { fill } from './fill.ts'

export default definePlugin({
  name: 'demo',
  description: 'A command that fills the desk with a few hundred believable tickets, people and articles, once.',
  after: ['auth', 'tickets', 'conversations'],
  commands: {
    demo: {
      description: 'Fill an empty desk with believable data, and print who is who',
      example: 'plinth demo',
      run: fill,
    },
  },
})
