/** Route: how the desk stands, for everybody over the tickets that they may see. */
import { ApiError, type Reply, type RouteContext } from '../../../engine/index.ts'
import { recentActivity } from './activity.ts'
import { type AskedPeriod, askedPeriod } from './period.ts'
import { startOf, ticketQuery, todayOf } from './tickets.ts'

const RECENT_TICKETS = '5'

/** GET /dashboard: the present state; dates, where given, narrow tickets to those created then, and people never. */
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
  const today = todayOf(context)
  const [row = []] = await query.run(
    `select count(*), count(*) filter (where ${query.done}),
      count(*) filter (where t.created_at >= ${startOf(query.bind, today)}),
      count(*) filter (where t.assigned_to is null),
      count(*) filter (where t.due_date < ${query.bind(today, 'date')} and (${query.done}) is not true)
    from ${query.from} where ${query.counted()} and ${query.within('t.created_at', period)}`,
  )
  const [total = 0, closed = 0, created = 0, unassigned = 0, overdue = 0] = row.map(Number)
  return {
    total_tickets: total,
    opened_tickets: total - closed,
    closed_tickets: closed,
    new_tickets: created,
    un_assigned_tickets: unassigned,
    overdue_tickets: overdue,
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

/** As lists show them; a list that is read by cursor is not counted. */
async function recentTickets({ parameters, records }: RouteContext, { from, to }: AskedPeriod) {
  const query = {
    cursor: 'first',
    sort: '-created_at',
    per_page: RECENT_TICKETS,
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
    ...(parameters.department_id === undefined ? {} : { department_id: String(parameters.department_id) }),
    ...(parameters.assigned_to === undefined ? {} : { assigned_to: String(parameters.assigned_to) }),
  }
  try {
    return (await records('tickets').list(query)).data
  } catch (error) {
    // Who may see no ticket at all has no recent ones, as the figures count none.
    if (error instanceof ApiError && error.code === 'forbidden') return []
    throw error
  }
}
