/** The tickets that a dashboard counts, as SQL: those that its reader may see, of the department and agent asked for. */
import type { RouteContext, Row } from '../../../engine/index.ts'
import { type AskedPeriod, dayAfter } from './period.ts'

/** One statement over tickets in the making; `t` is the alias of the ticket. */
export interface TicketQuery {
  /** `"tickets" t`, and the table of any other resource as quoted SQL. */
  readonly from: string
  readonly table: (resource: string) => string
  /** The condition that a ticket is counted at all; asked once, it binds its parameters once. */
  readonly counted: () => string
  readonly readable: (resource: string, alias: string) => string
  /** Whether the ticket's work has ended, by the category of its status. */
  readonly done: string
  /** When it ended: as stamped, else the ticket's last change; null while it has not. */
  readonly ended: string
  /** Whether a moment lies within the days asked for; an end that is not given is open. */
  readonly within: (moment: string, period: AskedPeriod) => string
  readonly bind: (value: unknown, type: string) => string
  /** The statement's parameters so far, for conditions that add their own. */
  readonly values: unknown[]
  readonly run: (text: string) => Promise<readonly Row[]>
}

/** Begins a statement for the caller of `context`; it runs where a moment's lag is no harm. */
export function ticketQuery(context: RouteContext): TicketQuery {
  const { catalog, database, parameters } = context
  const values: unknown[] = []
  const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
  const bind = (value: unknown, type: string): string => `$${values.push(value)}::${type}`
  const done = `t.status_id = any(array(select d.id from ${table('statuses')} d where d.category in ('solved', 'closed')))`
  const counted = (): string => {
    const conditions = [context.readable('tickets', 't', values)]
    for (const column of ['department_id', 'assigned_to'] as const) {
      if (parameters[column] !== undefined) conditions.push(`t.${column} = ${bind(parameters[column], 'bigint')}`)
    }
    return conditions.join(' and ')
  }
  return {
    from: `${table('tickets')} t`,
    table,
    counted,
    done,
    ended: `case when ${done} then coalesce(t.resolved_at, t.closed_at, t.updated_at) end`,
    readable: (resource, alias) => context.readable(resource, alias, values),
    within: (moment, { from, to }) => {
      const parts: string[] = []
      if (from !== undefined) parts.push(`${moment} >= ${startOf(bind, from)}`)
      if (to !== undefined) parts.push(`${moment} < ${startOf(bind, dayAfter(to))}`)
      return parts.length === 0 ? 'true' : `(${parts.join(' and ')})`
    },
    bind,
    values,
    run: (text) => database.lagging.run({ text }, values),
  }
}

/** The first moment of a day. */
export function startOf(bind: TicketQuery['bind'], day: string): string {
  return bind(`${day} 00:00:00+00`, 'timestamptz')
}

/** The day of the request, UTC. */
export function todayOf({ now }: Pick<RouteContext, 'now'>): string {
  return now().toISOString().slice(0, 10)
}
