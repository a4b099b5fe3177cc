/** Routes of the AI that are not about one ticket: status, analytics, settings, batches, moods, replies, knowledge. */
import {
  ApiError,
  fieldError,
  invalid,
  type JsonObject,
  LIMITS,
  type Route,
  type RouteContext,
} from '../../../engine/index.ts'
import { analytics } from './analytics.ts'
import { BATCH_MOST, batchClassify } from './batch.ts'
import { used } from './classification.ts'
import { findKnowledge } from './knowledge.ts'
import { learned } from './learner.ts'
import { TARGETS } from './model.ts'
import { respond } from './respond.ts'
import { moodOf } from './sentiment.ts'
import { aiSettings, changeSettings, forgetSettings, needs, shownSettings } from './settings.ts'
import { ANALYTICS, BATCH, KNOWLEDGE, RESPONSES, SENTIMENT, SETTINGS, STATUS } from './shapes.ts'

/** The most articles and FAQs of one answer. */
const KNOWLEDGE_MOST = 50

const USE = { tag: 'AI', access: [{ kind: 'permission', permission: 'ai.use' }] } as const

const status: Route = {
  method: 'GET',
  path: '/ai/status',
  summary: 'Which engine answers, what is switched on, and what it has learned',
  ...USE,
  output: STATUS,
  handle: async (context) => {
    const shown = await shownSettings(context)
    const { model } = await learned(context)
    const labels = TARGETS.map((target) => {
      const ids = [...model.examples.values()].map((example) => example.labels[target]).filter((id) => id !== null)
      return [target, new Set(ids).size] as const
    })
    const on = shown.enabled === true
    return {
      data: {
        status: on ? 'operational' : 'disabled',
        enabled: on,
        provider: shown.provider,
        model: shown.provider === 'local' ? 'local' : shown.model,
        api_key_set: shown.api_key_set,
        features: {
          auto_classify: on && shown.auto_classify === true,
          classification: on,
          response_suggestions: on,
          sentiment_analysis: on && shown.sentiment_enabled === true,
          knowledge_base: on,
        },
        learning: { tickets: model.examples.size, labels: Object.fromEntries(labels) },
      },
    }
  },
}

const readSettings: Route = {
  method: 'GET',
  path: '/ai/settings',
  summary: 'What the AI is set to; its key is never shown',
  ...USE,
  output: SETTINGS,
  handle: async (context) => ({ data: await shownSettings(context) }),
}

const writeSettings: Route = {
  method: 'POST',
  path: '/ai/settings',
  summary: 'Change what is named; null goes back to the default',
  tag: 'AI',
  access: [{ kind: 'permission', permission: 'ai.manage' }],
  input: {
    enabled: { type: 'boolean' },
    provider: { type: 'enum', values: ['local', 'openai'] },
    model: { type: 'string', max: 200 },
    base_url: { type: 'url' },
    api_key: { type: 'secret', max: 500 },
    temperature: { type: 'decimal', precision: 5, scale: 4, min: '0', max: '2' },
    max_tokens: { type: 'integer', min: 50, max: 32_000 },
    auto_classify: { type: 'boolean' },
    confidence_threshold: { type: 'decimal', precision: 5, scale: 4, min: '0', max: '1' },
    max_suggestions: { type: 'integer', min: 1, max: 10 },
    sentiment_enabled: { type: 'boolean' },
    kb_max_suggestions: { type: 'integer', min: 1, max: 20 },
    api_key_set: { type: 'boolean', read_only: true },
  },
  once: true,
  output: SETTINGS,
  handle: async (context) => {
    const { confidence_threshold: threshold, temperature, ...rest } = context.body
    const numbers = Object.entries({ confidence_threshold: threshold, temperature }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === null ? null : Number(value)] as const],
    )
    return context.once(async (inner) => {
      inner.afterCommit(() => forgetSettings(inner))
      await changeSettings(inner, { ...rest, ...Object.fromEntries(numbers) })
      return { data: await shownSettings(inner), message: 'AI settings updated' }
    })
  },
}

const readAnalytics: Route = {
  method: 'GET',
  path: '/ai/analytics',
  summary: 'How much the AI did, how sure it was, and how often it was taken',
  ...USE,
  output: ANALYTICS,
  handle: async (context) => ({ data: await analytics(context) }),
}

