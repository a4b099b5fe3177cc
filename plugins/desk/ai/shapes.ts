/** JSON Schemas of the answers of the AI's routes. */
import type { JsonSchema } from '../../../engine/index.ts'

const ID = { type: 'integer', minimum: 1 }
const SHARE = { type: 'number', minimum: 0, maximum: 1 }
const COUNT = { type: 'integer', minimum: 0 }
const TEXT = { type: 'string' }

/** An object of exactly these properties. */
function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

function orNull({ type, ...rest }: JsonSchema): JsonSchema {
  return { ...rest, type: [type, 'null'] }
}

const NAMED = orNull(object({ id: ID, name: TEXT }))
const MOMENT = orNull({ type: 'string', format: 'date-time' })

/** null without a suggestion. */
const PERHAPS = orNull(SHARE)

const SUGGESTED = {
  ticket_id: ID,
  priority_id: orNull(ID),
  category_id: orNull(ID),
  department_id: orNull(ID),
  type_id: orNull(ID),
  priority: NAMED,
  category: NAMED,
  department: NAMED,
  type: NAMED,
  confidence: SHARE,
  confidences: object({ priority: PERHAPS, category: PERHAPS, department: PERHAPS, type: PERHAPS }),
  reasoning: TEXT,
  provider: TEXT,
  applied: { type: 'boolean' },
  applied_fields: list({ enum: ['priority_id', 'category_id', 'department_id', 'type_id'] }),
  applied_at: MOMENT,
}

export const CLASSIFICATION = object({ id: ID, ...SUGGESTED, created_at: { type: 'string', format: 'date-time' } })

/** A classification that may not be stored, and then has no id. */
const PREVIEW = object({ id: orNull(ID), ...SUGGESTED, created_at: MOMENT })

const SOURCE = object({ type: { enum: ['article', 'faq', 'reply'] }, id: ID, title: TEXT })
const SUGGESTION = object({
  tone: { enum: ['professional', 'friendly', 'concise'] },
  content: TEXT,
  confidence: SHARE,
  sources: list(SOURCE),
})

export const HISTORY = list(CLASSIFICATION)

export const BATCH = object({
  status: { enum: ['completed', 'pending'] },
  job_id: orNull({ type: 'string' }),
  total: COUNT,
  classified: COUNT,
  classifications: list(CLASSIFICATION),
})

export const RESPONSES = object({ ticket_id: ID, provider: TEXT, suggestions: list(SUGGESTION) })

export const TICKET_SUGGESTIONS = object({
  classification: PREVIEW,
  responses: list(SUGGESTION),
  overall_confidence: SHARE,
})

export const SENTIMENT = object({
  sentiment: { enum: ['positive', 'neutral', 'negative'] },
  score: { type: 'number', minimum: -1, maximum: 1 },
  confidence: SHARE,
  urgency: { enum: ['low', 'medium', 'high', 'critical'] },
  key_phrases: list(TEXT),
  provider: TEXT,
})

export const KNOWLEDGE = list(
  object({ type: { enum: ['article', 'faq'] }, id: ID, title: TEXT, excerpt: TEXT, relevance: SHARE }),
)

export const SETTINGS = object({
  enabled: { type: 'boolean' },
  provider: { enum: ['local', 'openai'] },
  model: TEXT,
  base_url: TEXT,
  api_key_set: { type: 'boolean' },
  temperature: { type: 'number', minimum: 0, maximum: 2 },
  max_tokens: COUNT,
  auto_classify: { type: 'boolean' },
  confidence_threshold: SHARE,
  max_suggestions: COUNT,
  sentiment_enabled: { type: 'boolean' },
  kb_max_suggestions: COUNT,
})

export const STATUS = object({
  status: { enum: ['operational', 'disabled'] },
  enabled: { type: 'boolean' },
  provider: { enum: ['local', 'openai'] },
  model: TEXT,
  api_key_set: { type: 'boolean' },
  features: object({
    auto_classify: { type: 'boolean' },
    classification: { type: 'boolean' },
    response_suggestions: { type: 'boolean' },
    sentiment_analysis: { type: 'boolean' },
    knowledge_base: { type: 'boolean' },
  }),
  learning: object({
    tickets: COUNT,
    labels: object({ priority: COUNT, category: COUNT, department: COUNT, type: COUNT }),
  }),
})

const BY_NAME = list(object({ name: TEXT, total: COUNT }))

export const ANALYTICS = object({
  classifications: object({
    total: COUNT,
    automatic: COUNT,
    applied: COUNT,
    acceptance_rate: { type: 'number', minimum: 0, maximum: 100 },
  }),
  confidence: object({ average: SHARE, high: COUNT, medium: COUNT, low: COUNT }),
  sentiment: object({
    total: COUNT,
    positive: COUNT,
    neutral: COUNT,
    negative: COUNT,
    average_score: { type: 'number', minimum: -1, maximum: 1 },
  }),
  volumes: object({ classification: COUNT, responses: COUNT, sentiment: COUNT, total: COUNT, fallbacks: COUNT }),
  providers: BY_NAME,
  trend: list(object({ date: TEXT, total: COUNT })),
})
