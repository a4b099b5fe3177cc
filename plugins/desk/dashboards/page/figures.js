/** Tiles, bars, tables and the list of what happened. */
import { byId, duration, empty, make, number, time } from './element.js'

/** Fills a group of tiles: [label, value, small print]. */
export function tiles(id, entries) {
  const list = make('dl', { className: 'tiles' })
  for (const [label, value, small] of entries) {
    const said = make('dd', {}, value, small ? make('span', { className: 'small', textContent: small }) : null)
    list.append(make('div', { className: 'tile' }, make('dt', { textContent: label }), said))
  }
  byId(id).classList.remove('tiles')
  byId(id).replaceChildren(list)
}

/** Bars from left to right: { name, count, color, more }. */
export function bars(id, entries) {
  const most = Math.max(1, ...entries.map(({ count }) => count))
  if (entries.every(({ count }) => count === 0)) return byId(id).replaceChildren(empty('No tickets in this period.'))
  const list = make('ul', { className: 'bars' })
  for (const { name, count, color, more } of entries) {
    const fill = make('div', { className: 'fill' })
    fill.style.width = `${(count / most) * 100}%`
    if (color) fill.style.background = color
    const text = more ? `${number(count)} · ${more}` : number(count)
    const parts = [
      make('span', { className: 'name', textContent: name }),
      make('span', { className: 'count', textContent: text }),
      make('div', { className: 'track', ariaHidden: 'true' }, fill),
    ]
    list.append(make('li', {}, parts))
  }
  byId(id).replaceChildren(list)
}

/** A table; a column is { head, cell, kind }, and its cell gives text or an element. */
export function table(id, columns, rows, nothing) {
  if (rows.length === 0) return byId(id).replaceChildren(empty(nothing))
  const head = columns.map(({ head, kind = '' }) => make('th', { scope: 'col', className: kind, textContent: head }))
  const body = rows.map((row) =>
    make(
      'tr',
      {},
      columns.map(({ cell, kind = '' }) => make('td', { className: kind }, cell(row) ?? '–')),
    ),
  )
  byId(id).replaceChildren(make('table', {}, make('thead', {}, make('tr', {}, head)), make('tbody', {}, body)))
}

export function agents(rows) {
  const columns = [
    { head: 'Agent', cell: (row) => row.name, kind: 'nowrap' },
    { head: 'Assigned', cell: (row) => number(row.assigned), kind: 'number' },
    { head: 'Resolved', cell: (row) => number(row.resolved), kind: 'number' },
    { head: 'Open now', cell: (row) => number(row.open), kind: 'number' },
    { head: 'First response', cell: (row) => duration(row.first_response_time), kind: 'number' },
    { head: 'Resolution', cell: (row) => duration(row.resolution_time), kind: 'number' },
  ]
  table('agents', columns, rows, 'Nobody had a ticket in this period.')
}

export function tickets(rows) {
  const dot = (color) => {
    const mark = make('span', { className: 'dot', ariaHidden: 'true' })
    if (color) mark.style.background = color
    return mark
  }
  const columns = [
    { head: 'Ticket', cell: (row) => row.uid, kind: 'nowrap' },
    { head: 'Subject', cell: (row) => row.subject, kind: 'main' },
    { head: 'Status', cell: (row) => row.status?.name, kind: 'nowrap' },
    {
      head: 'Priority',
      cell: (row) => row.priority && make('span', {}, dot(row.priority.color), row.priority.name),
      kind: 'nowrap',
    },
    { head: 'Agent', cell: (row) => row.assignedTo?.name, kind: 'nowrap' },
    { head: 'Created', cell: (row) => time(row.created_at), kind: 'nowrap' },
  ]
  table('tickets', columns, rows, 'No tickets.')
}

export function activity(rows) {
  if (rows.length === 0) return byId('activity').replaceChildren(empty('Nothing has happened.'))
  const entries = rows.map(({ description, ticket, user, created_at }) => {
    const about = `${user ? `${user.name} · ` : ''}${ticket.uid} ${ticket.subject}`
    const text = make('div', {}, description, make('div', { className: 'about', textContent: about }))
    return make('li', {}, text, time(created_at))
  })
  byId('activity').replaceChildren(make('ul', { className: 'feed' }, entries))
}
