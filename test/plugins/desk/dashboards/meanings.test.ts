/** One meaning of every figure, in dashboards, reports, lists and on the page; and days where the desk is. */
import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MEANINGS } from '../../../../plugins/desk/tickets/figures.ts'
import { openWorld, pageModule, type World } from './world.ts'

const test = suite('dashboards: what figures mean')
let world: World

/** The desk's own resources, in New York, where the eighth of March 2026 has 23 hours. */
function resources(zone = 'America/New_York'): Readonly<Record<string, string>> {
  const files = readdirSync('resources').filter((name) => name.endsWith('.yaml'))
  const read = Object.fromEntries(files.map((name) => [name, readFileSync(`resources/${name}`, 'utf8')]))
  return { ...read, 'app.yaml': read['app.yaml']!.replace('time_zone: UTC', `time_zone: ${zone}`) }
}

test.before(async () => {
  world = await openWorld(resources())
})
test.after(() => world?.close())

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
async function figures(path: string): Promise<any> {
  const answer = await world.get(`/dashboard${path}`, world.manager)
  assert.is(answer.status, 200, answer.text)
  return answer.at('data')
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
async function report(type: string, day: string): Promise<any> {
  const made = await world.post('/reports/generate', world.admin, { type, date_from: day, date_to: day })
  assert.is(made.status, 201, made.text)
  return made.at('data')
}

test('days and hours are those of the desk, also on a day that is shorter', async () => {
  const [before, within, after] = [
    await world.ticket(world.ann, { created: '2026-03-08 04:59:59+00' }),
    await world.ticket(world.ann, {
      created: '2026-03-08 05:00:00+00',
      status: 'resolved',
      responded: '2026-03-09 03:00:00+00',
      resolved: '2026-03-09 03:59:59+00',
    }),
    await world.ticket(world.ann, { created: '2026-03-09 04:00:00+00' }),
  ]
  const day = 'date_from=2026-03-08&date_to=2026-03-08'
  const metrics = await figures(`/metrics?${day}`)
  assert.equal([metrics.created, metrics.resolved, metrics.backlog], [1, 1, 1])
  const { by_hour, by_weekday } = await figures(`/analytics?${day}`)
  assert.equal([by_hour[0], by_weekday], [1, [0, 0, 0, 0, 0, 0, 1]])
  const { datasets, labels } = await figures('/charts?date_from=2026-03-07&date_to=2026-03-09')
  assert.equal(labels, ['2026-03-07', '2026-03-08', '2026-03-09'])
  assert.equal(
    datasets.map(({ data }: { data: number[] }) => data),
    [
      [1, 1, 1],
      [0, 1, 0],
      [1, 1, 2],
    ],
  )
  const now = await figures(`?${day}`)
  assert.equal([now.total_tickets, now.recent_tickets.map(({ id }: { id: number }) => id)], [1, [within]])
  const made = await report('performance', '2026-03-08')
  assert.equal(
    made.rows.map((row: Record<string, unknown>) => [row.date, row.created, row.resolved, row.backlog]),
    [['2026-03-08', 1, 1, 1]],
  )
  assert.is((await report('tickets', '2026-03-08')).rows_count, 1)
  for (const id of [before, within, after]) await world.remove(`/tickets/${id}`, world.manager)
})

test('a zone that nobody knows is a diagnostic, and so is an offset', async () => {
  for (const zone of ['Mars/Phobos', '"+02:00"']) {
    try {
      await (await openWorld(resources(zone))).close()
      assert.unreachable(zone)
    } catch (error) {
      assert.match(String(error), /tickets\/time_zone: There is no time zone/)
    }
  }
})

test('cancelled is not resolved: it has no resolution time and is in no rate, and leaves the backlog all the same', async () => {
  const at = { created: '2026-04-01 12:00:00+00', resolved: '2026-04-01 13:00:00+00' }
  const mine = { assigned_to: world.agent.id, department_id: world.department }
  const made = [
    await world.ticket(world.ann, { ...at, status: 'closed', body: mine }),
    await world.ticket(world.ann, { ...at, resolved: '2026-04-01 22:00:00+00', status: 'cancelled', body: mine }),
    await world.ticket(world.ann, { ...at, resolved: '', status: 'open', body: mine }),
  ]
  const day = 'date_from=2026-04-01&date_to=2026-04-01'
  const metrics = await figures(`/metrics?${day}`)
  assert.equal([metrics.resolved, metrics.backlog, metrics.resolution_rate], [1, 1, 33.33])
  assert.is(metrics.resolution_time.average, 3600)
  const { agents } = await figures(`/performance?${day}`)
  assert.equal([agents[0].resolved, agents[0].open, agents[0].resolution_time], [1, 1, 3600])
  const { summary } = await report('tickets', '2026-04-01')
  assert.equal([summary.resolved, summary.cancelled, summary.open, summary.resolution_rate], [1, 1, 1, 33.33])
  assert.is(summary.resolution_time.average, 3600)
  for (const type of ['agents', 'departments', 'customers']) {
    const [row] = (await report(type, '2026-04-01')).rows
    assert.equal([row.resolved, row.open, row.resolution_time], [1, 1, 3600], type)
  }
  const [row] = (await report('performance', '2026-04-01')).rows
  assert.equal([row.resolved, row.backlog, row.resolution_time], [1, 1, 3600])
  for (const id of made) await world.remove(`/tickets/${id}`, world.manager)
})

/** Every figure of a day, but for how many tickets have which status. */
async function everyFigure(day: string): Promise<Readonly<Record<string, unknown>>> {
  const asked = `date_from=${day}&date_to=${day}`
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(day, 'the day'))
  const { tickets_by_status: _, ...metrics } = await figures(`/metrics?${asked}`)
  const { datasets, priority } = await figures(`/charts?${asked}`)
  const { agents, first_response, resolution, trends } = await figures(`/performance?${asked}`)
  const { date_from: _from, date_to: _to, ...analytics } = await figures(`/analytics?${asked}`)
  const { recent_activity: _activity, recent_tickets: _tickets, ...overview } = await figures(`?${asked}`)
  const { priorities } = await figures(`/sla?${asked}`)
  const found: Record<string, unknown> = { metrics, datasets, priority, analytics, overview, priorities }
  Object.assign(found, { agents, first_response, resolution, trends })
  for (const type of ['tickets', 'agents', 'departments', 'customers', 'performance']) {
    const { rows, summary } = await report(type, day)
    const { by_status: _status, ...rest } = summary
    found[type] = type === 'tickets' ? rest : [rest, rows]
  }
  return plain(found) as Record<string, unknown>
}

