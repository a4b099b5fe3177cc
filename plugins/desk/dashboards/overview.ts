/** Route: the state of the desk, by the tickets that the caller may see. */
import { ApiError, type Reply, type RouteContext } from '../../../engine/index.ts'
import { recentActivity } from './activity.ts'
import { type AskedPeriod, askedPeriod, dayAfter } from './period.ts'
import { ticketQuery, todayOf } from './tickets.ts'

const RECENT_TICKETS = '5'

/** GET /dashboard: the present state; dates narrow tickets to those created then, and never people. */
export async function overview(context: RouteContext): Promise<Reply> {
  const period = askedPeriod(context.parameters)
  const [tickets, people, recent_tickets, recent_activity] = await Promise.all([
    ticketCounts(context, period),
    peopleCounts(context),
    recentTickets(context, period),
    recentActivity(context, period),
  ])
  return { data: { ...tickets, ...people, recent_tickets, recent_activity } }
}

async function ticketCounts(context: RouteContext, period: AskedPeriod) {
  const query = ticketQuery(context)
  const { closed, overdue, unassigned } = query.figures
  const today = todayOf(context)
  const [row = []] = await query.run(
    `select count(*), count(*) filter (where ${closed}),
      count(*) filter (where t.created_at >= ${query.startOf(today)}),
      count(*) filter (where ${unassigned}),
      count(*) filter (where ${overdue(query.bind(today, 'date'))})
    from ${query.from} where ${query.counted()} and ${query.within('t.created_at', period)}`,
  )
  const [total = 0, ended = 0, created = 0, alone = 0, late = 0] = row.map(Number)
  return {
    total_tickets: total,
    opened_tickets: total - ended,
    closed_tickets: ended,
    new_tickets: created,
    un_assigned_tickets: alone,
    overdue_tickets: late,
  }
}

async function peopleCounts(context: RouteContext) {
  const query = ticketQuery(context)
  const count = (resource: string): string =>
    `(select count(*) from ${query.table(resource)} p where ${query.readable(resource, 'p')})`
  const [row = []] = await query.run(`select ${['customers', 'contacts', 'users'].map(count).join(', ')}`)
  const [customers = 0, contacts = 0, users = 0] = row.map(Number)
  return { total_customers: customers, total_contacts: contacts, total_users: users }
}

/** As in lists; a list that is read by cursor is not counted. */
async function recentTickets(context: RouteContext, period: AskedPeriod) {
  const { parameters, records } = context
  const query = {
    cursor: 'first',
    sort: '-created_at',
    per_page: RECENT_TICKETS,
    ...(await momentsOf(context, period)),
    ...(parameters.department_id === undefined ? {} : { department_id: String(parameters.department_id) }),
    ...(parameters.assigned_to === undefined ? {} : { assigned_to: String(parameters.assigned_to) }),
  }
  try {
    return (await records('tickets').list(query)).data
  } catch (error) {
    // A caller who may see no ticket has no recent ones, as the figures count none.
    if (error instanceof ApiError && error.code === 'forbidden') return []
    throw error
  }
}

/** The ends of a period as filters of a list, whose days are UTC; those of the desk may be others. */
async function momentsOf(context: RouteContext, { from, to }: AskedPeriod): Promise<Readonly<Record<string, string>>> {
  if (from === undefined && to === undefined) return {}
  const query = ticketQuery(context)
  const moment = (day: string | undefined): string =>
    day === undefined ? 'null' : `to_char(${query.startOf(day)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const [row = []] = await query.run(`select ${moment(from)}, ${moment(to === undefined ? to : dayAfter(to))}`)
  return {
    ...(row[0] == null ? {} : { 'created_at[gte]': row[0] }),
    ...(row[1] == null ? {} : { 'created_at[lt]': row[1] }),
  }
}
