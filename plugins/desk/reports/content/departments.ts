/** The departments report: every department, also without tickets, and the tickets of none. */
import type { Content } from '../content.ts'
import { createdTickets, percent, wholeSeconds } from '../query.ts'

export const departments: Content = {
  columns: [
    { key: 'department', label: 'Department', type: 'text', width: 26 },
    { key: 'tickets', label: 'Tickets', type: 'integer', width: 10 },
    { key: 'open', label: 'Open', type: 'integer', width: 10 },
    { key: 'resolved', label: 'Resolved', type: 'integer', width: 10 },
    { key: 'unassigned', label: 'Unassigned', type: 'integer', width: 11 },
    { key: 'overdue', label: 'Overdue', type: 'integer', width: 10 },
    { key: 'resolution_rate', label: 'Resolved, share', type: 'percent', width: 12 },
    { key: 'first_response_time', label: 'First response', type: 'duration', width: 13 },
    { key: 'resolution_time', label: 'Resolution', type: 'duration', width: 13 },
  ],
  tiles: [
    { path: 'total', label: 'Tickets', type: 'integer' },
    { path: 'open', label: 'Open', type: 'integer' },
    { path: 'unassigned', label: 'Unassigned', type: 'integer' },
    { path: 'overdue', label: 'Overdue', type: 'integer' },
    { path: 'resolution_rate', label: 'Resolved', type: 'percent' },
    { path: 'resolution_time.average', label: 'Resolution, average', type: 'duration' },
  ],
  chart: { kind: 'bar', title: 'Tickets by department', label: 'department', series: ['tickets', 'resolved'] },
  rows: (query) =>
    `select coalesce(d.name, 'No department'), coalesce(x.tickets, 0), coalesce(x.open, 0),
      coalesce(x.resolved, 0), coalesce(x.unassigned, 0), coalesce(x.overdue, 0),
      ${percent('x.resolved', 'x.tickets')}, ${wholeSeconds('x.response')}, ${wholeSeconds('x.resolution')}
    from (select t.department_id, count(*) as tickets, count(*) filter (where ${query.figures.resolved}) as resolved,
        count(*) filter (where ${query.figures.open}) as open, count(*) filter (where ${query.figures.unassigned}) as unassigned,
        count(*) filter (where ${query.figures.overdue(query.today)}) as overdue,
        avg(${query.figures.firstResponse}) as response, avg(${query.figures.resolution}) as resolution
      ${createdTickets(query)} group by 1) x
    full join ${query.table('departments')} d on d.id = x.department_id
    where x.tickets > 0 or ${query.readable('departments', 'd')}
    order by 2 desc, d.name nulls last, d.id`,
}
