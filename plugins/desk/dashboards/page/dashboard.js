/** The page: signs in, asks what the filters say, and shows it. */
import { byHour, byWeekday, trend } from './drawing.js'
import { byId, duration, make, number } from './element.js'
import { activity, agents, bars, tickets, tiles } from './figures.js'
import { ask, forget, Refusal, signedIn, signIn, signOut } from './session.js'

const filters = byId('filters')
const said = byId('said')
let asking = new AbortController()
let shown

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

/** What the filters ask, without what is empty. */
function question() {
  const fields = new FormData(filters)
  const filled = [...fields].filter(([, value]) => value !== '')
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled)}`
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

async function load() {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const query = question()
  say('Loading …')
  byId('main').classList.add('loading')
  byId('main').ariaBusy = 'true'
  try {
    const overview = ask(`/dashboard${query}`, { signal })
    // Customers have no analytics; asking all the same would only be refused.
    const names = customer ? [] : ['metrics', 'charts', 'analytics', 'performance']
    const more = names.map((name) => unlessForbidden(ask(`/dashboard/${name}${query}`, { signal })))
    const [present, ...period] = await Promise.all([overview, ...more])
    if (signal.aborted) return
    shown = { present, period: period.length > 0 && period.every((part) => part !== null) ? period : null }
    show()
    const total = present.total_tickets
    say(`${number(total)} ${total === 1 ? 'ticket' : 'tickets'}${query === '' ? '' : ' match'}.`)
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

function show() {
  const { present, period } = shown
  showPresent(present)
  showStaff(period !== null)
  if (period !== null) showPeriod(...period)
}

function showPresent(now) {
  const [from, to] = ['date_from', 'date_to'].map((name) => filters.elements.namedItem(name).value)
  byId('now-title').textContent = from || to ? 'Tickets created in the period, as they stand now' : 'The desk now'
  const people = [
    ['Customers', number(now.total_customers)],
    ['Contacts', number(now.total_contacts)],
    ['Users', number(now.total_users)],
  ]
  tiles('now', [
    ['Tickets', number(now.total_tickets)],
    ['Open', number(now.opened_tickets)],
    ['Closed', number(now.closed_tickets)],
    ['New today', number(now.new_tickets)],
    ['Unassigned', number(now.un_assigned_tickets)],
    ['Overdue', number(now.overdue_tickets)],
    ...(customer ? [] : people),
  ])
  tickets(now.recent_tickets)
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
  bars('by-status', coloured(charts.status))
  bars('by-priority', coloured(charts.priority))
  byHour(analytics.by_hour)
  byWeekday(analytics.by_weekday)
  agents(performance.agents)
  const shares = (list) => list.map(({ name, count, percentage }) => ({ name: name ?? 'None', count, more: `${number(percentage)} %` }))
  bars('departments', shares(analytics.departments))
  bars('categories', shares(analytics.categories).slice(0, 10))
  offer('assigned_to', performance.agents)
}

function coloured({ labels, data, colors }) {
  return labels.map((name, at) => ({ name, count: data[at], color: colors[at] }))
}

/** Adds choices to a filter; those that were there stay, so that a choice is not lost by choosing. */
function offer(name, records) {
  const select = filters.elements.namedItem(name)
  const known = new Set([...select.options].map(({ value }) => value))
  const fresh = records.filter(({ id }) => !known.has(String(id))).sort((a, b) => a.name.localeCompare(b.name))
  select.append(...fresh.map(({ id, name }) => make('option', { value: String(id), textContent: name })))
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
  await load()
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
filters.addEventListener('submit', (event) => {
  event.preventDefault()
  load()
})
filters.addEventListener('change', (event) => {
  // The form itself then refuses a last day before the first.
  filters.elements.namedItem('date_to').min = filters.elements.namedItem('date_from').value
  if (event.target instanceof HTMLSelectElement) load()
})
// The fields are empty only after the event has passed.
filters.addEventListener('reset', () => setTimeout(load))
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => shown && show())

if (signedIn()) begin()
else showSignIn()
