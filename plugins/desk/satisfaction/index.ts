/**
 * The satisfaction plugin: customers are asked by mail whether a solution helped, and answer without signing in. It is
 * a plugin because a link that lets its bearer answer once is a secret, which YAML cannot make or check.
 */
import { type Catalog, type Diagnostic, definePlugin } from '../../../engine/index.ts'
import { answerRoutes } from './answer.ts'
import { ask } from './ask.ts'
import { figureRoute } from './figures.ts'

const RATINGS = 'satisfaction_ratings'
const REQUIRED = [
  'ticket_id',
  'agent_id',
  'department_id',
  'solved_at',
  'rating',
  'comment',
  'rated_at',
  'token_hash',
  'expires_at',
]

/** A diagnostic for each field of a rating that the application lacks. */
function ratedResources({ resources }: Catalog): readonly Diagnostic[] {
  const code = 'satisfaction/missing'
  const ratings = resources.get(RATINGS)
  if (ratings === undefined)
    return [{ code, message: `The ratings need a resource "${RATINGS}"`, hint: `add resources/${RATINGS}.yaml` }]
  return REQUIRED.filter((field) => !ratings.fields.has(field)).map((field) => ({
    code,
    message: `The ratings need the field "${field}"`,
    span: ratings.span,
    hint: 'add it, or leave the plugin satisfaction out of app.yaml',
  }))
}

export default definePlugin({
  name: 'satisfaction',
  description: 'Asks customers how content they are with a solution, and counts their answers.',
  after: ['auth', 'tickets', 'dashboards'],
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
  rules: [ratedResources],
  actions: { ask },
  routes: [...answerRoutes, figureRoute],
})
