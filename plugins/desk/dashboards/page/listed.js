/** Which tickets are listed: what the API's list is asked, so that it holds as many as the figure says. */
import { dayAfter, dayOf, startOf } from './days.js'

const PER_PAGE = 25
const ENDED = ['solved', 'closed']

/** The words of `show`, and what such a list is called. */
export const TITLES = {
  all: 'Tickets',
  open: 'Open tickets',
  closed: 'Closed tickets',
  new: 'Tickets of today',
  unassigned: 'Unassigned tickets',
  overdue: 'Overdue tickets',
}

/** The parameters of a view that name one value of the period; a word of `show` comes before them. */
export function valuesOf(view) {
  if (TITLES[view.show] !== undefined) return []
  return ['status_id', 'priority_id'].filter((name) => view[name])
}

/** Whether a view asks for a list of its own. */
export function asksForList(view) {
  return TITLES[view.show] !== undefined || valuesOf(view).length > 0
}

/** The query of the list of a view; `desk` is { statuses, zone, now }, `period` that of the figures by value. */
export function listQuery(view, desk, period) {
  const values = valuesOf(view)
  const { date_from: from, date_to: to } = values.length > 0 && period ? period : view
  const today = dayOf(desk.now, desk.zone)
  // Days are compared as texts: YYYY-MM-DD sorts by time.
  const first = view.show === 'new' && !(from > today) ? today : from
  return new URLSearchParams([
    ...conditions(view.show, desk.statuses, today),
    ...(first ? [['created_at[gte]', startOf(first, desk.zone)]] : []),
    ...(to ? [['created_at[lt]', startOf(dayAfter(to), desk.zone)]] : []),
    ...['department_id', 'assigned_to', ...values].filter((name) => view[name]).map((name) => [name, view[name]]),
    ['sort', '-created_at'],
    ['per_page', PER_PAGE],
    ['page', view.page ?? 1],
  ])
}

function conditions(show, statuses, today) {
  const withStatus = (ended) =>
    statuses.filter(({ category }) => ENDED.includes(category) === ended).map(({ id }) => ['status_id', id])
  if (show === 'open') return [['type', 'open']]
  if (show === 'closed') return withStatus(true)
  if (show === 'unassigned') return [['type', 'un_assigned'], ...withStatus(false)]
  if (show === 'overdue') return [['type', 'open'], ['due_date[lt]', today]]
  return []
}
