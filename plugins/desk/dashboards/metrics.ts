/** Route: the key figures of a period. */
import { loggedIdSql, type Reply, type RouteContext } from '../../../engine/index.ts'
import { ENDED } from '../tickets/figures.ts'
import { breakdown, percentage, type Share, totalOf } from './breakdown.ts'
import { ONCE, waits } from './duration.ts'
import { type Period, periodOf } from './period.ts'
import { ticketQuery, todayOf } from './tickets.ts'

/**
 * GET /dashboard/metrics. `resolution_rate`: the share of the tickets created in the period that are resolved by now,
 * in percent.
 */
export async function metrics(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const [shares, waited, reopened] = await Promise.all([
    breakdown(context, period, ['status', 'priority', 'department', 'category']),
    waits(context, period),
    reopenings(context, period),
  ])
  const created = totalOf(shares.status)
  const data = {
    date_from: period.from,
    date_to: period.to,
    tickets_by_status: shares.status.map(total),
    tickets_by_priority: shares.priority.map(total),
    tickets_by_department: shares.department.map(total),
    tickets_by_category: shares.category.map(total),
    first_response_time: waited.first_response,
    resolution_time: waited.resolution,
    backlog: waited.backlog,
    created,
    resolved: waited.resolved,
    reopened,
    resolution_rate: percentage(waited.resolvedOfCreated, created),
  }
  return { data }
}

function total({ id, name, total }: Share): Pick<Share, 'id' | 'name' | 'total'> {
  return { id, name, total }
}

/**
 * How often finished work was taken up again: changes of a status in the period, from a category that ends the work to
 * one that does not, by the present categories. Undoing a merge does not count. Only the log of changes is known; 0 for
 * the time before it, and without it.
 */
async function reopenings(context: RouteContext, period: Period): Promise<number> {
  const tickets = context.catalog.resources.get('tickets')!
  if (tickets.keys.activity !== true) return 0
  const query = ticketQuery(context)
  const ended = (side: 'from' | 'to'): string =>
    `(c ->> '${side}')::int = any(array(select s.id from ${query.table('statuses')} s where s.category in (${ENDED.map((category) => `'${category}'`).join(', ')})))`
  const changes = `select ${loggedIdSql(context.catalog, tickets, 'a')} as ticket_id from plinth_change a, lateral jsonb_array_elements(a.changes) c
    where a.resource = 'tickets' and a.action = 'update' and ${query.within('a.created_at', period)}
      and c ->> 'field' = 'status_id' and ${ended('from')} and not ${ended('to')}
      and not exists (select 1 from jsonb_array_elements(a.changes) m where m ->> 'field' = 'merged_into_id') ${ONCE}`
  const [row] = await query.run(
    `select count(*) from (${changes}) x join ${query.from} on t.id = x.ticket_id where ${query.counted()}`,
  )
  return Number(row?.[0] ?? 0)
}
