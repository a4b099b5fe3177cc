/** Settings: their shapes, slugs and colours, and the guards around what tickets rely on. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { planFor } from '../../engine/migration/migrate.ts'
import { riskOf } from '../../engine/migration/step.ts'
import { type Desk, openDesk, type Person } from './desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
const test = suite('desk: settings')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(() => desk.close())

const KINDS: Readonly<Record<string, readonly string[]>> = {
  categories: ['created_at', 'description', 'id', 'name', 'parent', 'parent_id', 'updated_at'],
  priorities: ['color', 'created_at', 'id', 'is_default', 'name', 'updated_at'],
  statuses: ['category', 'created_at', 'id', 'is_cancelled', 'is_default', 'name', 'slug', 'updated_at'],
  departments: ['created_at', 'description', 'id', 'name', 'updated_at'],
  types: ['created_at', 'id', 'name', 'updated_at'],
}

for (const [kind, keys] of Object.entries(KINDS)) {
  test(`${kind} are read by everyone, managed by managers, deleted and restored`, async () => {
    const made = await desk.post(`/settings/${kind}`, manager, { name: 'Zebra' })
    assert.is(made.status, 201, made.text)
    assert.equal(made.keys, keys)
    const path = `/settings/${kind}/${made.at('data.id')}`
    assert.is((await desk.get(path, customer)).status, 200)
    assert.is((await desk.get(`/settings/${kind}?search=zeb`, customer)).list.length, 1)
    for (const person of [agent, customer]) {
      assert.is((await desk.post(`/settings/${kind}`, person, { name: 'Yak' })).status, 403)
      assert.is((await desk.put(path, person, { name: 'Yak' })).status, 403)
      assert.is((await desk.remove(path, person)).status, 403)
    }
    assert.is((await desk.put(path, manager, { name: 'Zebu' })).at('data.name'), 'Zebu')
    assert.is((await desk.call('PATCH', path, { as: manager, body: { name: null } })).status, 422)
    assert.is((await desk.remove(path, manager)).status, 204)
    assert.is((await desk.get(path, manager)).status, 404)
    assert.is((await desk.post(`${path}/restore`, manager)).at('data.name'), 'Zebu')
    assert.is((await desk.post(`/settings/${kind}`, manager, {})).status, 422)
  })

  test(`${kind} are in order of names`, async () => {
    const names = (await desk.get(`/settings/${kind}?per_page=100`, agent)).list.map(({ name }) => String(name))
    assert.ok(names.length > 2)
    assert.equal(
      names,
      [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    )
  })
}

test('the seeds of a first start are there', async () => {
  const statuses = (await desk.get('/settings/statuses?sort=id', agent)).list
  assert.equal(
    statuses.slice(0, 6).map(({ slug, category }) => `${slug} ${category}`),
    ['open open', 'pending pending', 'in-progress open', 'resolved solved', 'closed closed', 'cancelled closed'],
  )
  const priorities = (await desk.get('/settings/priorities?sort=id', agent)).list
  assert.equal(
    priorities.slice(0, 4).map(({ name }) => name),
    ['Low', 'Medium', 'High', 'Critical'],
  )
  assert.equal(
    priorities.filter(({ is_default }) => is_default).map(({ name }) => name),
    ['Medium'],
  )
})

test('a status gets its slug from its name, the next free one', async () => {
  const first = await desk.post('/settings/statuses', manager, { name: 'On Hold', category: 'pending' })
  assert.is(first.at('data.slug'), 'on-hold')
  const second = await desk.post('/settings/statuses', manager, { name: 'On hold' })
  assert.is(second.at('data.slug'), 'on-hold-2')
  assert.is(second.at('data.category'), 'open')
  const taken = await desk.post('/settings/statuses', manager, { name: 'Other', slug: 'on-hold' })
  assert.is(taken.status, 422)
  assert.ok(taken.at('errors.slug.0'))
})

test('colours are written #rgb or #rrggbb', async () => {
  for (const color of ['#abc', '#A1B2C3'])
    assert.is((await desk.post('/settings/priorities', manager, { name: 'C', color })).status, 201, color)
  for (const color of ['red', '#ab', '#12345g', 'abc']) {
    const answer = await desk.post('/settings/priorities', manager, { name: 'C', color })
    assert.is(answer.status, 422, color)
    assert.ok(answer.at('errors.color.0'))
  }
})

test('there is one default: it moves by naming another, and is not dropped or deleted', async () => {
  for (const [kind, name, other] of [
    ['priorities', 'Medium', 'High'],
    ['statuses', 'open', 'pending'],
  ] as const) {
    const old = `/settings/${kind}/${await desk.setting(kind, name)}`
    const next = `/settings/${kind}/${await desk.setting(kind, other)}`
    assert.is((await desk.remove(old, manager)).status, 409)
    assert.is((await desk.put(old, manager, { is_default: false })).status, 409)
    assert.is((await desk.put(next, manager, { is_default: true })).status, 200)
    assert.is((await desk.get(old, manager)).at('data.is_default'), false)
    assert.is((await desk.put(old, manager, { is_default: true })).status, 200)
    const defaults = (await desk.get(`/settings/${kind}?is_default=true`, manager)).list
    assert.equal(defaults.length, 1)
  }
})

test('of several that become the default at once, one is', async () => {
  const names = ['Low', 'Medium', 'High', 'Critical']
  const paths = await Promise.all(
    names.map(async (name) => `/settings/priorities/${await desk.setting('priorities', name)}`),
  )
  const answers = await Promise.all(paths.map((path) => desk.put(path, manager, { is_default: true })))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.is((await desk.get('/settings/priorities?is_default=true', manager)).list.length, 1)
  assert.is((await desk.put(paths[1] ?? '', manager, { is_default: true })).status, 200)
})

test('a flag, a state and the permissions of a role are never null', async () => {
  const role = { name: 'Nulls', permissions: null }
  const bodies: readonly (readonly [path: string, field: string, body: object])[] = [
    ['/settings/statuses', 'is_default', { name: 'a', is_default: null }],
    ['/settings/statuses', 'category', { name: 'a', category: null }],
    ['/settings/priorities', 'is_default', { name: 'a', is_default: null }],
    ['/settings/roles', 'permissions', role],
    ['/faqs', 'status', { name: 'a', details: 'b', status: null }],
    ['/posts', 'is_active', { title: 'a', details: 'b', is_active: '' }],
  ]
  for (const [path, field, body] of bodies) {
    const answer = await desk.post(path, desk.admin, body)
    assert.is(answer.status, 422, `${path}: ${answer.text}`)
    assert.ok(answer.at(`errors.${field}.0`), answer.text)
  }
  const open = `/settings/statuses/${await desk.setting('statuses', 'open')}`
  for (const body of [{ is_default: null }, { category: null }, { category: '' }])
    assert.is((await desk.put(open, manager, body)).status, 422)
})

test('null in older data becomes what keeps it closed, by the migration itself', async () => {
  const { database } = desk.engine
  for (const [table, column] of [
    ['faqs', 'status'],
    ['ticket_comments', 'is_internal'],
  ])
    await database.knex.raw('alter table ?? alter column ?? drop not null', [table ?? '', column ?? ''])
  const { value } = await planFor(desk.engine.app.catalog, database, new Date())
  assert.equal(
    value.steps.map((step) => `${riskOf(step)}: ${step.title}`),
    [
      'safe: require faqs.status, where null becomes false',
      'safe: require ticket_comments.is_internal, where null becomes true',
    ],
  )
})

test('a default that was deleted in older data comes back as one of several', async () => {
  const made = await desk.post('/settings/priorities', manager, { name: 'Old default' })
  const path = `/settings/priorities/${made.at('data.id')}`
  assert.is((await desk.remove(path, manager)).status, 204)
  await desk.engine.database
    .knex('priorities')
    .where({ id: made.at('data.id') })
    .update({ is_default: true })
  assert.is((await desk.post(`${path}/restore`, manager)).at('data.is_default'), false)
  assert.is((await desk.get('/settings/priorities?is_default=true', manager)).list.length, 1)
})

test('the last status of category closed stays', async () => {
  const closed = `/settings/statuses/${await desk.setting('statuses', 'closed')}`
  const cancelled = `/settings/statuses/${await desk.setting('statuses', 'cancelled')}`
  assert.is((await desk.remove(cancelled, manager)).status, 204)
  assert.is((await desk.remove(closed, manager)).status, 409)
  assert.is((await desk.put(closed, manager, { category: 'open' })).status, 409)
  assert.is((await desk.post(`${cancelled}/restore`, manager)).status, 200)
  assert.is((await desk.remove(closed, manager)).status, 204)
  assert.is((await desk.post(`${closed}/restore`, manager)).status, 200)
})

test('categories stand one level deep', async () => {
  const top = await desk.setting('categories', 'Billing')
  const below = await desk.setting('categories', 'Invoices')
  const deeper = await desk.post('/settings/categories', manager, { name: 'Deeper', parent_id: below })
  assert.is(deeper.status, 422)
  assert.ok(deeper.at('errors.parent_id.0'))
  const technical = await desk.setting('categories', 'Technical')
  assert.is((await desk.put(`/settings/categories/${top}`, manager, { parent_id: technical })).status, 422)
  assert.is((await desk.put(`/settings/categories/${technical}`, manager, { parent_id: technical })).status, 422)
  const child = await desk.get(`/settings/categories/${below}`, manager)
  assert.equal(child.at('data.parent'), { id: top, name: 'Billing' })
})

test('a deleted setting still shows on the tickets that carry it, and can’t be chosen any more', async () => {
  const made = await desk.post('/settings/departments', manager, { name: 'Archive' })
  const id = made.at('data.id')
  const ticket = await desk.post('/tickets', agent, { subject: 'a', details: 'b', department_id: id })
  assert.is((await desk.remove(`/settings/departments/${id}`, manager)).status, 204)
  const shown = await desk.get(`/tickets/${ticket.at('data.id')}`, agent)
  assert.equal(shown.at('data.department'), { id, name: 'Archive' })
  assert.is(
    (await desk.put(`/tickets/${ticket.at('data.id')}`, agent, { department_id: id, subject: 'c' })).status,
    200,
  )
  const chosen = await desk.post('/tickets', agent, { subject: 'a', details: 'b', department_id: id })
  assert.equal(chosen.at('errors.department_id'), ['The selected department is invalid'])
})

/** One write to a setting: on a new record, or on one of those there are. */
const WRITE = fc.record({
  kind: fc.constantFrom('statuses', 'priorities'),
  method: fc.constantFrom('POST', 'PUT', 'DELETE', 'RESTORE'),
  at: fc.nat(20),
  body: fc.record(
    {
      name: fc.constantFrom('One', 'Two', 'Three'),
      is_default: fc.constantFrom(true, false, null, ''),
      category: fc.constantFrom('open', 'pending', 'solved', 'closed', null),
    },
    { requiredKeys: [] },
  ),
})

