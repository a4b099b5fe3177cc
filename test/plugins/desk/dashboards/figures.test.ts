/** The figures of the dashboards, number by number, over a week of known tickets. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fillWeek, openWorld, WEEK, type World } from './world.ts'

const test = suite('dashboards: figures')
let world: World
let tickets: readonly number[] = []

test.before(async () => {
  world = await openWorld()
})
test.after(() => world?.close())

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
async function figures(path: string, as = world.manager): Promise<any> {
  const answer = await world.get(`/dashboard${path}`, as)
  assert.is(answer.status, 200, answer.text)
  assert.not.match(answer.text, /NaN|Infinity/)
  return answer.at('data')
}

const NO_TIME = { average: null, median: null, p90: null }

test('an empty desk has noughts, nulls and empty lists, and thirty days', async () => {
  const now = await figures('')
  for (const key of ['total', 'opened', 'closed', 'new', 'un_assigned', 'overdue']) assert.is(now[`${key}_tickets`], 0)
  assert.equal([now.recent_tickets, now.recent_activity], [[], []])
  assert.equal([now.total_customers, now.total_contacts, now.total_users], [2, 0, 5])
  const metrics = await figures('/metrics')
  assert.equal([metrics.first_response_time, metrics.resolution_time], [NO_TIME, NO_TIME])
  assert.equal(
    ['backlog', 'created', 'resolved', 'reopened', 'resolution_rate'].map((key) => metrics[key]),
    [0, 0, 0, 0, 0],
  )
  assert.is(metrics.tickets_by_status.length, 6)
  assert.ok(metrics.tickets_by_status.every((one: { total: number }) => one.total === 0))
  const analytics = await figures('/analytics')
  for (const key of ['departments', 'types', 'categories', 'top_customers', 'top_agents', 'tags'])
    assert.equal(analytics[key], [], key)
  assert.equal([analytics.by_hour, analytics.by_weekday], [new Array(24).fill(0), new Array(7).fill(0)])
  const performance = await figures('/performance')
  assert.equal([performance.first_response, performance.agents], [NO_TIME, []])
  assert.equal(performance.comparison.resolution, { current: null, previous: null, change: null })
  assert.is(performance.trends.length, 30)
  const charts = await figures('/charts')
  assert.is(charts.labels.length, 30)
  assert.is(charts.labels.at(-1), new Date().toISOString().slice(0, 10))
  assert.ok(charts.datasets.every(({ data }: { data: number[] }) => data.length === 30 && data.every((n) => n === 0)))
})

test('the metrics of a week count its first and its last moment, and nothing beyond', async () => {
  tickets = await fillWeek(world)
  const metrics = await figures(`/metrics?${WEEK}`)
  assert.is(metrics.created, 4)
  assert.is(metrics.resolved, 1)
  assert.is(metrics.backlog, 3)
  assert.is(metrics.resolution_rate, 25)
  assert.equal(metrics.first_response_time, { average: 7200, median: 7200, p90: 10080 })
  assert.equal(metrics.resolution_time, { average: 86400, median: 86400, p90: 86400 })
  const totals = (list: { name: string | null; total: number }[]) =>
    list.filter(({ total }) => total > 0).map(({ name, total }) => [name, total])
  assert.equal(totals(metrics.tickets_by_status), [
    ['Open', 2],
    ['Resolved', 1],
    ['Cancelled', 1],
  ])
  assert.equal(totals(metrics.tickets_by_priority), [
    ['Medium', 3],
    ['High', 1],
  ])
  assert.equal(totals(metrics.tickets_by_department), [
    ['Repairs', 2],
    [null, 2],
  ])
})

test('the analytics say where, who and when', async () => {
  const analytics = await figures(`/analytics?${WEEK}`)
  assert.equal(analytics.departments, [
    { id: null, name: null, count: 2, percentage: 50 },
    { id: world.department, name: 'Repairs', count: 2, percentage: 50 },
  ])
  assert.equal(analytics.top_customers, [
    { id: world.ann.id, name: 'Ann Tester', count: 3 },
    { id: world.ben.id, name: 'Ben Tester', count: 1 },
  ])
  assert.equal(analytics.top_agents, [{ id: world.agent.id, name: 'Alba Tester', count: 2 }])
  assert.equal(analytics.tags, [
    { name: 'printer', count: 3 },
    { name: 'urgent', count: 2 },
  ])
  assert.equal([analytics.by_hour[0], analytics.by_hour[10], analytics.by_hour[23]], [1, 2, 1])
  assert.equal(analytics.by_weekday, [1, 2, 0, 0, 0, 0, 1])
})

test('performance shows every day, every agent, and the week before', async () => {
  const { agents, comparison, resolution, trends } = await figures(`/performance?${WEEK}`)
  assert.equal(
    trends.map((day: { created: number }) => day.created),
    [1, 2, 0, 0, 0, 0, 1],
  )
  assert.equal(
    trends.map((day: { resolved: number }) => day.resolved),
    [0, 0, 1, 0, 0, 0, 0],
  )
  assert.equal(
    trends.map((day: { backlog: number }) => day.backlog),
    [2, 4, 3, 2, 2, 2, 3],
  )
  assert.equal(agents, [
    {
      id: world.agent.id,
      name: 'Alba Tester',
      assigned: 2,
      resolved: 1,
      open: 0,
      first_response_time: 7200,
      resolution_time: 86400,
    },
  ])
  assert.is(resolution.average, 86400)
  assert.equal([comparison.date_from, comparison.date_to], ['2025-12-29', '2026-01-04'])
  assert.equal(comparison.created, { current: 4, previous: 1, change: 3 })
  assert.equal(comparison.backlog, { current: 3, previous: 1, change: 2 })
  assert.equal(comparison.first_response, { current: 7200, previous: null, change: null })
})

test('charts agree with the trends, and have a colour for everything', async () => {
  const charts = await figures(`/charts?${WEEK}`)
  assert.equal([charts.labels[0], charts.labels.at(-1), charts.labels.length], ['2026-01-05', '2026-01-11', 7])
  assert.equal(
    charts.datasets.map(({ label }: { label: string }) => label),
    ['Created', 'Resolved', 'Backlog'],
  )
  assert.equal(charts.datasets[2].data, [2, 4, 3, 2, 2, 2, 3])
  for (const part of [charts.status, charts.priority]) {
    assert.equal([part.data.length, part.colors.length], [part.labels.length, part.labels.length])
    assert.ok(part.colors.every((color: string) => /^#[0-9a-f]{6}$/i.test(color)))
  }
  assert.is(charts.priority.colors[charts.priority.labels.indexOf('Critical')], '#dc2626')
})

test('a department and an agent narrow every route; one that is not there leaves nothing', async () => {
  for (const query of [`department_id=${world.department}`, `assigned_to=${world.agent.id}`]) {
    assert.is((await figures(`?${query}`)).total_tickets, 2)
    assert.is((await figures(`?${query}`)).recent_tickets.length, 2)
    assert.is((await figures(`/metrics?${WEEK}&${query}`)).created, 2)
    assert.equal((await figures(`/analytics?${WEEK}&${query}`)).by_weekday, [0, 2, 0, 0, 0, 0, 0])
    assert.is((await figures(`/performance?${WEEK}&${query}`)).comparison.created.current, 2)
    assert.equal((await figures(`/charts?${WEEK}&${query}`)).datasets[0].data, [0, 2, 0, 0, 0, 0, 0])
  }
  for (const id of ['0', '-1', '999999', '99999999999999999999']) {
    assert.is((await figures(`?department_id=${id}`)).total_tickets, 0)
    assert.is((await figures(`/metrics?${WEEK}&assigned_to=${id}`)).backlog, 0)
  }
})

test('the present state goes by category, also under other names, and dates narrow tickets but not people', async () => {
  const category = async (name: string, category: string) => {
    const id = await world.setting('statuses', name)
    assert.is(
      (await world.put(`/settings/statuses/${id}`, world.admin, { category, name: `${name} indeed` })).status,
      200,
    )
  }
  const now = await figures('')
  assert.equal([now.total_tickets, now.opened_tickets, now.closed_tickets, now.new_tickets], [6, 4, 2, 0])
  assert.equal([now.un_assigned_tickets, now.overdue_tickets], [4, 0])
  assert.is(now.recent_tickets[0].id, tickets[3])
  const week = await figures(`?${WEEK}`)
  assert.equal([week.total_tickets, week.opened_tickets, week.total_users], [4, 2, now.total_users])
  assert.is(week.recent_tickets[0].id, tickets[1])
  await category('cancelled', 'pending')
  assert.equal([(await figures('')).opened_tickets, (await figures('')).closed_tickets], [5, 1])
  assert.is((await figures(`/metrics?${WEEK}`)).resolved, 1)
  await category('cancelled', 'closed')
})

test('a new ticket of today and one that is overdue are counted as such, and a deleted one no more', async () => {
  const made = await world.post('/tickets', world.manager, { subject: 's', details: 'd', due_date: '2026-01-01' })
  const now = await figures('')
  assert.equal([now.total_tickets, now.new_tickets, now.overdue_tickets], [7, 1, 1])
  assert.is((await world.remove(`/tickets/${made.at('data.id')}`, world.manager)).status, 204)
  const after = await figures('')
  assert.equal([after.total_tickets, after.new_tickets, after.overdue_tickets], [6, 0, 0])
  assert.is((await figures('/metrics')).created, 0)
  assert.not.ok(after.recent_activity.some((one: { ticket: { id: number } }) => one.ticket.id === made.at('data.id')))
})

test('a ticket that is taken up again counts as reopened, and its change is among the last events', async () => {
  const id = tickets[4]
  assert.is((await figures('/metrics')).reopened, 0)
  const status_id = await world.setting('statuses', 'open')
  assert.is((await world.put(`/tickets/${id}`, world.agent, { status_id })).status, 200)
  assert.is((await figures('/metrics')).reopened, 1)
  assert.is((await figures('/metrics?date_from=2020-01-01&date_to=2020-01-31')).reopened, 0)
  const [event] = (await figures('')).recent_activity
  assert.equal(Object.keys(event), ['id', 'type', 'description', 'ticket', 'user', 'created_at'])
  assert.equal([event.type, event.description], ['ticket_updated', 'Status changed from Resolved to Open'])
  assert.equal([event.ticket.id, event.user], [id, { id: world.agent.id, name: 'Alba Tester' }])
})

test('a deleted department keeps its name where tickets carry it', async () => {
  assert.is((await world.remove(`/settings/departments/${world.department}`, world.admin)).status, 204)
  const { tickets_by_department } = await figures(`/metrics?${WEEK}`)
  assert.equal(
    tickets_by_department.find(({ id }: { id: number }) => id === world.department),
    {
      id: world.department,
      name: 'Repairs',
      total: 2,
    },
  )
})

test.run()
