/** Routes of figures: their access and their parameters. */
import type { FieldDefinition, JsonSchema, Reply, Route, RouteContext } from '../../../engine/index.ts'
import { MEANINGS } from '../tickets/figures.ts'
import { analytics } from './analytics.ts'
import { charts } from './charts.ts'
import { metrics } from './metrics.ts'
import { ANALYTICS, CHARTS, METRICS, OVERVIEW, PERFORMANCE, SLA } from './output.ts'
import { overview } from './overview.ts'
import { performance } from './performance.ts'
import { sla } from './sla.ts'

const QUERY: Readonly<Record<string, FieldDefinition>> = {
  date_from: { type: 'date', description: 'The first day, in the time zone of the desk' },
  date_to: { type: 'date', description: 'The last day; all of it counts' },
  department_id: { type: 'integer', description: 'Only tickets of this department' },
  assigned_to: { type: 'integer', description: 'Only tickets assigned to this user' },
}

const ANALYSTS: Route['access'] = [{ kind: 'permission', permission: 'dashboard.analytics' }]
/** The meanings of the words, in one line. */
const MEANT = MEANINGS.map(([term, meaning]) => `${term}: ${meaning}`).join(' ')
export const PERIOD_WINDOW =
  'Without dates it is about the last 30 days. Only tickets that the caller may see are counted.'

/** The common parts of the routes with a period. */
export const FIGURES = { method: 'GET', tag: 'Dashboard', access: ANALYSTS, query: QUERY } as const

function route(
  path: string,
  summary: string,
  access: Route['access'],
  description: string,
  output: JsonSchema,
  handle: (context: RouteContext) => Promise<Reply>,
): Route {
  return { ...FIGURES, path, summary, access, description, output, handle }
}

export const figureRoutes: readonly Route[] = [
  route(
    '/dashboard',
    'The present state of the desk, and what happened last',
    [
      { kind: 'permission', permission: 'dashboard.view' },
      { kind: 'role', roles: ['customer'] },
    ],
    'The present state of the tickets that the caller may see; dates narrow them to those created then, and never the people. ' +
      MEANT,
    OVERVIEW,
    overview,
  ),
  route(
    '/dashboard/metrics',
    'The key figures of a period',
    ANALYSTS,
    `${PERIOD_WINDOW} Durations in seconds: of first responses given, and of tickets resolved, in the period. The backlog is what was open at its end; the resolution rate says how many of the tickets created in it are resolved by now, in percent. Reopenings are counted from the activity record and are known as far back as it goes; a merge that is undone is none.`,
    METRICS,
    metrics,
  ),
  route(
    '/dashboard/analytics',
    'Where tickets come from, who has them, and when they come',
    ANALYSTS,
    `${PERIOD_WINDOW} \`by_hour\` counts the hours of the day in the time zone of the desk; \`by_weekday\` begins on Monday.`,
    ANALYTICS,
    analytics,
  ),
  route(
    '/dashboard/performance',
    'How fast the desk works, and whether it was faster before',
    ANALYSTS,
    `${PERIOD_WINDOW} Durations in seconds. It is compared with as many days right before. In the trends, a ticket that was opened again counts as open since it was created.`,
    PERFORMANCE,
    performance,
  ),
  route(
    '/dashboard/charts',
    'The figures of a period, ready to be drawn',
    ANALYSTS,
    `${PERIOD_WINDOW} Every day has its label and its place in each data set.`,
    CHARTS,
    charts,
  ),
  route(
    '/dashboard/sla',
    'How the desk keeps what it promised',
    ANALYSTS,
    `${PERIOD_WINDOW} The tickets created in the period, by whether what was promised for their priority is kept at present (GET /settings/sla). Tickets without a promise are not counted.`,
    SLA,
    sla,
  ),
]
