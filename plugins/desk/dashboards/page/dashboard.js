/** The page: signs in, asks what its address says, and shows it. */
import { byHour, byWeekday, trend } from './drawing.js'
import { byId, clockTime, duration, make, number } from './element.js'
import { activity, agents, bars, firstOf, tiles } from './figures.js'
import { ask, forget, Refusal, signedIn, signIn, signOut } from './session.js'
import { listTickets, showTicket } from './tickets.js'
import { addressWith, FILTERS, go, LISTED, listAddress, queryOf, view } from './view.js'

const filters = byId('filters')
const said = byId('said')
let asking = new AbortController()
/** The figures that are shown, and the view that was asked for last. */
let shown
let drawn = {}

function say(text, bad = false) {
  said.textContent = text
  said.classList.toggle('bad', bad)
}

function showSignIn(text = '') {
  byId('main').hidden = true
  byId('who').hidden = true
  byId('sign-in').hidden = false
  const refused = byId('sign-in-said')
  refused.hidden = text === ''
  refused.textContent = text
  byId('sign-in-form').elements.namedItem('email').focus()
}

function showStaff(is) {
  for (const element of document.querySelectorAll('.staff')) element.hidden = !is
}

/** A figure that the reader may not have is null; every other refusal is one. */
async function unlessForbidden(asked) {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return null
    throw error
  }
}

/** Puts the filters of the address into the form; a person or department that is not offered yet stands by its number. */
function fillFilters() {
  const now = view()
  for (const name of FILTERS) {
    const field = filters.elements.namedItem(name)
    const value = now[name] ?? ''
    if (field instanceof HTMLSelectElement && value !== '' && ![...field.options].some((one) => one.value === value))
      field.append(make('option', { value, textContent: `No. ${value}` }))
    field.value = value
  }
  limitDays()
}

/** The form itself then refuses a last day before the first. */
function limitDays() {
  filters.elements.namedItem('date_to').min = filters.elements.namedItem('date_from').value
}

/** Asks for everything that the address says, or for the list alone where the figures stay. */
async function load(all = true) {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  drawn = view()
  say('Loading …')
  byId('main').classList.add('loading')
  byId('main').ariaBusy = 'true'
  try {
    if (all) {
      shown = await figures(signal)
      show()
    }
    await listTickets(shown.present.recent_tickets, shown.period?.[0], { signal })
    const total = shown.present.total_tickets
    say(`${number(total)} ${total === 1 ? 'ticket' : 'tickets'}${shown.query === '' ? '' : ' match'}.`)
  } catch (error) {
    if (error.name === 'AbortError') return
    if (error instanceof Refusal && error.status === 401) {
      forget()
      showSignIn('Please sign in again.')
    } else say(error.message, true)
  } finally {
    if (!signal.aborted) {
      byId('main').classList.remove('loading')
      byId('main').ariaBusy = 'false'
    }
  }
}

async function figures(signal) {
  const query = queryOf(FILTERS)
  const overview = ask(`/dashboard${query}`, { signal })
  // Customers have no analytics; asking all the same would only be refused.
  const names = customer ? [] : ['metrics', 'charts', 'analytics', 'performance']
  const more = names.map((name) => unlessForbidden(ask(`/dashboard/${name}${query}`, { signal })))
  const [present, ...period] = await Promise.all([overview, ...more])
  const whole = period.length > 0 && period.every((part) => part !== null)
  return { query, present, period: whole ? period : null, at: new Date() }
}

function show() {
  const { at, present, period } = shown
  byId('as-of').replaceChildren('As of ', clockTime(at))
  showPresent(present)
  showStaff(period !== null)
  if (period !== null) showPeriod(...period)
}

function showPresent(now) {
  const { date_from: from, date_to: to } = view()
  byId('now-title').textContent = from || to ? 'Tickets created in the period, as they stand now' : 'The desk now'
  const people = [
    ['Customers', number(now.total_customers)],
    ['Contacts', number(now.total_contacts)],
    ['Users', number(now.total_users)],
  ]
  const counted = (label, count, show) => [label, number(count), null, listAddress({ show })]
  tiles('now', [
    counted('Tickets', now.total_tickets, 'all'),
    counted('Open', now.opened_tickets, 'open'),
    counted('Closed', now.closed_tickets, 'closed'),
    counted('New today', now.new_tickets, 'new'),
    counted('Unassigned', now.un_assigned_tickets, 'unassigned'),
    counted('Overdue', now.overdue_tickets, 'overdue'),
    ...(customer ? [] : people),
  ])
  activity(now.recent_activity)
}

