/** What the page shows, kept in its address, so that it can be shared and the browser's back button works. */

/** What the figures are about. */
export const FILTERS = ['date_from', 'date_to', 'department_id', 'assigned_to']
/** Which tickets are listed below them: a word, or one value of the period; and the page of that list. */
export const LISTED = ['show', 'status_id', 'priority_id', 'page']
const KNOWN = [...FILTERS, ...LISTED, 'ticket']

/** Name → value of what the address says and the page knows. */
export function view() {
  const given = new URLSearchParams(location.search)
  return Object.fromEntries(KNOWN.filter((name) => given.get(name)).map((name) => [name, given.get(name)]))
}

/** The address of the present view with changes, without its ticket; what is null or empty is left out. */
export function addressWith(changes) {
  const next = Object.entries({ ...view(), ticket: null, ...changes }).filter(([, value]) => value !== null && value !== '')
  return next.length === 0 ? location.pathname : `?${new URLSearchParams(next)}`
}

/** The address of a list of tickets, from its first page. */
export function listAddress(changes) {
  return addressWith({ show: null, status_id: null, priority_id: null, page: null, ...changes })
}

/** Goes to another view; one that is there already is not kept twice. */
export function go(address) {
  if (new URL(address, location.href).href === location.href) return
  history.pushState(null, '', address)
}

/** The part of the view with these names as a query, `?a=1` or nothing. */
export function queryOf(names, from = view()) {
  const filled = names.filter((name) => from[name]).map((name) => [name, from[name]])
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled)}`
}
