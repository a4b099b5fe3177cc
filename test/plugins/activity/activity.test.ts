/** Activities: who changed what is written with the change, and read by whoever may see it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../../engine/engine.ts'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { application } from '../../support/application.ts'
import { SILENT } from '../../support/database.ts'

let desk: Desk
let agent: Person
let customer: Person
let stranger: Person
let heir: Person
const test = suite('desk: activity')

test.before(async () => {
  desk = await openDesk()
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
  heir = await desk.person('customer', 'Hera')
})
test.after(() => desk.close())

async function ticket(): Promise<string> {
  const made = await desk.post('/tickets', customer, { subject: 'Printer', details: 'It is on fire.' })
  assert.is(made.status, 201, made.text)
  return String(made.at('data.id'))
}

test('what was changed is kept from value to value, newest first, with who did it', async () => {
  const id = await ticket()
  const pending = await desk.setting('statuses', 'Pending')
  await desk.put(`/tickets/${id}`, agent, { status_id: pending, subject: 'Printer burns' })
  await desk.put(`/tickets/${id}`, agent, { subject: 'Printer burns' })
  await desk.put(`/tickets/${id}`, agent, { assigned_to: agent.id })
  const { status, list, at } = await desk.get(`/tickets/${id}/activity`, agent)
  assert.is(status, 200)
  assert.equal(
    list.map((one) => one.description),
    ['Assigned to changed from nothing to Alba Tester', 'Subject and status changed', 'Ticket created'].map(String),
  )
  const [, both, first] = list
  assert.equal(both?.user, { id: agent.id, name: 'Alba Tester' })
  assert.equal(both?.changes, [
    { field: 'subject', label: 'Subject', from: 'Printer', to: 'Printer burns' },
    {
      field: 'status_id',
      label: 'Status',
      from: await desk.setting('statuses', 'Open'),
      to: pending,
      from_name: 'Open',
      to_name: 'Pending',
    },
  ])
  assert.equal(first?.user, { id: customer.id, name: 'Cleo Tester' })
  assert.match(String(first?.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.equal(at('meta.pagination.total'), 3)
})

test('deleting and restoring are activities too', async () => {
  const id = await ticket()
  await desk.remove(`/tickets/${id}`, desk.admin)
  await desk.post(`/tickets/${id}/restore`, desk.admin)
  const { list } = await desk.get(`/tickets/${id}/activity`, desk.admin)
  assert.equal(
    list.map((one) => one.action),
    ['restored', 'deleted', 'created'],
  )
})

test('what follows from a write is on the account of who wrote', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, customer, { status_id: await desk.setting('statuses', 'Closed') })
  await desk.post(`/tickets/${id}/comments`, customer, { comment: 'It is back.' })
  const [reopened] = (await desk.get(`/tickets/${id}/activity`, agent)).list
  assert.equal(
    [reopened?.description, reopened?.user],
    ['Status changed from Closed to Open', { id: customer.id, name: 'Cleo Tester' }],
  )
})

test('it is read by whoever may see the record, page by page', async () => {
  const id = await ticket()
  assert.is((await desk.get(`/tickets/${id}/activity`, customer)).status, 200)
  assert.is((await desk.get(`/tickets/${id}/activity`, stranger)).status, 403)
  assert.is((await desk.get(`/tickets/${id}/activity`)).status, 401)
  assert.is((await desk.get('/tickets/999999/activity', agent)).status, 404)
  assert.is((await desk.get(`/tickets/${id}/activity?page=0`, agent)).status, 422)
  assert.is((await desk.get(`/tickets/${id}/activity?sort=id`, agent)).status, 422)
  for (const name of ['a', 'b', 'c']) await desk.put(`/tickets/${id}`, agent, { subject: name })
  const second = await desk.get(`/tickets/${id}/activity?per_page=2&page=2`, agent)
  assert.equal(
    second.list.map((one) => one.description),
    ['Subject changed from Printer to a', 'Ticket created'],
  )
  assert.equal(second.at('meta.pagination'), {
    current_page: 2,
    per_page: 2,
    total: 4,
    last_page: 2,
    from: 3,
    to: 4,
    next_cursor: null,
  })
  assert.is((await desk.get(`/tickets/${id}/activity?per_page=1000`, agent)).at('meta.pagination.per_page'), 100)
})

test('a refused change leaves nothing, and secrets are never kept', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, agent, { subject: 'x', status_id: 999_999 })
  assert.is((await desk.get(`/tickets/${id}/activity`, agent)).list.length, 1)
  const password = 'another horse battery'
  const changed = await desk.put(`/users/${stranger.id}`, desk.admin, {
    first_name: 'Stanley',
    password,
    password_confirmation: password,
  })
  assert.is(changed.status, 200, changed.text)
  const said = await desk.get(`/users/${stranger.id}/activity`, desk.admin)
  assert.is(said.list[0]?.description, 'First name changed from Stan to Stanley')
  assert.not.match(said.text, /password|argon|hash/)
})

/** Every way in which a reader is told of a ticket's past, as one text. */
async function told(id: string, who: Person): Promise<string> {
  const [own, dashboard] = [await desk.get(`/tickets/${id}/activity`, who), await desk.get('/dashboard', who)]
  assert.equal([own.status, dashboard.status], [200, 200])
  assert.is(own.at('meta.pagination.total'), own.list.length)
  const recent = (dashboard.at('data.recent_activity') as { ticket: { id: number } }[]).filter(
    ({ ticket }) => ticket.id === Number(id),
  )
  return JSON.stringify([own.list, recent])
}