function showPeriod(metrics, charts, analytics, performance) {
  byId('period-title').textContent = `${metrics.date_from} to ${metrics.date_to}`
  const { comparison } = performance
  const before = (compared) => `${number(compared.previous)} in the period before`
  const timed = ({ median, p90 }) => (median === null ? '' : `median ${duration(median)}, 90 % within ${duration(p90)}`)
  tiles('period', [
    ['Created', number(metrics.created), before(comparison.created)],
    ['Resolved', number(metrics.resolved), before(comparison.resolved)],
    ['Backlog', number(metrics.backlog), `${number(comparison.backlog.previous)} when it began`],
    ['Resolution rate', `${number(metrics.resolution_rate)} %`, 'of those created'],
    ['First response', duration(metrics.first_response_time.average), timed(metrics.first_response_time)],
    ['Resolution', duration(metrics.resolution_time.average), timed(metrics.resolution_time)],
    ['Reopened', number(metrics.reopened)],
  ])
  trend(charts)
  bars('by-status', coloured(charts.status, metrics.tickets_by_status, 'status_id'))
  bars('by-priority', coloured(charts.priority, metrics.tickets_by_priority, 'priority_id'))
  byHour(analytics.by_hour)
  byWeekday(analytics.by_weekday)
  agents(performance.agents)
  const named = (list) => list.map(({ id, name, count }) => ({ id, name: name ?? 'None', count }))
  const within = ({ id, ...bar }) => ({ ...bar, href: id && addressWith({ department_id: String(id), page: null }) })
  bars('departments', named(analytics.departments).map(within))
  bars('categories', firstOf(named(analytics.categories), 10))
  offer('assigned_to', performance.agents)
}

/** The colours are those of the charts, whose values stand in the order of the metrics. */
function coloured({ labels, data, colors }, values, parameter) {
  return labels.map((name, at) => {
    const id = values[at]?.id
    return { name, count: data[at], color: colors[at], href: id && listAddress({ [parameter]: String(id) }) }
  })
}

/** Adds choices to a filter; those that were there stay, so that a choice is not lost by choosing. */
function offer(name, records) {
  const select = filters.elements.namedItem(name)
  const known = new Map([...select.options].map((option) => [option.value, option]))
  for (const { id, name } of [...records].sort((a, b) => a.name.localeCompare(b.name))) {
    const option = known.get(String(id))
    if (option !== undefined) option.textContent = name
    else select.append(make('option', { value: String(id), textContent: name }))
  }
}

let customer = false

async function begin() {
  byId('sign-in').hidden = true
  byId('main').hidden = false
  showStaff(false)
  say('Loading …')
  try {
    const me = await ask('/auth/me')
    customer = me.role?.slug === 'customer'
    byId('who').hidden = false
    byId('who-name').textContent = me.name ?? `${me.first_name} ${me.last_name}`
    if (!customer) offer('department_id', await ask('/settings/departments?per_page=100&sort=name'))
  } catch (error) {
    if (error.status !== 401) return say(error.message, true)
    forget()
    return showSignIn()
  }
  fillFilters()
  await Promise.all([load(), showTicket()])
}

/** Shows what the address says by now, and asks only for what differs from what is drawn. */
async function follow() {
  const now = view()
  const changed = (names) => queryOf(names, drawn) !== queryOf(names, now)
  const [figuresChanged, listChanged] = [changed(FILTERS), changed(LISTED)]
  fillFilters()
  showTicket()
  if (!figuresChanged && !listChanged) return
  await load(figuresChanged || shown === undefined)
  if (figuresChanged) return
  byId('tickets-title').scrollIntoView({ block: 'start' })
  byId('tickets-title').focus({ preventScroll: true })
}

byId('sign-in-form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const button = form.querySelector('button')
  button.disabled = true
  try {
    await signIn(form.elements.namedItem('email').value, form.elements.namedItem('password').value)
    form.reset()
    await begin()
    byId('main').focus()
  } catch (error) {
    showSignIn(error.message)
  } finally {
    button.disabled = false
  }
})
byId('sign-out').addEventListener('click', async () => {
  await signOut()
  location.reload()
})
byId('refresh').addEventListener('click', () => load())
filters.addEventListener('submit', (event) => {
  event.preventDefault()
  const chosen = FILTERS.map((name) => [name, filters.elements.namedItem(name).value])
  go(addressWith({ ...Object.fromEntries(chosen), page: null }))
  follow()
})
filters.addEventListener('change', (event) => {
  limitDays()
  if (event.target instanceof HTMLSelectElement) filters.requestSubmit()
})
// The fields are empty only after the event has passed.
filters.addEventListener('reset', () => setTimeout(() => filters.requestSubmit()))
// Links to other views of this page need no new page; with a key or another button they open one.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.pathname !== location.pathname || link.hash !== '') return
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  go(link.href)
  follow()
})
addEventListener('popstate', () => signedIn() && follow())
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => shown && show())

if (signedIn()) begin()
else showSignIn()
