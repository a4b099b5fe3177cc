/** The list of tickets below the figures, and one ticket as it stands, over the page. */
import { byId, empty, make, number, time } from './element.js'
import { dot, table } from './figures.js'
import { asksForList, listQuery, TITLES } from './listed.js'
import { answer, ask } from './session.js'
import { addressWith, go, listAddress, view } from './view.js'

let statuses

/** Shows the list that the view asks for, else the `recent` tickets; `period` is that of the figures. */
export async function listTickets(recent, period, options) {
  const now = view()
  byId('tickets-more').replaceChildren()
  if (!asksForList(now)) {
    byId('tickets-title').textContent = 'Recent tickets'
    return rows(recent)
  }
  statuses ??= await ask('/settings/statuses?per_page=100', options)
  const desk = { statuses, zone: document.documentElement.dataset.zone, now: Date.now() }
  const { data, meta } = await answer(`/tickets?${listQuery(now, desk, period)}`, options)
  byId('tickets-title').textContent = `${titleOf(now, data)}: ${number(meta.pagination.total)}`
  rows(data)
  byId('tickets-more').replaceChildren(...pager(meta.pagination))
}

function titleOf({ show, status_id }, [first]) {
  if (TITLES[show] !== undefined) return TITLES[show]
  if (status_id) return `Tickets by status ${first?.status?.name ?? ''}`.trim()
  return `Tickets by priority ${first?.priority?.name ?? ''}`.trim()
}

function pager({ current_page: page, last_page: last }) {
  const link = (text, to) => make('a', { href: addressWith({ page: to === 1 ? null : String(to) }), textContent: text })
  return [
    page > 1 ? link('Newer', page - 1) : null,
    page < last ? link('Older', page + 1) : null,
    last > 1 ? make('span', { textContent: `Page ${number(page)} of ${number(last)}` }) : null,
    make('a', { href: listAddress({}), textContent: 'Only recent tickets' }),
  ].filter((part) => part !== null)
}

function rows(list) {
  const to = ({ id }) => addressWith({ ticket: String(id) })
  const columns = [
    { head: 'Ticket', cell: (row) => make('a', { href: to(row), textContent: row.uid }), kind: 'nowrap' },
    { head: 'Subject', cell: (row) => make('a', { href: to(row), textContent: row.subject }), kind: 'main' },
    { head: 'Status', cell: (row) => row.status?.name, kind: 'nowrap' },
    {
      head: 'Priority',
      cell: (row) => row.priority && make('span', {}, dot(row.priority.color), row.priority.name),
      kind: 'nowrap',
    },
    { head: 'Agent', cell: (row) => row.assignedTo?.name, kind: 'nowrap' },
    { head: 'Created', cell: (row) => time(row.created_at), kind: 'nowrap' },
  ]
  table('tickets', columns, list, 'No tickets.')
}

const FACTS = [
  ['Status', ({ status }) => status?.name],
  ['Priority', ({ priority }) => priority?.name],
  ['Department', ({ department }) => department?.name],
  ['Category', ({ category, subCategory }) => [category?.name, subCategory?.name].filter(Boolean).join(' / ')],
  ['Customer', ({ user }) => user?.name],
  ['Agent', ({ assignedTo }) => assignedTo?.name],
  ['Created', ({ created_at }) => time(created_at)],
  ['Due', ({ due_date }) => due_date],
  ['Tags', ({ tags }) => tags?.join(', ')],
]

/** Shows the ticket that the view names over the page, or none. */
export async function showTicket(options) {
  const { ticket } = view()
  const dialog = byId('ticket')
  if (ticket === undefined) return dialog.close()
  byId('ticket-title').textContent = 'Ticket'
  byId('ticket-body').replaceChildren(empty('Loading …'))
  if (!dialog.open) dialog.showModal()
  try {
    const found = await ask(`/tickets/${encodeURIComponent(ticket)}`, options)
    byId('ticket-title').textContent = `${found.uid} ${found.subject}`
    byId('ticket-body').replaceChildren(...bodyOf(found))
  } catch (error) {
    if (error.name !== 'AbortError') byId('ticket-body').replaceChildren(empty(error.message))
  }
}

function bodyOf(ticket) {
  const facts = FACTS.map(([label, value]) => [label, value(ticket)]).filter(([, value]) => value)
  const said = [
    ...(ticket.comments ?? []).map((one) => ({ ...one, text: one.comment })),
    ...(ticket.ticketEntries ?? []).map((one) => ({ ...one, text: one.message })),
  ].sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const entries = said.map(({ text, user, is_internal, created_at }) => {
    const by = `${user?.name ?? 'Somebody'}${is_internal ? ' · internal' : ''} · `
    return make('li', {}, make('p', { className: 'about' }, by, time(created_at)), make('p', { className: 'text', textContent: text }))
  })
  const list = facts.map(([label, value]) => make('div', {}, make('dt', { textContent: label }), make('dd', {}, value)))
  return [
    make('dl', { className: 'facts' }, list),
    make('p', { className: 'text', textContent: ticket.details }),
    entries.length === 0 ? empty('Nothing was said yet.') : make('ul', { className: 'said' }, entries),
  ]
}

// Escape and the button close it too.
byId('ticket').addEventListener('close', () => {
  if (view().ticket !== undefined) go(addressWith({ ticket: null }))
})
