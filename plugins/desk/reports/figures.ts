/** The figures of every report: how many tickets were created in its days, where they stand, how long they took. */
import type { JsonObject, Row } from '../../../engine/index.ts'
import { createdTickets, DONE, ENDED, type Query, secondsTo } from './query.ts'

const SPREAD = (seconds: string): string =>
  `round(avg(${seconds})), percentile_cont(array[0.5, 0.9]) within group (order by ${seconds})`

/** Counts, durations in seconds, and the lists by_status and by_priority. */
export async function figures(query: Query): Promise<JsonObject> {
  const rows = await query.run(
    `select count(*), count(*) filter (where s.category = 'open'), count(*) filter (where s.category = 'pending'),
      count(*) filter (where s.category = 'solved'), count(*) filter (where s.category = 'closed'),
      count(*) filter (where t.assigned_to is null),
      count(*) filter (where t.due_date < (now() at time zone 'UTC')::date and not (${DONE})),
      ${SPREAD(secondsTo('t.first_response_at'))}, ${SPREAD(secondsTo(`(${ENDED})`))}
    ${createdTickets(query)}`,
  )
  const [total = 0, open, pending, solved = 0, closed = 0, unassigned, overdue] = (rows[0] ?? [])
    .slice(0, 7)
    .map(Number)
  const times = (rows[0] ?? []).slice(7)
  return {
    total,
    open: open ?? 0,
    pending: pending ?? 0,
    solved,
    closed,
    unassigned: unassigned ?? 0,
    overdue: overdue ?? 0,
    resolution_rate: total === 0 ? 0 : Math.round((10_000 * (solved + closed)) / total) / 100,
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

/** The tickets by status and by priority, one scan for both; what no ticket has is not told. */
async function shares(query: Query): Promise<JsonObject> {
  const rows = await query.run(
    `with c as materialized (select t.status_id, t.priority_id, count(*) as n ${createdTickets(query)} group by 1, 2)
    select 'by_status', l.id, l.name, sum(c.n) from c join ${query.table('statuses')} l on l.id = c.status_id group by 2, 3
    union all
    select 'by_priority', l.id, l.name, sum(c.n) from c join ${query.table('priorities')} l on l.id = c.priority_id group by 2, 3
    order by 1, 4 desc, 2`,
  )
  const of = (kind: string) =>
    rows
      .filter(([found]) => found === kind)
      .map(([, id, name, total]) => ({ id: Number(id), name: name ?? '', total: Number(total) }))
  return { by_status: of('by_status'), by_priority: of('by_priority') }
}
