/** The tickets report: every ticket created in the period. */
import type { Content } from '../content.ts'
import { createdTickets, moment, personName, wholeSeconds } from '../query.ts'

export const tickets: Content = {
  columns: [
    { key: 'uid', label: 'UID', type: 'text', width: 13 },
    { key: 'subject', label: 'Subject', type: 'text', width: 25 },
    { key: 'status', label: 'Status', type: 'text', width: 13 },
    { key: 'priority', label: 'Priority', type: 'text', width: 10 },
    { key: 'category', label: 'Category', type: 'text', width: 11 },
    { key: 'department', label: 'Department', type: 'text', width: 13 },
    { key: 'type', label: 'Type', type: 'text', width: 11 },
    { key: 'customer', label: 'Customer', type: 'text', width: 13 },
    { key: 'agent', label: 'Agent', type: 'text', width: 13 },
    { key: 'created_at', label: 'Created', type: 'timestamp', width: 18 },
    { key: 'due_date', label: 'Due', type: 'date', width: 12 },
    { key: 'first_response_time', label: 'First response', type: 'duration', width: 13 },
    { key: 'resolution_time', label: 'Resolution', type: 'duration', width: 13 },
  ],
  tiles: [
    { path: 'total', label: 'Tickets', type: 'integer' },
    { path: 'open', label: 'Open', type: 'integer' },
    { path: 'unassigned', label: 'Unassigned', type: 'integer' },
    { path: 'overdue', label: 'Overdue', type: 'integer' },
    { path: 'resolution_rate', label: 'Resolved', type: 'percent' },
    { path: 'first_response_time.average', label: 'First response, average', type: 'duration' },
  ],
  chart: { title: 'Tickets by status', list: 'by_status' },
  chronological: true,
  rows: (query) => {
    const name = (resource: string, alias: string, column: string): string =>
      `left join ${query.table(resource)} ${alias} on ${alias}.id = t.${column}`
    const joins = [
      name('priorities', 'p', 'priority_id'),
      name('categories', 'c', 'category_id'),
      name('departments', 'd', 'department_id'),
      name('types', 'y', 'type_id'),
      name('users', 'u', 'user_id'),
      name('users', 'a', 'assigned_to'),
    ].join(' ')
    return `select t.uid, t.subject, s.name, p.name, c.name, d.name, y.name, ${personName('u')}, ${personName('a')},
      ${moment('t.created_at')}, t.due_date, ${wholeSeconds(query.figures.firstResponse)}, ${wholeSeconds(query.figures.resolution)}
      ${createdTickets(query, joins)} order by t.created_at, t.id`
  },
}
