/** Activities: who changed what is written with the change, and read by whoever may see it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { application } from '../../support/application.ts'

let desk: Desk
let agent: Person
let customer: Person
let stranger: Person
const test = suite('desk: activity')

test.before(async () => {
  desk = await openDesk()
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
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

test.run()