test('a merged ticket counts as a cancelled one in every figure', async () => {
  const into = await world.ticket(world.ann, { created: '2026-07-20 12:00:00+00' })
  const mine = { assigned_to: world.agent.id, department_id: world.department, tags: ['x'] }
  const cancelled = await world.setting('statuses', 'cancelled')
  const counted = async (day: string, end: (id: number) => Promise<{ readonly status: number }>) => {
    const created = `${day} 14:00:00+00`
    const resolved = { resolved: `${day} 16:00:00+00` }
    const made = [await world.ticket(world.ann, { created, status: 'closed', ...resolved, body: mine })]
    for (const given of [
      { created, body: mine },
      { created, responded: `${day} 15:00:00+00`, body: mine },
      { created, status: 'resolved', responded: `${day} 15:00:00+00`, ...resolved, body: mine },
      { created, status: 'closed', ...resolved, body: mine },
    ]) {
      made.push(await world.ticket(world.ann, given))
      assert.is((await end(made.at(-1)!)).status, 200)
    }
    const found = await everyFigure(day)
    for (const id of made) await world.remove(`/tickets/${id}`, world.manager)
    return found
  }
  // Days of two weeks, so that they are the same weekday.
  const one = await counted('2026-07-01', (id) => world.put(`/tickets/${id}`, world.manager, { status_id: cancelled }))
  const other = await counted('2026-07-08', (id) => world.post(`/tickets/${id}/merge`, world.manager, { into }))
  for (const [name, figure] of Object.entries(one)) assert.equal(other[name], figure, name)
  const { created, resolution_rate, resolved } = other.metrics as Record<string, unknown>
  assert.equal([created, resolved, resolution_rate], [5, 1, 20])
  await world.remove(`/tickets/${into}`, world.manager)
})

