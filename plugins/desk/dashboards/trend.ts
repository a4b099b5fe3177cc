/** Created, resolved and left over, day by day. */
import type { RouteContext } from '../../../engine/index.ts'
import { dayAfter, dayNumber, daysOf, type Period } from './period.ts'
import { type TicketQuery, ticketQuery } from './tickets.ts'

/** One day; `backlog` is what was open when it ended. */
export interface Day {
  readonly date: string
  readonly created: number
  readonly resolved: number
  readonly backlog: number
}

/** Every day of a period. A ticket that was opened again counts as open since its creation. */
export async function trend(context: RouteContext, period: Period): Promise<readonly Day[]> {
  const counts = await countsByDay(ticketQuery(context), period)
  const none = { created: 0, resolved: 0 }
  const before = counts.get(dayNumber(period.from) - 1) ?? none
  let backlog = before.created - before.resolved
  return daysOf(period).map((date) => {
    const day = counts.get(dayNumber(date)) ?? none
    backlog += day.created - day.resolved
    return { date, ...day, backlog }
  })
}

type Counts = Pick<Day, 'created' | 'resolved'>

/** Day → what was created and resolved on it; all that was earlier stands on the day before the period. */
async function countsByDay(query: TicketQuery, { from, to }: Period): Promise<ReadonlyMap<number, Counts>> {
  const first = query.bind(dayNumber(from) - 1, 'int')
  const until = { from: undefined, to }
  const cells = `select greatest(${dayOf('t.created_at')}, ${first}) as c, case when moment is not null then greatest(${dayOf('moment')}, ${first}) end as e, count(*) as n
    from ${query.from}, lateral (select ${query.ended} as moment) x
    where ${query.counted()} and ${query.within('t.created_at', until)} group by 1, 2`
  const last = query.bind(dayNumber(dayAfter(to)), 'int')
  const rows = await query.run(
    `with cells as materialized (${cells}) select c, sum(n), 0 from cells group by 1
    union all select e, 0, sum(n) from cells where e < ${last} group by 1`,
  )
  const counts = new Map<number, Counts>()
  for (const [day, created, resolved] of rows) {
    const known = counts.get(Number(day)) ?? { created: 0, resolved: 0 }
    counts.set(Number(day), { created: known.created + Number(created), resolved: known.resolved + Number(resolved) })
  }
  return counts
}

/** A moment's day as a number; much cheaper than a date, which asks what time zone it is for every row. */
function dayOf(moment: string): string {
  return `floor(date_part('epoch', ${moment}) / 86400)::int`
}
