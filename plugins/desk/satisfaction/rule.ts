/** Rule: the application has the ratings that links lead to. */
import type { Catalog, Diagnostic } from '../../../engine/index.ts'

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

/** One diagnostic for each field that a rating is made of and the application lacks. */
export function ratedResources({ resources }: Catalog): readonly Diagnostic[] {
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
