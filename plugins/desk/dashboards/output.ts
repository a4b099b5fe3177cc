/** JSON Schemas of the answers with figures. */
import type { JsonSchema } from '../../../engine/index.ts'

const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const DATE: JsonSchema = { type: 'string', format: 'date' }
const TEXT: JsonSchema = { type: 'string' }
const PERCENT: JsonSchema = { type: 'number', minimum: 0, maximum: 100 }
const SECONDS: JsonSchema = { type: ['integer', 'null'], minimum: 0 }
const ID: JsonSchema = { type: 'integer', minimum: 1 }
const MAYBE_ID: JsonSchema = { type: ['integer', 'null'], description: 'null: tickets that have none' }
const MAYBE_NAME: JsonSchema = { type: ['string', 'null'] }

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function list(items: JsonSchema, size?: number): JsonSchema {
  return { type: 'array', items, ...(size === undefined ? {} : { minItems: size, maxItems: size }) }
}

const PERIOD = { date_from: DATE, date_to: DATE }
const DURATION = object({ average: SECONDS, median: SECONDS, p90: SECONDS })
const TOTALS = list(object({ id: MAYBE_ID, name: MAYBE_NAME, total: COUNT }))
const SHARES = list(object({ id: MAYBE_ID, name: MAYBE_NAME, count: COUNT, percentage: PERCENT }))
const PEOPLE = list(object({ id: ID, name: TEXT, count: COUNT }))
const COMPARED = object({
  current: { type: ['integer', 'null'] },
  previous: { type: ['integer', 'null'] },
  change: { type: ['integer', 'null'], description: 'current less previous' },
})
const DRAWN = object({ labels: list(TEXT), data: list(COUNT), colors: list(TEXT) })

const ACTIVITY = object({
  id: { type: 'string', examples: ['comment-12'] },
  type: {
    type: 'string',
    enum: [
      'ticket_created',
      'ticket_updated',
      'ticket_deleted',
      'ticket_restored',
      'ticket_commented',
      'ticket_commented_internally',
    ],
  },
  description: TEXT,
  ticket: object({ id: ID, uid: TEXT, subject: TEXT }),
  user: { anyOf: [object({ id: ID, name: TEXT }), { type: 'null' }] },
  created_at: { type: 'string', format: 'date-time' },
})

export const OVERVIEW = object({
  total_tickets: COUNT,
  opened_tickets: COUNT,
  closed_tickets: COUNT,
  new_tickets: COUNT,
  un_assigned_tickets: COUNT,
  overdue_tickets: COUNT,
  total_customers: COUNT,
  total_contacts: COUNT,
  total_users: COUNT,
  recent_tickets: list({ $ref: '#/resources/tickets/list' }),
  recent_activity: list(ACTIVITY),
})

export const METRICS = object({
  ...PERIOD,
  tickets_by_status: TOTALS,
  tickets_by_priority: TOTALS,
  tickets_by_department: TOTALS,
  tickets_by_category: TOTALS,
  first_response_time: DURATION,
  resolution_time: DURATION,
  backlog: COUNT,
  created: COUNT,
  resolved: COUNT,
  reopened: COUNT,
  resolution_rate: PERCENT,
})

export const ANALYTICS = object({
  ...PERIOD,
  departments: SHARES,
  types: SHARES,
  categories: SHARES,
  top_customers: PEOPLE,
  top_agents: PEOPLE,
  tags: list(object({ name: TEXT, count: COUNT })),
  by_hour: list(COUNT, 24),
  by_weekday: list(COUNT, 7),
})

export const PERFORMANCE = object({
  ...PERIOD,
  first_response: DURATION,
  resolution: DURATION,
  agents: list(
    object({
      id: ID,
      name: TEXT,
      assigned: COUNT,
      resolved: COUNT,
      open: COUNT,
      first_response_time: SECONDS,
      resolution_time: SECONDS,
    }),
  ),
  trends: list(object({ date: DATE, created: COUNT, resolved: COUNT, backlog: COUNT })),
  comparison: object({
    ...PERIOD,
    created: COMPARED,
    resolved: COMPARED,
    backlog: COMPARED,
    first_response: COMPARED,
    resolution: COMPARED,
  }),
})

export const CHARTS = object({
  labels: list(DATE),
  datasets: list(object({ label: TEXT, data: list(COUNT) }), 3),
  status: DRAWN,
  priority: DRAWN,
})

const PROMISED = {
  met: COUNT,
  breached: COUNT,
  paused: COUNT,
  due_soon: COUNT,
  on_track: COUNT,
  met_rate: { ...PERCENT, description: 'How many of those that met it or did not have met it' },
}

const RATED = {
  asked: COUNT,
  answered: COUNT,
  answer_rate: PERCENT,
  average: { type: ['number', 'null'] },
} as const

export const SATISFACTION = object({
  ...PERIOD,
  ...RATED,
  ratings: list(object({ rating: COUNT, count: COUNT }), 5),
  agents: list(object({ id: MAYBE_ID, name: MAYBE_NAME, ...RATED })),
  departments: list(object({ id: MAYBE_ID, name: MAYBE_NAME, ...RATED })),
})

export const SLA = object({
  ...PERIOD,
  ...PROMISED,
  priorities: list(object({ id: ID, name: TEXT, color: { type: ['string', 'null'] }, ...PROMISED })),
})
