/** The tickets of a report, as SQL: those that its maker may see. */
import { dayAt, type PluginContext, type Row, type Runner } from '../../../engine/index.ts'
import { dayAfter, type Period } from '../dashboards/period.ts'
import { type Figures, figuresOf, openStatuses } from '../tickets/figures.ts'
import { localSeconds, startOfDay, zoneOf } from '../tickets/zone.ts'

/** A statement that is being made; `t` is the alias of the ticket. */
export interface Query {
  /** The quoted table of a resource. */
  readonly table: (resource: string) => string
  /** Whether ticket `t` may be seen; a single use binds its parameters once. */
  readonly seen: () => string
  readonly readable: (resource: string, alias: string) => string
  /** SQL: whether a moment is within the report's days, or before their end. */
  readonly within: (moment: string) => string
  readonly before: (moment: string) => string
  /** Whether ticket `t` existed by the end of the days, and had not ended before they began. */
  readonly concerned: () => string
  /** The figures of a ticket. */
  readonly figures: Figures
  /** SQL of the desk's day: today's, that of a moment, and its beginning. */
  readonly today: string
  readonly dayOf: (moment: string) => string
  readonly startOf: (day: string) => string
  readonly bind: (value: unknown, type: string) => string
  readonly values: readonly unknown[]
  readonly period: Period
  /** Another statement of the same report. */
  readonly another: () => Query
  readonly run: (text: string) => Promise<readonly Row[]>
}

/** SQL of whole seconds, null without a measurement. */
export function wholeSeconds(average: string): string {
  return `round((${average})::numeric)::bigint`
}

/** A share in percent with two digits; 0 of nothing. */
export function percent(part: string, whole: string): string {
  return `coalesce(round(100.0 * ${part} / nullif(${whole}, 0), 2), 0)::float8`
}

/** A moment in the form of the API. */
export function moment(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** A person's name; null without a person. */
export function personName(alias: string): string {
  return `nullif(concat_ws(' ', ${alias}.first_name, ${alias}.last_name), '')`
}

type Asking = Pick<PluginContext, 'catalog' | 'readable' | 'now'>

/** Begins a statement over the days of `period`, for the actor of `context`. */
export async function reportQuery(context: Asking, period: Period, runner: Runner): Promise<Query> {
  return queryOf(context, period, runner, await openStatuses(context.catalog, runner))
}

function queryOf(context: Asking, period: Period, runner: Runner, open: readonly number[]): Query {
  const values: unknown[] = []
  const bind = (value: unknown, type: string): string => `$${values.push(value)}::${type}`
  const zone = zoneOf(context.catalog)
  const startOf = (day: string): string => startOfDay(zone, bind, day)
  const before = (at: string): string => `${at} < ${startOf(dayAfter(period.to))}`
  const figures = figuresOf(context.catalog)
  return {
    table: (resource) => `"${context.catalog.resources.get(resource)!.table}"`,
    seen: () => context.readable('tickets', 't', values),
    readable: (resource, alias) => context.readable(resource, alias, values),
    within: (at) => `(${at} >= ${startOf(period.from)} and ${before(at)})`,
    before,
    concerned: () => `${before('t.created_at')} and ${figures.since(startOf(period.from), bind(open, 'int[]'))}`,
    figures,
    // Bound on use: PostgreSQL refuses a parameter that no text names.
    get today() {
      return bind(dayAt(context.now().getTime(), zone), 'date')
    },
    dayOf: (at) => `(date '1970-01-01' + floor(${localSeconds(zone, bind, at)} / 86400)::int)`,
    startOf,
    bind,
    values,
    period,
    another: () => queryOf(context, period, runner, open),
    run: (text) => runner.run({ text }, values),
  }
}

/** `from` and `where` of the tickets created in the period, each with its status as `s`. */
export function createdTickets(query: Query, joins = ''): string {
  return `from ${query.table('tickets')} t join ${query.table('statuses')} s on s.id = t.status_id ${joins}
    where ${query.seen()} and ${query.within('t.created_at')}`
}