test('who gets a ticket reads nothing of the time before, and who gives it nothing of the time after', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, customer, { subject: 'My divorce papers' })
  await desk.put(`/tickets/${id}`, customer, { subject: 'Printer' })
  await desk.post(`/tickets/${id}/comments`, customer, { comment: 'Please hurry.' })
  const moved = await desk.put(`/tickets/${id}`, agent, { user_id: heir.id, subject: 'Toner' })
  assert.is(moved.status, 200, moved.text)
  await desk.put(`/tickets/${id}`, agent, { subject: 'Toner is low' })
  const theirs = await told(id, heir)
  assert.match(theirs, 'Subject changed from Toner to Toner is low')
  assert.not.match(theirs, /divorce|Printer|Cleo|Ticket created|Comment added/)
  assert.match(await told(id, agent), /divorce.*Comment added/)
  const page = await desk.get(`/tickets/${id}/activity?per_page=1&page=2`, heir)
  assert.equal([page.list, page.at('meta.pagination.total'), page.at('meta.pagination.last_page')], [[], 1, 1])
  await desk.put(`/tickets/${id}`, agent, { user_id: customer.id })
  const back = await told(id, customer)
  assert.match(back, 'My divorce papers')
  assert.not.match(back, /changed from Toner|Hera/)
})

test('what was written before it was kept who could see it is for those who see every ticket', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, customer, { subject: 'Older' })
  const text = `update plinth_change set seen_by = null where resource = 'tickets' and record_id = $1::int`
  await desk.engine.database.adhoc.run({ text }, [id])
  assert.is((await desk.get(`/tickets/${id}/activity`, customer)).list.length, 0)
  assert.is((await desk.get(`/tickets/${id}/activity`, agent)).list.length, 2)
})

test('a condition through another record is judged as it was then', async () => {
  const id = await ticket()
  const made = await desk.post('/conversations', customer, {
    ticket_id: Number(id),
    type: 'customer',
    subject: 'Secret',
  })
  assert.is(made.status, 201, made.text)
  const path = `/conversations/${made.at('data.id')}`
  await desk.put(path, customer, { subject: 'Harmless' })
  assert.is((await desk.get(`${path}/activity`, customer)).list.length, 2)
  await desk.put(`/tickets/${id}`, agent, { user_id: heir.id })
  await desk.put(path, agent, { subject: 'New' })
  const { list, text } = await desk.get(`${path}/activity`, heir)
  assert.equal(
    list.map(({ description }) => description),
    ['Subject changed from Harmless to New'],
    text,
  )
})