test('tickets can be opened after any settings that were allowed', async () => {
  const apply = async ({ kind, method, at, body }: typeof WRITE extends fc.Arbitrary<infer T> ? T : never) => {
    const { category, ...others } = body
    const sent = kind === 'statuses' ? body : others
    if (method === 'POST') return desk.post(`/settings/${kind}`, manager, { name: 'New', ...sent })
    const rows = await desk.engine.database.knex(kind).orderBy('id').pluck('id')
    const path = `/settings/${kind}/${rows[at % rows.length]}`
    if (method === 'PUT') return desk.put(path, manager, sent)
    return method === 'DELETE' ? desk.remove(path, manager) : desk.post(`${path}/restore`, manager)
  }
  const property = fc.asyncProperty(fc.array(WRITE, { minLength: 4, maxLength: 12 }), async (writes) => {
    for (const write of writes) assert.ok((await apply(write)).status < 500)
    for (const kind of ['statuses', 'priorities'])
      assert.is((await desk.get(`/settings/${kind}?is_default=true`, manager)).list.length, 1, kind)
    const answer = await desk.post('/tickets', agent, { subject: 'a', details: 'b' })
    assert.is(answer.status, 201, answer.text)
    const closed = await desk.get('/settings/statuses?category=closed', manager)
    assert.ok(closed.list.length > 0)
  })
  await fc.assert(property, { numRuns: 15 })
})

test.run()
