/** Route: the key figures of a period. */
import type { Reply, RouteContext } from '../../../engine/index.ts'
import { breakdown, percentage, type Share, totalOf } from './breakdown.ts'
import { waits } from './duration.ts'
import { periodOf } from './period.ts'
import { reopenings } from './reopened.ts'
import { todayOf } from './tickets.ts'

/** GET /dashboard/metrics. `resolution_rate`: how many of the tickets created in the period are resolved by now, in percent. */
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
