/** Route: where the tickets of a period come from, who has them, and when they come. */
import type { Reply, RouteContext } from '../../engine/index.ts'
import { breakdown, largestFirst, percentage, type Share, totalOf } from './breakdown.ts'
import { type Period, periodOf } from './period.ts'
import { ticketQuery, todayOf } from './tickets.ts'

/** So many customers, agents and tags are shown. */
const TOP = 10
const HOUR_MS = 3_600_000

/** GET /dashboard/analytics. Hours are UTC; `by_weekday` begins on Monday. */
export async function analytics(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const [shares, customers, agents, tags, times] = await Promise.all([
    breakdown(context, period, ['department', 'type', 'category']),
    topPeople(context, period, 'user_id'),
    topPeople(context, period, 'assigned_to'),
    topTags(context, period),
    rhythm(context, period),
  ])
  const data = {
    date_from: period.from,
    date_to: period.to,
    departments: proportions(shares.department),
    types: proportions(shares.type),
    categories: proportions(shares.category),
    top_customers: customers,
    top_agents: agents,
    tags,
    ...times,
  }
  return { data }
}

function proportions(shares: readonly Share[]) {
  const whole = totalOf(shares)
  return largestFirst(shares).map(({ id, name, total }) => ({
    id,
    name,
    count: total,
    percentage: percentage(total, whole),
  }))
}

async function topPeople(context: RouteContext, period: Period, column: 'user_id' | 'assigned_to') {
  const query = ticketQuery(context)
  const rows = await query.run(
    `select u.id, concat_ws(' ', u.first_name, u.last_name), c.n
    from (select t.${column} as id, count(*) as n from ${query.from}
      where ${query.counted()} and t.${column} is not null and ${query.within('t.created_at', period)}
      group by 1 order by 2 desc, 1 limit ${TOP}) c
    join ${query.table('users')} u on u.id = c.id order by 3 desc, 1`,
  )
  return rows.map(([id, name, count]) => ({ id: Number(id), name, count: Number(count) }))
}

/** Lists of tags repeat, so equal ones are counted before they are taken apart. */
async function topTags(context: RouteContext, period: Period) {
  const query = ticketQuery(context)
  const rows = await query.run(
    `select tag, sum(n) from (select t.tags, count(*) as n from ${query.from}
      where ${query.counted()} and ${query.within('t.created_at', period)} and t.tags <> '[]' group by 1) b,
    lateral (select distinct jsonb_array_elements_text(b.tags) as tag) x
    group by 1 order by 2 desc, 1 limit ${TOP}`,
  )
  return rows.map(([name, count]) => ({ name, count: Number(count) }))
}

async function rhythm(context: RouteContext, period: Period) {
  const query = ticketQuery(context)
  const rows = await query.run(
    `select floor(date_part('epoch', t.created_at) / 3600)::int, count(*) from ${query.from}
    where ${query.counted()} and ${query.within('t.created_at', period)} group by 1`,
  )
  const by_hour = new Array<number>(24).fill(0)
  const by_weekday = new Array<number>(7).fill(0)
  for (const [hour, count] of rows) {
    const moment = new Date(Number(hour) * HOUR_MS)
    by_hour[moment.getUTCHours()]! += Number(count)
    by_weekday[(moment.getUTCDay() + 6) % 7]! += Number(count)
  }
  return { by_hour, by_weekday }
}
