/** Tiles, bars, tables and the list of what happened. */
import { byId, duration, empty, make, number, share, time } from './element.js'
import { addressWith } from './view.js'

/** Fills a group of tiles: [label, value, small print, address of what is counted]. */
export function tiles(id, entries) {
  const list = make('dl', { className: 'tiles' })
  for (const [label, value, small, href] of entries) {
    // The link covers the tile; what it leads to is said by the label before it.
    const shown = href ? make('a', { href, textContent: value, ariaLabel: `${label}: ${value}` }) : value
    const said = make('dd', {}, shown, small ? make('span', { className: 'small', textContent: small }) : null)
    list.append(make('div', { className: 'tile' }, make('dt', { textContent: label }), said))
  }
  byId(id).classList.remove('tiles')
  byId(id).replaceChildren(list)
}

/** Bars from left to right, each as its part of all: { name, count, color, href }. */
export function bars(id, entries) {
  const all = entries.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return byId(id).replaceChildren(empty('No tickets in this period.'))
  const list = make('ul', { className: 'bars' })
  for (const { name, count, color, href } of entries) {
    const fill = make('div', { className: 'fill' })
    fill.style.width = `${(count / all) * 100}%`
    if (color) fill.style.background = color
    const parts = [
      make('span', { className: 'name' }, href ? make('a', { href, textContent: name }) : name),
      make('span', { className: 'count', textContent: `${number(count)} · ${share(count, all)}` }),
      make('div', { className: 'track', ariaHidden: 'true' }, fill),
    ]
    list.append(make('li', {}, parts))
  }
  const total = [make('span', { className: 'name', textContent: 'Total' }), make('span', { className: 'count', textContent: number(all) })]
  list.append(make('li', { className: 'total' }, total))
  byId(id).replaceChildren(list)
}

/** The first so many entries of a list, and the rest as one. */
export function firstOf(entries, most) {
  const rest = entries.slice(most).reduce((sum, { count }) => sum + count, 0)
  return rest === 0 ? entries.slice(0, most) : [...entries.slice(0, most), { name: 'Others', count: rest }]
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
    {
      head: 'Agent',
      cell: (row) => make('a', { href: addressWith({ assigned_to: String(row.id), page: null }), textContent: row.name }),
      kind: 'nowrap',
    },
    { head: 'Assigned', cell: (row) => number(row.assigned), kind: 'number' },
    { head: 'Resolved', cell: (row) => number(row.resolved), kind: 'number' },
    { head: 'Open now', cell: (row) => number(row.open), kind: 'number' },
    { head: 'First response', cell: (row) => duration(row.first_response_time), kind: 'number' },
    { head: 'Resolution', cell: (row) => duration(row.resolution_time), kind: 'number' },
  ]
  table('agents', columns, rows, 'Nobody had a ticket in this period.')
}

/** A coloured mark before a word. */
export function dot(color) {
  const mark = make('span', { className: 'dot', ariaHidden: 'true' })
  if (color) mark.style.background = color
  return mark
}

export function activity(rows) {
  if (rows.length === 0) return byId('activity').replaceChildren(empty('Nothing has happened.'))
  const entries = rows.map(({ description, ticket, user, created_at }) => {
    const link = make('a', { href: addressWith({ ticket: String(ticket.id) }), textContent: `${ticket.uid} ${ticket.subject}` })
    const text = make('div', {}, description, make('div', { className: 'about' }, user ? `${user.name} · ` : '', link))
    return make('li', {}, text, time(created_at))
  })
  byId('activity').replaceChildren(make('ul', { className: 'feed' }, entries))
}
