/** The performance report, day by day: new, finished and remaining tickets, and their durations. */
import type { Content } from '../content.ts'
import { type Query, wholeSeconds } from '../query.ts'

export const performance: Content = {
  columns: [
    { key: 'date', label: 'Day', type: 'date', width: 16 },
    { key: 'created', label: 'Created', type: 'integer', width: 14 },
    { key: 'resolved', label: 'Resolved', type: 'integer', width: 14 },
    { key: 'backlog', label: 'Backlog', type: 'integer', width: 14 },
    { key: 'first_response_time', label: 'First response', type: 'duration', width: 18 },
    { key: 'resolution_time', label: 'Resolution', type: 'duration', width: 18 },
  ],
  tiles: [
    { path: 'created', label: 'Created', type: 'integer' },
    { path: 'resolved', label: 'Resolved', type: 'integer' },
    { path: 'backlog', label: 'Backlog at the end', type: 'integer' },
    { path: 'resolution_rate', label: 'Of those created, resolved', type: 'percent' },
    { path: 'first_response_time.median', label: 'First response, median', type: 'duration' },
    { path: 'resolution_time.median', label: 'Resolution, median', type: 'duration' },
  ],
  chart: { kind: 'line', title: 'Created and resolved', label: 'date', series: ['created', 'resolved'] },
  chronological: true,
  // A ticket that was opened again counts as open since its creation.
  rows: (query) =>
    `with plinth_tickets as materialized (${worked(query)}),
    plinth_created as (select ${query.dayOf('created_at')} as day, count(*) as n from plinth_tickets where ${query.within('created_at')} group by 1),
    plinth_ended as (select ${query.dayOf('ended')} as day, count(*) as n from plinth_tickets where ${query.within('ended')} group by 1),
    plinth_resolved as (select ${query.dayOf('resolved')} as day, count(*) as n, avg(resolution) as took from plinth_tickets where ${query.within('resolved')} group by 1),
    plinth_responded as (select ${query.dayOf('responded')} as day, avg(response) as took from plinth_tickets where ${query.within('responded')} group by 1),
    plinth_before as (select count(*) filter (where not ${query.within('created_at')})
      - count(*) filter (where ended < ${query.startOf(query.period.from)}) as n from plinth_tickets)
    select to_char(d.day, 'YYYY-MM-DD'), coalesce(c.n, 0), coalesce(r.n, 0),
      b.n + sum(coalesce(c.n, 0) - coalesce(e.n, 0)) over (order by d.day), ${wholeSeconds('f.took')}, ${wholeSeconds('r.took')}
    from (select g::date as day from generate_series(${query.bind(query.period.from, 'date')}::timestamp,
        ${query.bind(query.period.to, 'date')}::timestamp, interval '1 day') g) d
    cross join plinth_before b left join plinth_created c on c.day = d.day left join plinth_ended e on e.day = d.day
    left join plinth_resolved r on r.day = d.day left join plinth_responded f on f.day = d.day
    order by d.day`,
  figures: async (query) => {
    const rows = await query.run(
      `select count(*) filter (where ${query.within('created_at')}), count(*) filter (where ${query.within('resolved')}),
        count(*) filter (where ended is null or not ${query.before('ended')}) from (${worked(query)}) x`,
    )
    const [created, resolved, backlog] = (rows[0] ?? []).map(Number)
    return { created: created ?? 0, resolved: resolved ?? 0, backlog: backlog ?? 0 }
  },
}

/**
 * All tickets that existed by the end of the period and had not ended before, with the times of answer, end and
 * resolution.
 */
function worked(query: Query): string {
  const { endedAt, firstResponse, resolution, resolvedAt } = query.figures
  return `select t.created_at, t.first_response_at as responded, ${firstResponse} as response,
      ${endedAt} as ended, ${resolvedAt} as resolved, ${resolution} as resolution
    from ${query.table('tickets')} t
    where ${query.seen()} and ${query.concerned()}`
}
