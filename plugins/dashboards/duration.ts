/** How long customers waited: for the first response and for the end of the work, in seconds. */
import type { RouteContext } from '../../engine/index.ts'
import type { Period } from './period.ts'
import { startOf, type TicketQuery, ticketQuery } from './tickets.ts'

/** Whole seconds; null where there is nothing to measure. */
export interface Duration {
  readonly average: number | null
  readonly median: number | null
  readonly p90: number | null
}

/** What ended in a period, and what was left. */
export interface Resolution {
  readonly resolved: number
  /** Tickets created by the end of the period whose work had not ended by then. */
  readonly backlog: number
  readonly time: Duration
}

const PERCENTILES = 'percentile_cont(array[0.5, 0.9]) within group (order by d)'
/** Keeps a sub-select apart, so that its expressions are computed once a row and not once for every use. */
export const ONCE = 'offset 0'

/** What is measured: the moment that ends the wait, and the one that decides in which period it counts. */
const WAITS = {
  first_response: { until: () => 't.first_response_at', at: () => 't.first_response_at' },
  resolution: { until: () => 't.resolved_at', at: ({ ended }: TicketQuery) => ended },
} as const

/** The waits that ended in a period; `previous` is the average of those that ended in the period right before, if asked for. */
export async function waits(
  context: RouteContext,
  kind: keyof typeof WAITS,
  period: Period,
  before?: Period,
): Promise<{ readonly current: Duration; readonly previous: number | null }> {
  const query = ticketQuery(context)
  const { until, at } = WAITS[kind]
  const both = { from: (before ?? period).from, to: period.to }
  const inner = `select ${at(query)} as moment, ${seconds(until())} as d from ${query.from}
    where ${query.counted()} and ${query.within(at(query), both)} ${ONCE}`
  const current = `moment >= ${startOf(query.bind, period.from)}`
  const [row = []] = await query.run(
    `select avg(d) filter (where ${current}), ${PERCENTILES} filter (where ${current}), avg(d) filter (where not ${current}) from (${inner}) x`,
  )
  return { current: durationOf(row[0], row[1]), previous: wholeSeconds(row[2]) }
}

/** The tickets whose work ended in the period, how long that took, and how many were open when it was over. */
export async function resolution(context: RouteContext, period: Period): Promise<Resolution> {
  const query = ticketQuery(context)
  const until = { from: undefined, to: period.to }
  const inner = `select ${query.ended} as moment, ${seconds('t.resolved_at')} as d from ${query.from}
    where ${query.counted()} and ${query.within('t.created_at', until)} ${ONCE}`
  const ended = query.within('moment', period)
  const [row = []] = await query.run(
    `select avg(d) filter (where ${ended}), ${PERCENTILES} filter (where ${ended}), count(*) filter (where ${ended}),
      count(*) filter (where moment is null or not ${query.within('moment', until)}) from (${inner}) x`,
  )
  return { time: durationOf(row[0], row[1]), resolved: Number(row[2] ?? 0), backlog: Number(row[3] ?? 0) }
}

/** The SQL of the seconds from a ticket's creation to a moment, never less than none; null without the moment. */
export function seconds(moment: string): string {
  // GREATEST passes over nulls: by itself it would make a wait of none out of no answer at all.
  return `case when ${moment} is not null then greatest(date_part('epoch', ${moment} - t.created_at), 0) end`
}

/** A number of seconds as PostgreSQL writes it, rounded to whole ones. */
export function wholeSeconds(text: string | null | undefined): number | null {
  return text == null ? null : Math.round(Number(text))
}

function durationOf(average: string | null | undefined, percentiles: string | null | undefined): Duration {
  const [median, p90] = percentiles == null ? [] : percentiles.slice(1, -1).split(',')
  return { average: wholeSeconds(average), median: wholeSeconds(median), p90: wholeSeconds(p90) }
}
