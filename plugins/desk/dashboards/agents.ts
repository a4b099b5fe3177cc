/** What each agent had to do in a period, and did. */
import type { RouteContext } from '../../../engine/index.ts'
import { ONCE, wholeSeconds } from './duration.ts'
import type { Period } from './period.ts'
import { ticketQuery } from './tickets.ts'

/** So many agents are shown, those who resolved most. */
const SHOWN = 100

/** `assigned`: of the tickets created in the period; `open`: at present; times in seconds. */
export interface AgentPerformance {
  readonly id: number
  readonly name: string
  readonly assigned: number
  readonly resolved: number
  readonly open: number
  readonly first_response_time: number | null
  readonly resolution_time: number | null
}

/** Everybody to whom tickets are assigned that were created, resolved or left open in the period. */
export async function agentPerformance(context: RouteContext, period: Period): Promise<readonly AgentPerformance[]> {
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