test('a merge that is undone takes no work up again', async () => {
  const [id, into] = [
    await world.ticket(world.ann, { created: '2026-07-20 12:00:00+00' }),
    await world.ticket(world.ann, { created: '2026-07-20 12:00:00+00' }),
  ]
  const reopened = async (): Promise<number> => (await figures('/metrics')).reopened
  const before = await reopened()
  assert.is((await world.post(`/tickets/${id}/merge`, world.manager, { into })).status, 200)
  assert.is((await world.post(`/tickets/${id}/unmerge`, world.manager)).status, 200)
  assert.is((await world.get(`/tickets/${id}`, world.manager)).at('data.status.slug'), 'open')
  assert.is(await reopened(), before)
  for (const status of ['resolved', 'open'])
    await world.put(`/tickets/${id}`, world.manager, { status_id: await world.setting('statuses', status) })
  assert.is(await reopened(), before + 1)
  for (const one of [id, into]) await world.remove(`/tickets/${one}`, world.manager)
})

test('of what is older than a period, what is open counts in it, and what was answered or resolved in it', async () => {
  const created = '2026-01-05 12:00:00+00'
  const early = '2026-01-06 12:00:00+00'
  const within = '2026-05-01 12:00:00+00'
  const mine = { assigned_to: world.agent.id }
  const old = (values: object) => world.ticket(world.ann, { created, body: mine, ...values })
  const made = [
    await old({ status: 'closed', responded: early, resolved: early }),
    await old({ status: 'closed', responded: within, resolved: early }),
    await old({ status: 'closed', responded: early, resolved: within }),
    await old({ status: 'open', responded: early }),
    // Of a status whose category has changed since.
    await old({ status: 'open', responded: early, resolved: early }),
    // Nobody knows when; it has not been changed since today.
    await old({ status: 'closed' }),
  ]
  const day = 'date_from=2026-05-01&date_to=2026-05-01'
  const metrics = await figures(`/metrics?${day}`)
  assert.equal([metrics.created, metrics.resolved, metrics.backlog], [0, 1, 3])
  const waited = (Date.parse('2026-05-01') - Date.parse('2026-01-05')) / 1000
  assert.equal([metrics.first_response_time.average, metrics.resolution_time.average], [waited, waited])
  const { agents, trends } = await figures(`/performance?${day}`)
  assert.equal([agents[0].assigned, agents[0].resolved, agents[0].open], [0, 1, 2])
  assert.equal(trends, [{ date: '2026-05-01', created: 0, resolved: 1, backlog: 3 }])
  const [row] = (await report('performance', '2026-05-01')).rows
  assert.equal([row.resolved, row.backlog, row.first_response_time], [1, 3, waited])
  const [mineOnly] = (await report('agents', '2026-05-01')).rows
  assert.equal([mineOnly.resolved, mineOnly.open, mineOnly.resolution_time], [1, 2, waited])
  for (const id of made) await world.remove(`/tickets/${id}`, world.manager)
})

test('a closed ticket that nobody knows when it was resolved has no resolution time', async () => {
  const id = await world.ticket(world.ann, { created: '2026-04-10 12:00:00+00', status: 'closed' })
  const day = 'date_from=2026-04-10&date_to=2026-04-10'
  assert.is((await figures(`/metrics?${day}`)).resolution_rate, 100)
  const today = await figures('/metrics')
  assert.equal([today.resolved, today.resolution_time.average], [0, null])
  const { rows, summary } = await report('tickets', '2026-04-10')
  assert.equal([rows[0].resolution_time, summary.resolution_time.average], [null, null])
  await world.remove(`/tickets/${id}`, world.manager)
})

test('unassigned is work that is still to be done; the list of those that nobody is assigned to has all of them', async () => {
  const made = [
    await world.ticket(world.ann, { created: '2026-05-01 12:00:00+00' }),
    await world.ticket(world.ann, { created: '2026-05-01 12:00:00+00', status: 'closed' }),
  ]
  assert.is((await figures('')).un_assigned_tickets, 1)
  const list = async (type: string) => (await world.get(`/tickets?type=${type}`, world.manager)).list.length
  assert.equal([await list('un_assigned'), await list('open')], [2, (await figures('')).opened_tickets])
  assert.is((await report('tickets', '2026-05-01')).summary.unassigned, 1)
  const [department] = (await report('departments', '2026-05-01')).rows
  assert.is(department.unassigned, 1)
  for (const id of made) await world.remove(`/tickets/${id}`, world.manager)
})

