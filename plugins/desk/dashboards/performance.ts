/** Route: the speed of the desk, its agents, and the change since the period before. */
import type { Reply, RouteContext } from '../../../engine/index.ts'
import { ONCE, waits, wholeSeconds } from './duration.ts'
import { type Period, periodBefore, periodOf } from './period.ts'
import { ticketQuery, todayOf } from './tickets.ts'
import { type Day, trend } from './trend.ts'

/** GET /dashboard/performance; compared with as many days right before. */
export async function performance(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const before = periodBefore(period)
  const both: Period = { from: before.from, to: period.to, days: before.days + period.days }
  const [waited, agents, days] = await Promise.all([
    waits(context, period),
    agentPerformance(context, period),
    trend(context, both),
  ])
  const [earlier, trends] = [days.slice(0, before.days), days.slice(before.days)]
  const data = {
    date_from: period.from,
    date_to: period.to,
    first_response: waited.first_response,
    resolution: waited.resolution,
    agents,
    trends,
    comparison: {
      date_from: before.from,
      date_to: before.to,
      created: compared(sum(trends, 'created'), sum(earlier, 'created')),
      resolved: compared(sum(trends, 'resolved'), sum(earlier, 'resolved')),
      backlog: compared(trends.at(-1)?.backlog ?? 0, earlier.at(-1)?.backlog ?? 0),
      first_response: compared(waited.first_response.average, waited.before.first_response),
      resolution: compared(waited.resolution.average, waited.before.resolution),
    },
  }
  return { data }
}

function sum(days: readonly Day[], key: 'created' | 'resolved'): number {
  return days.reduce((total, day) => total + day[key], 0)
}

/** `change` is the difference; null where one of the two is missing. */
function compared(current: number | null, previous: number | null) {
  return { current, previous, change: current === null || previous === null ? null : current - previous }
}

/** The most agents: those who resolved most. */
const SHOWN = 100

/** `assigned`: of the tickets created in the period; `open`: at present; times in seconds. */
interface AgentPerformance {
  readonly id: number
  readonly name: string
  readonly assigned: number
  readonly resolved: number
  readonly open: number
  readonly first_response_time: number | null
  readonly resolution_time: number | null
}

/** All assignees of tickets that were created, resolved or left open in the period. */
async function agentPerformance(context: RouteContext, period: Period): Promise<readonly AgentPerformance[]> {
  const query = ticketQuery(context)
  const { firstResponse, open, resolution: took, resolvedAt } = query.figures
  const inner = `select t.assigned_to as id, t.created_at, t.first_response_at, ${resolvedAt} as resolved, ${open} as is_open,
      ${firstResponse} as response, ${took} as resolution
    from ${query.from} where ${query.counted()} and t.assigned_to is not null and ${await query.since(period.from)} ${ONCE}`
  const resolvedNow = query.within('resolved', period)
  const rows = await query.run(
    `select u.id, concat_ws(' ', u.first_name, u.last_name), c.assigned, c.resolved, c.open, c.response, c.resolution
    from (select id, count(*) filter (where ${query.within('created_at', period)}) as assigned,
        count(*) filter (where ${resolvedNow}) as resolved, count(*) filter (where is_open) as open,
        avg(response) filter (where ${query.within('first_response_at', period)}) as response,
        avg(resolution) filter (where ${resolvedNow}) as resolution
      from (${inner}) x group by 1) c
    join ${query.table('users')} u on u.id = c.id where c.assigned + c.resolved + c.open > 0
    order by c.resolved desc, c.assigned desc, u.id limit ${SHOWN}`,
  )
  return rows.map(([id, name, assigned, resolved, open, response, resolution]) => ({
    id: Number(id),
    name: name ?? '',
    assigned: Number(assigned),
    resolved: Number(resolved),
    open: Number(open),
    first_response_time: wholeSeconds(response),
    resolution_time: wholeSeconds(resolution),
  }))
}