const batch: Route = {
  method: 'POST',
  path: '/ai/batch-classify',
  summary: `Classify up to ${BATCH_MOST} tickets`,
  description: 'By the local engine at once; by a server as a job, and the classifications are found in the history.',
  ...USE,
  input: {
    ticket_ids: {
      type: 'list',
      of: 'integer',
      required: true,
      min_items: 1,
      max_items: BATCH_MOST,
      min: 1,
      max: LIMITS.idMax,
    },
  },
  once: true,
  output: BATCH,
  handle: (context) => batchClassify(context, context.body.ticket_ids as readonly number[]),
}

const responses: Route = {
  method: 'POST',
  path: '/ai/response-suggestions',
  summary: 'Suggest replies to a ticket, with their sources',
  description:
    'Drawn from published articles and FAQs and from the replies that staff wrote to be used again, never from other tickets. Each suggestion has another matter than the ones before it; with no source it is a question to the customer. No suggestion says that somebody did or will do something.',
  ...USE,
  input: { ticket_id: { type: 'integer', required: true, min: 1 }, context: { type: 'text', max: 5000 } },
  once: true,
  output: RESPONSES,
  handle: async (context) => {
    const ticket = await chosenTicket(context)
    const settings = await aiSettings(context)
    needs(settings, 'enabled')
    const { failure, provider, suggestions } = await respond(
      context,
      settings,
      ticket,
      String(context.body.context ?? ''),
    )
    return context.once(async (inner) => {
      await used(inner, { kind: 'responses', provider, ticket: Number(ticket.id), fellBack: failure !== undefined })
      return { data: { ticket_id: Number(ticket.id), provider, suggestions } }
    })
  },
}

/** The ticket that the body names; one that the caller cannot see is no valid choice. */
async function chosenTicket({ body, records }: RouteContext): Promise<JsonObject> {
  try {
    return await records('tickets').get(Number(body.ticket_id))
  } catch (error) {
    if (!(error instanceof ApiError) || !['record_not_found', 'forbidden'].includes(error.code)) throw error
    throw invalid({ ticket_id: [fieldError('invalid_selection', 'The selected ticket is invalid')] })
  }
}

const sentiment: Route = {
  method: 'POST',
  path: '/ai/sentiment-analysis',
  summary: 'The mood of a text, how urgent it is, and the phrases that say so',
  ...USE,
  input: { text: { type: 'text', required: true } },
  once: true,
  output: SENTIMENT,
  handle: async (context) => {
    const settings = await aiSettings(context)
    needs(settings, 'sentiment_enabled')
    const { failure, ...data } = await moodOf(context, settings, String(context.body.text))
    const { provider, score, sentiment: mood } = data
    return context.once(async (inner) => {
      await used(inner, { kind: 'sentiment', provider, sentiment: mood, score, fellBack: failure !== undefined })
      return { data }
    })
  },
}

const knowledge: Route = {
  method: 'GET',
  path: '/ai/knowledge-base/suggestions',
  summary: 'Published articles and FAQs that answer a question, best first',
  ...USE,
  query: {
    query: { type: 'text', required: true, max: 1000 },
    limit: { type: 'integer', min: 1, max: KNOWLEDGE_MOST },
  },
  output: KNOWLEDGE,
  handle: async (context) => {
    const settings = await aiSettings(context)
    const limit = Number(context.parameters.limit ?? settings.kb_max_suggestions)
    if (limit < 1 || limit > KNOWLEDGE_MOST)
      throw invalid({ limit: [fieldError('out_of_range', `The limit must be from 1 to ${KNOWLEDGE_MOST}`)] })
    if (!settings.enabled) return { data: [] }
    const found = await findKnowledge(context, String(context.parameters.query), limit, ['article', 'faq'])
    return { data: found.map(({ excerpt, id, relevance, title, type }) => ({ type, id, title, excerpt, relevance })) }
  },
}

export const routes: readonly Route[] = [
  status,
  readAnalytics,
  readSettings,
  writeSettings,
  batch,
  responses,
  sentiment,
  knowledge,
]