test('records behind a change are named to those who may see them', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, agent, { assigned_to: agent.id })
  await desk.put(`/tickets/${id}`, agent, { status_id: await desk.setting('statuses', 'Pending') })
  const descriptions = async (who: Person) =>
    (await desk.get(`/tickets/${id}/activity`, who)).list.map(({ description }) => description)
  assert.equal(await descriptions(agent), [
    'Status changed from Open to Pending',
    'Assigned to changed from nothing to Alba Tester',
    'Ticket created',
  ])
  assert.equal(await descriptions(customer), [
    'Status changed from Open to Pending',
    'Assigned to changed',
    'Ticket created',
  ])
})

test('what happened on a deleted ticket is read by those who may restore it', async () => {
  const id = await ticket()
  const uid = String((await desk.get(`/tickets/${id}`, agent)).at('data.uid'))
  await desk.remove(`/tickets/${id}`, desk.admin)
  for (const who of [customer, heir, agent]) assert.is((await desk.get(`/tickets/${id}/activity`, who)).status, 404)
  const { list } = await desk.get(`/tickets/${uid}/activity`, desk.admin)
  assert.equal(
    list.map(({ action }) => action),
    ['deleted', 'created'],
  )
})

test('a resource without users keeps it as well, and a field is shown to those who may read it', async () => {
  const app = await application({
    resources: {
      'app.yaml': 'name: Library\nplugins: { timestamps: {}, activity: {}, probe: {} }\n',
      'books.yaml': [
        'resource: books',
        'label: Book',
        'activity: true',
        'fields:',
        '  title: { type: string, required: true }',
        '  price: { type: integer, read: { role: keeper } }',
        'policies:',
        '  view: [{ who: signed_in }]',
        '  create: [{ who: signed_in }]',
        '  update: [{ who: signed_in }]',
        '  delete: [{ who: signed_in }]',
      ].join('\n'),
    },
    plugins: new URL('../../desk/actors', import.meta.url).pathname,
  })
  try {
    const made = await app.call('POST', '/books', { token: 'keeper', body: { title: 'Emma' } })
    assert.is(made.status, 201, made.text)
    await app.call('PUT', '/books/1', { token: 'keeper', body: { price: 7 } })
    await app.call('PUT', '/books/1', { token: 'keeper', body: { price: 8, title: 'Emma II' } })
    const fields = async (token: string) => {
      const { body } = await app.call('GET', '/books/1/activity', { token })
      return body.data.map((one: { changes: { field: string }[] }) => one.changes.map(({ field }) => field))
    }
    assert.equal(await fields('keeper'), [['title', 'price'], ['price'], ['title']])
    assert.equal(await fields('reader'), [['title'], ['title']])
  } finally {
    await app.close()
  }
})

test('what an earlier version kept in a table of its own is taken over once, and is no news to listeners', async () => {
  const id = await ticket()
  const { adhoc } = desk.engine.database
  const run = (text: string, values: readonly unknown[] = []) => adhoc.run({ text }, values)
  await run(`create table activities (id integer primary key, resource text, record_id integer, action text,
    user_id integer, changes jsonb, seen_by jsonb, created_at timestamptz)`)
  await run(
    `insert into activities select n, 'tickets', $1::int, 'updated', $2::int,
      jsonb_build_array(jsonb_build_object('field', 'subject', 'from', n, 'to', n + 1)), '[{}]', now()
    from generate_series(1, 6000) n`,
    [id, agent.id],
  )
  const { settings } = desk.engine.app.foundation
  for (let start = 0; start < 2; start += 1) {
    const again = await createEngine({ settings, log: SILENT, database: desk.engine.database })
    await again.value?.close()
  }
  const { at, list } = await desk.get(`/tickets/${id}/activity?per_page=1`, agent)
  assert.is(at('meta.pagination.total'), 6001)
  assert.is(list[0]?.description, 'Subject changed from 6000 to 6001')
  assert.equal(list[0]?.user, { id: agent.id, name: 'Alba Tester' })
  const [seen] = await run(
    `select count(*) from plinth_change c, plinth_listener l
    where c.xid = '3'::xid8 and not pg_visible_in_snapshot(c.xid, l.done)`,
  )
  assert.is(seen?.[0], '0')
  await run('drop table activities')
})

test.run()
