/** Routes about one ticket: suggestions, classification, its application, and the history. */
import { type JsonObject, LIMITS, type Reply, type Route, type RouteContext } from '../../../engine/index.ts'
import { choicesOf } from './choices.ts'
import { applyTo, classificationOf, confidencesBy, shape, store, suggestedBy } from './classification.ts'
import { judge } from './judge.ts'
import type { Judgement } from './judgement.ts'
import { TARGETS } from './model.ts'
import { respond } from './respond.ts'
import { aiSettings, needs } from './settings.ts'
import { CLASSIFICATION, HISTORY, TICKET_SUGGESTIONS } from './shapes.ts'

const USE = { tag: 'AI', access: [{ kind: 'permission', permission: 'ai.use' }] } as const

/** The ticket of the path, by id or uid, as the caller may read it. */
function ticketOf({ params, records }: RouteContext): Promise<JsonObject> {
  return records('tickets').get(params.id ?? '')
}

/** A ticket's own words, by which it is judged. */
export function lettersOf(ticket: JsonObject): { readonly subject: string; readonly details: string } {
  return { subject: String(ticket.subject ?? ''), details: String(ticket.details ?? '') }
}

const classify: Route = {
  method: 'POST',
  path: '/ai/tickets/{id}/classify',
  summary: 'Suggest priority, category, department and type of a ticket',
  description: 'The suggestion is stored and nothing is changed on the ticket until it is applied.',
  ...USE,
  body: 'none',
  once: true,
  output: CLASSIFICATION,
  handle: async (context) => {
    const ticket = await ticketOf(context)
    const settings = await aiSettings(context)
    needs(settings, 'enabled')
    const judgement = await judge(context, settings, lettersOf(ticket))
    const text = `${ticket.subject}\n${ticket.details}`
    return context.once(async (inner) => {
      const stored = await store(inner, settings, { id: Number(ticket.id), text }, judgement)
      return { data: shape(stored), message: 'Ticket classified' }
    })
  },
}

const apply: Route = {
  method: 'POST',
  path: '/ai/tickets/{id}/apply-classification',
  summary: 'Write what a classification suggests to its ticket',
  ...USE,
  input: { classification_id: { type: 'integer', required: true, min: 1 } },
  once: true,
  output: CLASSIFICATION,
  handle: (context) =>
    context.once(async (inner) => {
      const ticket = await ticketOf(inner)
      const found = await classificationOf(inner, Number(ticket.id), Number(context.body.classification_id))
      return { data: shape(await applyTo(inner, ticket, found)), message: 'Classification applied' }
    }),
}

const history: Route = {
  method: 'GET',
  path: '/ai/tickets/{id}/classification-history',
  summary: 'The classifications of a ticket, newest first',
  ...USE,
  query: { page: { type: 'integer', min: 1, max: LIMITS.pageMax }, per_page: { type: 'integer', min: 1 } },
  output: HISTORY,
  meta: { pagination: { $ref: '#/components/schemas/Pagination' } },
  handle: async (context): Promise<Reply> => {
    const ticket = await ticketOf(context)
    const page = Number(context.parameters.page ?? 1)
    const size = Math.min(LIMITS.perPageMax, Number(context.parameters.per_page ?? LIMITS.perPageDefault))
    const found = await context
      .records('ai_classifications', 'system')
      .list({ ticket_id: String(ticket.id), page: String(page), per_page: String(size) })
    return { data: found.data.map(shape), meta: { pagination: { ...found.pagination, next_cursor: null } } }
  },
}

const suggestions: Route = {
  method: 'GET',
  path: '/ai/tickets/{id}/suggestions',
  summary: 'What the AI would do with a ticket: its classification and replies to it',
  description: 'Reads only: the classification is the newest stored one, else one that is not stored and has no id.',
  ...USE,
  output: TICKET_SUGGESTIONS,
  handle: async (context) => {
    const ticket = await ticketOf(context)
    const settings = await aiSettings(context)
    const stored = await context
      .records('ai_classifications', 'system')
      .list({ ticket_id: String(ticket.id), per_page: '1' })
    const newest = stored.data[0]
    const judged = async () => (settings.enabled ? judge(context, settings, lettersOf(ticket)) : SILENCE)
    const classification =
      newest === undefined ? await preview(context, Number(ticket.id), await judged()) : shape(newest)
    const { suggestions: responses } = settings.enabled
      ? await respond(context, settings, ticket, '')
      : { suggestions: [] }
    const best = responses[0]?.confidence ?? 0
    const overall = Math.round(((Number(classification.confidence) + best) / 2) * 10_000) / 10_000
    return { data: { classification, responses, overall_confidence: overall } }
  },
}

/** The answer while the AI is switched off. */
const SILENCE: Judgement = { verdicts: [], confidence: 0, reasoning: 'The AI is switched off.', provider: 'local' }

/** A judgement in the form of a classification that is not stored. */
async function preview(context: RouteContext, ticketId: number, judgement: Judgement): Promise<JsonObject> {
  const choices = await choicesOf(context)
  const suggested = suggestedBy(judgement)
  const named = TARGETS.map((target) => {
    const found = choices[target].find(({ id }) => id === suggested[`${target}_id`])
    return [target, found === undefined ? null : { id: found.id, name: found.name }] as const
  })
  const { confidence, provider, reasoning } = judgement
  const confidences = { ...Object.fromEntries(TARGETS.map((target) => [target, null])), ...confidencesBy(judgement) }
  return shape({
    ticket_id: ticketId,
    ...suggested,
    ...Object.fromEntries(named),
    confidence,
    confidences,
    provider,
    reasoning,
  })
}

export const ticketRoutes: readonly Route[] = [suggestions, classify, apply, history]
