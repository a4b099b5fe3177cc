/** The figures of every report: the tickets created in its days, their states, and their durations. */
import type { JsonObject, Row } from '../../../engine/index.ts'
import { createdTickets, type Query } from './query.ts'

const SPREAD = (seconds: string): string =>
  `round(avg(${seconds})), percentile_cont(array[0.5, 0.9]) within group (order by ${seconds})`

/** Counts, durations in seconds, and the lists by_status and by_priority. */
export async function figures(query: Query): Promise<JsonObject> {
  const { cancelled, firstResponse, overdue, resolution, resolved, unassigned } = query.figures
  const rows = await query.run(
    `select count(*), count(*) filter (where s.category = 'open'), count(*) filter (where s.category = 'pending'),
      count(*) filter (where s.category = 'solved'), count(*) filter (where s.category = 'closed'),
      count(*) filter (where ${resolved}), count(*) filter (where ${cancelled}),
      count(*) filter (where ${unassigned}), count(*) filter (where ${overdue(query.today)}),
      ${SPREAD(firstResponse)}, ${SPREAD(resolution)}
    ${createdTickets(query)}`,
  )
  const [total = 0, open = 0, pending = 0, solved = 0, closed = 0, done = 0, dropped = 0, alone = 0, late = 0] = (
    rows[0] ?? []
  )
    .slice(0, 9)
    .map(Number)
  const times = (rows[0] ?? []).slice(9)
  return {
    total,
    open,
    pending,
    solved,
    closed,
    resolved: done,
    cancelled: dropped,
    unassigned: alone,
    overdue: late,
    resolution_rate: total === 0 ? 0 : Math.round((10_000 * done) / total) / 100,
    first_response_time: durationOf(times.slice(0, 2)),
    resolution_time: durationOf(times.slice(2)),
    ...(await shares(query.another())),
  }
}

function durationOf([average, percentiles]: Row): JsonObject {
  const whole = (text: string | null | undefined): number | null => (text == null ? null : Math.round(Number(text)))
  const [median, p90] = percentiles == null ? [] : percentiles.slice(1, -1).split(',')
  return { average: whole(average), median: whole(median), p90: whole(p90) }
}

/** The tickets by status and by priority, one scan for both; values without tickets are left out. */
async function shares(query: Query): Promise<JsonObject> {
  const rows = await query.run(
    `with plinth_cells as materialized (select t.status_id, t.priority_id, count(*) as n ${createdTickets(query)} group by 1, 2)
    select 'by_status', l.id, l.name, sum(c.n) from plinth_cells c join ${query.table('statuses')} l on l.id = c.status_id group by 2, 3
    union all
    select 'by_priority', l.id, l.name, sum(c.n) from plinth_cells c join ${query.table('priorities')} l on l.id = c.priority_id group by 2, 3
    order by 1, 4 desc, 2`,
  )
  const of = (kind: string) =>
    rows
      .filter(([found]) => found === kind)
      .map(([, id, name, total]) => ({ id: Number(id), name: name ?? '', total: Number(total) }))
  return { by_status: of('by_status'), by_priority: of('by_priority') }
}
