/** The agents report: what each was assigned, what they finished, and how fast. */
import type { Content } from '../content.ts'
import { percent, personName, wholeSeconds } from '../query.ts'

export const agents: Content = {
  columns: [
    { key: 'agent', label: 'Agent', type: 'text', width: 24 },
    { key: 'email', label: 'E-mail', type: 'text', width: 28 },
    { key: 'assigned', label: 'Assigned', type: 'integer', width: 10 },
    { key: 'resolved', label: 'Resolved', type: 'integer', width: 10 },
    { key: 'open', label: 'Open now', type: 'integer', width: 10 },
    { key: 'resolution_rate', label: 'Of those assigned, resolved', type: 'percent', width: 14 },
    { key: 'first_response_time', label: 'First response', type: 'duration', width: 13 },
    { key: 'resolution_time', label: 'Resolution', type: 'duration', width: 13 },
  ],
  tiles: [
    { path: 'agents', label: 'Agents', type: 'integer' },
    { path: 'total', label: 'Tickets', type: 'integer' },
    { path: 'unassigned', label: 'Unassigned', type: 'integer' },
    { path: 'resolution_rate', label: 'Resolved', type: 'percent' },
    { path: 'first_response_time.average', label: 'First response, average', type: 'duration' },
    { path: 'resolution_time.average', label: 'Resolution, average', type: 'duration' },
  ],
  chart: { kind: 'bar', title: 'Tickets by agent', label: 'agent', series: ['assigned', 'resolved'] },
  // Assigned: of the tickets created in the period. Resolved: those that were resolved in it, from any time.
  rows: (query) => {
    const resolved = query.within('x.resolved_at')
    const { firstResponse, open, resolution, resolved: isResolved, resolvedAt } = query.figures
    const created = query.within('x.created_at')
    return `select ${personName('u')}, u.email, x.assigned, x.resolved, x.open, ${percent('x.done', 'x.assigned')},
        ${wholeSeconds('x.response')}, ${wholeSeconds('x.resolution')}
      from (select x.agent, count(*) filter (where ${created}) as assigned, count(*) filter (where ${resolved}) as resolved,
          count(*) filter (where x.is_open) as open, count(*) filter (where x.done and ${created}) as done,
          avg(x.response) filter (where ${created}) as response, avg(x.resolution) filter (where ${resolved}) as resolution
        from (select t.assigned_to as agent, t.created_at, ${isResolved} as done, ${open} as is_open, ${resolvedAt} as resolved_at,
            ${firstResponse} as response, ${resolution} as resolution
          from ${query.table('tickets')} t
          where ${query.seen()} and t.assigned_to is not null and ${query.concerned()}) x
        group by 1) x
      join ${query.table('users')} u on u.id = x.agent where x.assigned + x.resolved + x.open > 0
      order by x.resolved desc, x.assigned desc, u.id`
  },
  figures: async (query) => {
    const rows = await query.run(
      `select count(distinct t.assigned_to) from ${query.table('tickets')} t
      where ${query.seen()} and ${query.within('t.created_at')}`,
    )
    return { agents: Number(rows[0]?.[0] ?? 0) }
  },
}
