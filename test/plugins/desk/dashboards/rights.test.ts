/** Who sees which figures, what is refused, and what the page is made of. */
import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Person } from '../../../desk/desk.ts'
import { fillWeek, openWorld, WEEK, type World } from './world.ts'

const test = suite('dashboards: rights and the page')
const ANALYTICS = [
  '/dashboard/metrics',
  '/dashboard/analytics',
  '/dashboard/performance',
  '/dashboard/charts',
  '/dashboard/sla',
]
let world: World
let tickets: readonly number[] = []

test.before(async () => {
  world = await openWorld()
  tickets = await fillWeek(world)
})
test.after(() => world?.close())

test('nobody reads figures without a token; customers read their own and no analytics', async () => {
  for (const path of ['/dashboard', ...ANALYTICS]) {
    assert.is((await world.get(path)).status, 401, path)
    for (const who of [world.admin, world.manager, world.agent])
      assert.is((await world.get(path, who)).status, 200, path)
  }
  for (const path of ANALYTICS) assert.is((await world.get(path, world.ann)).status, 403, path)
  const own = async (who: Person) => {
    const answer = await world.get('/dashboard', who)
    return ['total_tickets', 'total_users', 'total_customers', 'total_contacts'].map((key) => answer.at(`data.${key}`))
  }
  assert.equal(await own(world.ann), [5, 1, 0, 0])
  assert.equal(await own(world.ben), [1, 1, 0, 0])
})

test('customers see neither internal comments nor the tickets of others among the last events', async () => {
  const [id] = tickets
  await world.post(`/tickets/${id}/comments`, world.agent, { comment: 'Looks like Ann again', is_internal: true })
  await world.post(`/tickets/${id}/comments`, world.agent, { comment: 'We are on it' })
  await world.put(`/tickets/${id}`, world.agent, { priority_id: await world.setting('priorities', 'High') })
  const events = async (who: Person) => {
    const answer = await world.get('/dashboard', who)
    return (answer.at('data.recent_activity') as { type: string; ticket: { id: number } }[]).filter(
      (event) => event.ticket.id === id && event.type !== 'ticket_created',
    )
  }
  const types = (list: { type: string }[]) => list.map(({ type }) => type)
  assert.equal(types(await events(world.manager)), [
    'ticket_updated',
    'ticket_commented',
    'ticket_commented_internally',
  ])
  assert.equal(types(await events(world.ann)), ['ticket_updated', 'ticket_commented'])
  assert.equal(await events(world.ben), [])
})

test('a role that may read figures but no tickets reads noughts; one that may not is told what it lacks', async () => {
  const role = async (slug: string, permissions: readonly string[]) => {
    const made = await world.post('/settings/roles', world.admin, { name: slug, slug, permissions })
    assert.is(made.status, 201, made.text)
    return world.person(slug, slug)
  }
  const counter = await role('counter', ['dashboard.view', 'dashboard.analytics'])
  const now = await world.get('/dashboard', counter)
  assert.equal([now.at('data.total_tickets'), now.at('data.recent_activity')], [0, []])
  assert.is((await world.get(`/dashboard/metrics?${WEEK}`, counter)).at('data.created'), 0)
  const stranger = await role('stranger', ['tickets.view'])
  const refused = await world.get('/dashboard', stranger)
  assert.equal([refused.status, refused.at('message')], [403, 'You need the permission dashboard.view'])
})

test('what cannot be understood is refused by the name of its parameter', async () => {
  for (const path of ['/dashboard', ...ANALYTICS]) {
    const errors = async (query: string) => {
      const answer = await world.get(`${path}?${query}`, world.manager)
      assert.is(answer.status, 422, `${path}?${query}: ${answer.text}`)
      return Object.keys(answer.at('errors') as object)
    }
    assert.equal(await errors('date_from=2026-02-01&date_to=2026-01-31'), ['date_to'])
    assert.equal(await errors('date_from=2026-02-30'), ['date_from'])
    assert.equal(await errors('department_id=abc'), ['department_id'])
    assert.equal(await errors('date_form=2026-01-01'), ['date_form'])
    assert.equal(await errors('date_from=0001-01-01&date_to=9999-12-31'), ['date_to'])
  }
})

test('one end of the period is enough, and a single day is a period', async () => {
  const period = async (query: string) => {
    const answer = await world.get(`/dashboard/charts?${query}`, world.manager)
    const labels = answer.at('data.labels') as string[]
    return [labels[0], labels.at(-1), labels.length]
  }
  assert.equal(await period('date_to=2026-01-11'), ['2025-12-13', '2026-01-11', 30])
  assert.equal(await period('date_from=2026-01-11&date_to=2026-01-11'), ['2026-01-11', '2026-01-11', 1])
  assert.equal(await period('date_from=2199-01-01'), ['2199-01-01', '2199-01-01', 1])
  const leap = await period('date_from=2024-02-28&date_to=2024-03-01')
  assert.equal(leap, ['2024-02-28', '2024-03-01', 3])
})

test('the page needs no token, runs nothing inline, and asks nobody else', async () => {
  const page = await world.call('GET', '//dashboard')
  assert.is(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.not.match(policy, /unsafe/)
  assert.not.match(page.text, /<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)/)
  const links = [...page.text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, link = '']) => link)
  assert.is(links.length, 5)
  const forgotten = links.find((link) => !link.startsWith('/dashboard/'))
  assert.is(forgotten, '/password/reset')
  assert.is((await world.call('GET', `/${forgotten}`)).status, 200)
  for (const link of links.filter((link) => link !== forgotten)) {
    const file = await world.call('GET', `/${link}`)
    assert.is(file.status, 200, link)
    assert.match(String(file.headers['cache-control']), /immutable/)
    assert.match(String(file.headers['content-type']), /^text\/(css|javascript)/)
  }
})

test('every file of the page is served, and imports only what is served', async () => {
  const folder = new URL('../../../../plugins/desk/dashboards/page/', import.meta.url)
  const page = await world.call('GET', '//dashboard')
  const base = /src="(\/.*\/)dashboard\.js"/.exec(page.text)?.[1]
  for (const name of readdirSync(folder).filter((file) => !file.endsWith('.html'))) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    assert.is((await world.call('GET', `/${base}${name}`)).text, text)
    assert.not.match(text, /https?:\/\//, name)
    for (const [, imported] of text.matchAll(/from '\.\/([\w.]+)'/g)) {
      assert.is((await world.call('GET', `/${base}${imported}`)).status, 200, `${name} imports ${imported}`)
    }
  }
  assert.is((await world.call('GET', `/${base}index.ts`)).status, 404)
  assert.is((await world.call('GET', `/${base}..%2F..%2Findex.ts`)).status, 404)
})

test.run()