test('tickets of a sub-category count for the category above it', async () => {
  const category = async (body: object) =>
    Number((await world.post('/settings/categories', world.admin, body)).at('data.id'))
  const upper = await category({ name: 'Machines' })
  const lower = await category({ name: 'Pumps', parent_id: upper })
  for (const body of [{ category_id: lower }, { category_id: upper, sub_category_id: lower }])
    await world.ticket(world.ann, { created: '2026-06-01 12:00:00+00', body })
  const day = 'date_from=2026-06-01&date_to=2026-06-01'
  const { tickets_by_category } = await figures(`/metrics?${day}`)
  const totals = new Map(tickets_by_category.map(({ name, total }: { name: string; total: number }) => [name, total]))
  assert.equal([totals.get('Machines'), totals.has('Pumps')], [2, false])
  assert.equal((await figures(`/analytics?${day}`)).categories, [
    { id: upper, name: 'Machines', count: 2, percentage: 100 },
  ])
})

test('an answer of staff in a chat with the customer is the first response; talk among staff is none', async () => {
  const made = await world.post('/tickets', world.ann, { subject: 's', details: 'd' })
  const id = made.at('data.id')
  const chat = async (type: string) =>
    (await world.post('/conversations', world.agent, { ticket_id: id, type })).at('data.id')
  const answered = async () => (await world.get(`/tickets/${id}`, world.agent)).at('data.first_response_at')
  const [inner, outer] = [await chat('internal'), await chat('customer')]
  const say = (to: unknown, who = world.agent, more = {}) =>
    world.post(`/conversations/${to}/messages`, who, { message: 'Hello', ...more })
  await say(inner)
  await say(outer, world.agent, { is_internal: true })
  await say(outer, world.ann)
  assert.is(await answered(), null)
  assert.is((await say(outer)).status, 201)
  const first = await answered()
  assert.ok(first)
  await say(outer)
  await world.post(`/tickets/${id}/comments`, world.agent, { comment: 'And here' })
  assert.is(await answered(), first)
})

test('the page says in words what every figure means, and whose days they are', async () => {
  const { text } = await world.get('//dashboard')
  for (const [term, meaning] of MEANINGS) assert.ok(text.includes(`<dt>${term}</dt><dd>${meaning}</dd>`), term)
  assert.ok(text.includes('America/New_York'))
  assert.not.ok(text.includes('{{'))
})

test('the list behind a tile or a bar holds as many tickets as it says', async () => {
  const { listQuery } = await pageModule('listed')
  const mine = { assigned_to: world.agent.id, department_id: world.department }
  const late = { due_date: '2026-01-01' }
  const made = [
    await world.ticket(world.ann, { created: new Date().toISOString(), body: late }),
    await world.ticket(world.ann, { created: '2026-07-01 12:00:00+00', status: 'closed', body: late }),
    await world.ticket(world.ann, { created: '2026-07-02 03:59:59+00', body: { ...mine, ...late } }),
    await world.ticket(world.ann, { created: '2026-07-02 04:00:00+00', status: 'cancelled' }),
  ]
  const { list: statuses } = await world.get('/settings/statuses?per_page=100', world.manager)
  const desk = { statuses, zone: 'America/New_York', now: Date.now() }
  const total = async (view: object, period?: object) => {
    const answer = await world.get(`/tickets?${listQuery(view, desk, period)}`, world.manager)
    assert.is(answer.status, 200, answer.text)
    return answer.at('meta.pagination.total')
  }
  const tiles = {
    all: 'total',
    open: 'opened',
    closed: 'closed',
    new: 'new',
    unassigned: 'un_assigned',
    overdue: 'overdue',
  }
  const day = { date_from: '2026-07-01', date_to: '2026-07-01' }
  for (const filters of [{}, { department_id: String(world.department) }, day]) {
    const now = await figures(`?${new URLSearchParams(filters)}`)
    for (const [show, figure] of Object.entries(tiles))
      assert.is(await total({ ...filters, show }), now[`${figure}_tickets`], `${show} of ${JSON.stringify(filters)}`)
  }
  const metrics = await figures(`/metrics?${new URLSearchParams(day)}`)
  assert.is(metrics.created, 2)
  for (const status of metrics.tickets_by_status)
    assert.is(await total({ status_id: String(status.id) }, metrics), status.total, status.name)
  for (const id of made) await world.remove(`/tickets/${id}`, world.manager)
})

test.run()
