/** Route: how fast the desk works, who does it, and whether it was better before. */
import type { Reply, RouteContext } from '../../../engine/index.ts'
import { agentPerformance } from './agents.ts'
import { waits } from './duration.ts'
import { type Period, periodBefore, periodOf } from './period.ts'
import { todayOf } from './tickets.ts'
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

/** `change` is the difference; null where one of the two is. */
function compared(current: number | null, previous: number | null) {
  return { current, previous, change: current === null || previous === null ? null : current - previous }
}
