/** The tickets that a dashboard counts, as SQL: those that its reader may see, of the chosen department and agent. */
import { dayAt, type RouteContext, type Row } from '../../../engine/index.ts'
import { type Figures, figuresOf, openStatuses } from '../tickets/figures.ts'
import { localSeconds, startOfDay, zoneOf } from '../tickets/zone.ts'
import { type AskedPeriod, dayAfter } from './period.ts'

/** A statement over tickets that is being made; `t` is the alias of the ticket. */
export interface TicketQuery {
  /** `"tickets" t`, and the table of any other resource as quoted SQL. */
  readonly from: string
  readonly table: (resource: string) => string
  /** The condition that a ticket counts; a single use binds its parameters once. */
  readonly counted: () => string
  readonly readable: (resource: string, alias: string) => string
  /** The figures of a ticket. */
  readonly figures: Figures
  /** Whether a ticket may count from a day on; false if it ended before. */
  readonly since: (day: string) => Promise<string>
  /** Whether a moment is within the chosen days; a missing end is open. */
  readonly within: (moment: string, period: AskedPeriod) => string
  /** The first moment of a day, and the seconds on the desk's clocks at a moment. */
  readonly startOf: (day: string) => string
  readonly localSeconds: (moment: string) => string
  readonly bind: (value: unknown, type: string) => string
  /** The statement's parameters so far, for conditions that add more. */
  readonly values: unknown[]
  readonly run: (text: string) => Promise<readonly Row[]>
}

/** Begins a statement for the caller of `context`; it may run where the data is a moment old. */
export function ticketQuery(context: RouteContext): TicketQuery {
  const { catalog, database, parameters } = context
  const values: unknown[] = []
  const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
  const bind = (value: unknown, type: string): string => `$${values.push(value)}::${type}`
  const zone = zoneOf(catalog)
  const startOf = (day: string): string => startOfDay(zone, bind, day)
  const counted = (): string => {
    const conditions = [context.readable('tickets', 't', values)]
    for (const column of ['department_id', 'assigned_to'] as const) {
      if (parameters[column] !== undefined) conditions.push(`t.${column} = ${bind(parameters[column], 'bigint')}`)
    }
    return conditions.join(' and ')
  }
  const figures = figuresOf(catalog)
  return {
    from: `${table('tickets')} t`,
    table,
    counted,
    figures,
    readable: (resource, alias) => context.readable(resource, alias, values),
    since: async (day) => {
      const open = await openStatuses(catalog, database.lagging)
      return figures.since(startOf(day), bind(open, 'int[]'))
    },
    within: (moment, { from, to }) => {
      const parts: string[] = []
      if (from !== undefined) parts.push(`${moment} >= ${startOf(from)}`)
      if (to !== undefined) parts.push(`${moment} < ${startOf(dayAfter(to))}`)
      return parts.length === 0 ? 'true' : `(${parts.join(' and ')})`
    },
    startOf,
    localSeconds: (moment) => localSeconds(zone, bind, moment),
    bind,
    values,
    run: (text) => database.lagging.run({ text }, values),
  }
}

/** The day of the request in the desk's time zone. */
export function todayOf({ catalog, now }: Pick<RouteContext, 'catalog' | 'now'>): string {
  return dayAt(now().getTime(), zoneOf(catalog))
}
