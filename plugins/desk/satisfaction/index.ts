/**
 * The satisfaction plugin: customers are asked by mail whether a solution helped, and answer without signing in. It is
 * a plugin because a link that lets its bearer answer once is a secret, which YAML cannot make or check.
 */
import { definePlugin } from '../../../engine/index.ts'
import { answerRoutes } from './answer.ts'
import { ask } from './ask.ts'
import { figureRoute } from './figures.ts'

export default definePlugin({
  name: 'satisfaction',
  description: 'Asks customers how content they are with a solution, and counts their answers.',
  after: ['auth', 'tickets', 'dashboards'],
  resources: [new URL('./resources/de.words.yaml', import.meta.url)],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      change_hours: {
        type: 'integer',
        minimum: 0,
        maximum: 8_760,
        default: 24,
        description: 'How long an answer can be changed by its link, in hours.',
      },
    },
  },
  reliesOn: {
    satisfaction_ratings: [
      'ticket_id',
      'agent_id',
      'department_id',
      'solved_at',
      'rating',
      'comment',
      'rated_at',
      'token_hash',
      'expires_at',
    ],
    departments: ['name'],
  },
  actions: { ask },
  routes: [...answerRoutes, figureRoute],
})
