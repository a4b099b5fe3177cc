/** The customers report: who asked, how often, and the state of their tickets. */
import type { Content } from '../content.ts'
import { createdTickets, moment, personName, wholeSeconds } from '../query.ts'

export const customers: Content = {
  columns: [
    { key: 'customer', label: 'Customer', type: 'text', width: 22 },
    { key: 'email', label: 'E-mail', type: 'text', width: 26 },
    { key: 'organization', label: 'Organization', type: 'text', width: 20 },
    { key: 'tickets', label: 'Tickets', type: 'integer', width: 9 },
    { key: 'open', label: 'Open', type: 'integer', width: 9 },
    { key: 'resolved', label: 'Resolved', type: 'integer', width: 9 },
    { key: 'resolution_time', label: 'Resolution', type: 'duration', width: 12 },
    { key: 'last_ticket_at', label: 'Last ticket', type: 'timestamp', width: 16 },
  ],
  tiles: [
    { path: 'customers', label: 'Customers with tickets', type: 'integer' },
    { path: 'total', label: 'Tickets', type: 'integer' },
    { path: 'without_customer', label: 'Without a customer', type: 'integer' },
    { path: 'open', label: 'Open', type: 'integer' },
    { path: 'resolution_rate', label: 'Resolved', type: 'percent' },
    { path: 'first_response_time.average', label: 'First response, average', type: 'duration' },
  ],
  chart: { kind: 'bar', title: 'Tickets by customer', label: 'customer', series: ['tickets', 'resolved'] },
  // Everybody who sees a ticket sees its customer; the organization is for people who may see it.
  rows: (query) =>
    `select ${personName('u')}, u.email, o.name, x.tickets, x.open, x.resolved,
      ${wholeSeconds('x.resolution')}, ${moment('x.last')}
    from (select t.user_id, count(*) as tickets, count(*) filter (where ${query.figures.resolved}) as resolved,
        count(*) filter (where ${query.figures.open}) as open, avg(${query.figures.resolution}) as resolution, max(t.created_at) as last
      ${createdTickets(query)} and t.user_id is not null group by 1) x
    join ${query.table('users')} u on u.id = x.user_id
    left join ${query.table('organizations')} o on o.id = u.organization_id and ${query.readable('organizations', 'o')}
    order by x.tickets desc, u.id`,
  figures: async (query) => {
    const rows = await query.run(
      `select count(distinct t.user_id), count(*) filter (where t.user_id is null) ${createdTickets(query)}`,
    )
    const [known, without] = (rows[0] ?? []).map(Number)
    return { customers: known ?? 0, without_customer: without ?? 0 }
  },
}
