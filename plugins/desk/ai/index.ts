/** The ai plugin: classification, replies, moods and retrieval, by a local engine or by a configured server. */
import { definePlugin } from '../../../engine/index.ts'
import { arrived, classifyNew } from './arrival.ts'
import { runBatch } from './batch.ts'
import { evaluate } from './evaluate.ts'
import { reusable } from './reusable.ts'
import { routes } from './routes.ts'
import { ticketRoutes } from './ticket-routes.ts'

const resource = (name: string): URL => new URL(`./resources/${name}.yaml`, import.meta.url)

const RELIES_ON = {
  tickets: [
    'subject',
    'details',
    'priority_id',
    'category_id',
    'department_id',
    'type_id',
    'user_id',
    'contact_id',
    'first_response_at',
  ],
  contacts: ['first_name', 'last_name'],
  customers: ['first_name', 'last_name'],
}

export default definePlugin({
  name: 'ai',
  description:
    'Suggests what to do with tickets: learned from those that are settled, or by an OpenAI-compatible server.',
  after: ['auth', 'tickets'],
  reliesOn: RELIES_ON,
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      timeout_ms: {
        type: 'integer',
        minimum: 100,
        maximum: 60_000,
        default: 10_000,
        description: 'How long a server may take with all its tries, in milliseconds; then the local engine answers.',
      },
      retries: {
        type: 'integer',
        minimum: 0,
        maximum: 5,
        default: 2,
        description: 'How often a server that failed is asked again.',
      },
    },
  },
  permissions: {
    'ai.use': 'May ask the AI, and see its settings and analytics.',
    'ai.manage': 'May change the settings of the AI.',
  },
  resources: [resource('ai_settings'), resource('ai_classifications'), resource('ai_uses'), resource('de.words')],
  hooks: { reusable },
  listeners: { arrived: { description: 'Leaves the judgement of new tickets to jobs.', run: arrived } },
  jobs: {
    classify_new: { description: 'Classifies a ticket that has just been opened.', attempts: 3, run: classifyNew },
    classify_batch: { description: 'Classifies several tickets by a server.', attempts: 2, long: true, run: runBatch },
  },
  routes: [...routes, ...ticketRoutes],
  commands: {
    'ai-evaluate': {
      description: 'Measure the local classifier on the desk’s own settled tickets',
      example: 'plinth ai-evaluate',
      begins: false,
      run: evaluate,
    },
  },
})
