/** Created, resolved and remaining tickets, day by day. */
import type { RouteContext } from '../../../engine/index.ts'
import { dayAfter, dayNumber, daysOf, type Period } from './period.ts'
import { type TicketQuery, ticketQuery } from './tickets.ts'

/** One day; `backlog` is the number of open tickets at its end. */
export interface Day {
  readonly date: string
  readonly created: number
  readonly resolved: number
  readonly backlog: number
}

/** Every day of a period. A ticket that was opened again counts as open since its creation. */
export async function trend(context: RouteContext, period: Period): Promise<readonly Day[]> {
  const counts = await countsByDay(ticketQuery(context), period)
  const before = counts.get(dayNumber(period.from) - 1) ?? NONE
  let backlog = before.created - before.ended
  return daysOf(period).map((date) => {
    const { created, ended, resolved } = counts.get(dayNumber(date)) ?? NONE
    backlog += created - ended
    return { date, created, resolved, backlog }
  })
}

interface Counts {
  readonly created: number
  /** Resolved or cancelled. */
  readonly ended: number
  readonly resolved: number
}

const NONE: Counts = { created: 0, ended: 0, resolved: 0 }

/**
 * Day → what was created, ended and resolved on it. Everything earlier is on the day before the period, except work
 * that had ended by then, which is in no backlog.
 */
async function countsByDay(query: TicketQuery, { from, to }: Period): Promise<ReadonlyMap<number, Counts>> {
  const first = query.bind(dayNumber(from) - 1, 'int')
  const until = { from: undefined, to }
  const { endedAt, resolvedAt } = query.figures
  const dayOf = (moment: string): string =>
    `case when ${moment} is not null then greatest(floor(${query.localSeconds(moment)} / 86400)::int, ${first}) end`
  const cells = `select ${dayOf('t.created_at')} as c, ${dayOf('x.ended')} as e, ${dayOf('x.resolved')} as r, count(*) as n
    from ${query.from}, lateral (select ${endedAt} as ended, ${resolvedAt} as resolved) x
    where ${query.counted()} and ${query.within('t.created_at', until)} and ${await query.since(from)} group by 1, 2, 3`
  const last = query.bind(dayNumber(dayAfter(to)), 'int')
  const rows = await query.run(
    `with plinth_cells as materialized (${cells}) select c, sum(n), 0, 0 from plinth_cells group by 1
    union all select e, 0, sum(n), 0 from plinth_cells where e < ${last} group by 1
    union all select r, 0, 0, sum(n) from plinth_cells where r < ${last} group by 1`,
  )
  const counts = new Map<number, Counts>()
  for (const [day, ...numbers] of rows) {
    const known = counts.get(Number(day)) ?? NONE
    const [created = 0, ended = 0, resolved = 0] = numbers.map(Number)
    counts.set(Number(day), {
      created: known.created + created,
      ended: known.ended + ended,
      resolved: known.resolved + resolved,
    })
  }
  return counts
}
