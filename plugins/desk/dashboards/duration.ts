/** Waits of customers, for the first response and for the end of the work, and the remaining work. */
import type { RouteContext } from '../../../engine/index.ts'
import { type Period, periodBefore } from './period.ts'
import { ticketQuery } from './tickets.ts'

/** Whole seconds; null without a measurement. */
export interface Duration {
  readonly average: number | null
  readonly median: number | null
  readonly p90: number | null
}

/** The waits that ended in a period; `before` are the averages of as many days right before. */
export interface Waits {
  readonly first_response: Duration
  readonly resolution: Duration
  readonly resolved: number
  /** The tickets created in the period that are resolved by now. */
  readonly resolvedOfCreated: number
  /** Tickets created by the end of the period whose work had not ended by then. */
  readonly backlog: number
  readonly before: { readonly first_response: number | null; readonly resolution: number | null }
}

/** Keeps a sub-select separate, so that its expressions are computed once a row and not once for every use. */
export const ONCE = 'offset 0'

/** One scan for all waits: a wait counts in the period in which it ended. */
export async function waits(context: RouteContext, period: Period): Promise<Waits> {
  const query = ticketQuery(context)
  const before = periodBefore(period)
  const until = { from: undefined, to: period.to }
  const { endedAt, firstResponse, resolution: took, resolved: isResolved, resolvedAt } = query.figures
  const tickets = `select t.first_response_at as answered, ${endedAt} as ended, ${resolvedAt} as resolved,
      ${firstResponse} as response, ${took} as resolution,
      ${isResolved} and ${query.within('t.created_at', period)} as is_resolved
    from ${query.from} where ${query.counted()} and ${query.within('t.created_at', until)} and ${await query.since(before.from)} ${ONCE}`
  const placed = `select response, resolution, is_resolved, ended is null or not ${query.within('ended', until)} as is_left,
      ${query.within('answered', period)} as answered_now, ${query.within('answered', before)} as answered_before,
      ${query.within('resolved', period)} as resolved_now, ${query.within('resolved', before)} as resolved_before
    from (${tickets}) x`
  const [row = []] = await query.run(
    `select ${measures('response', 'answered')}, ${measures('resolution', 'resolved')},
      count(*) filter (where resolved_now), count(*) filter (where is_left), count(*) filter (where is_resolved) from (${placed}) y`,
  )
  const [response, responses, responseBefore, resolution, resolutions, resolutionBefore, resolved, left, done] = row
  return {
    first_response: durationOf(response, responses),
    resolution: durationOf(resolution, resolutions),
    resolved: Number(resolved ?? 0),
    resolvedOfCreated: Number(done ?? 0),
    backlog: Number(left ?? 0),
    before: { first_response: wholeSeconds(responseBefore), resolution: wholeSeconds(resolutionBefore) },
  }
}

/** Average and percentiles of one wait in the period, and its average in the one before. */
function measures(wait: string, moment: 'answered' | 'resolved'): string {
  const now = `filter (where ${moment}_now)`
  return `avg(${wait}) ${now}, percentile_cont(array[0.5, 0.9]) within group (order by ${wait}) ${now}, avg(${wait}) filter (where ${moment}_before)`
}

/** A number of seconds from PostgreSQL, rounded. */
export function wholeSeconds(text: string | null | undefined): number | null {
  return text == null ? null : Math.round(Number(text))
}

function durationOf(average: string | null | undefined, percentiles: string | null | undefined): Duration {
  // If no measured ticket has such a moment, the array only has nulls.
  const [median, p90] = percentiles == null ? [] : percentiles.slice(1, -1).split(',').map(numberOf)
  return { average: wholeSeconds(average), median: wholeSeconds(median), p90: wholeSeconds(p90) }
}

function numberOf(text: string): string | null {
  return text === 'NULL' ? null : text
}
