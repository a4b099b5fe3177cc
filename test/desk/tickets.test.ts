/** Tickets: shapes, defaults, both lookups, queues, filters. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, type Person } from './desk.ts'

let desk: Desk
let agent: Person
let customer: Person
let stranger: Person
const test = suite('desk: tickets')

test.before(async () => {
  desk = await openDesk()
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
})
test.after(() => desk.close())

const LIST_KEYS = [
  'assignedTo',
  'assigned_to',
  'category',
  'category_id',
  'comments_count',
  'contact_id',
  'created_at',
  'department',
  'department_id',
  'details',
  'due_date',
  'id',
  'merged_into_id',
  'priority',
  'priority_id',
  'sla_state',
  'split_from_id',
  'status',
  'status_id',
  'sub_category_id',
  'subject',
  'tags',
  'type_id',
  'uid',
  'updated_at',
  'user',
  'user_id',
]
const SINGLE_KEYS = [
  ...LIST_KEYS,
  'attachments',
  'cc',
  'closed_at',
  'comments',
  'contact',
  'external_number',
  'first_response_at',
  'first_response_due_at',
  'paused_at',
  'ratings',
  'resolution_due_at',
  'merged',
  'merged_into',
  'resolved_at',
  'split_from',
  'splits',
  'subCategory',
  'ticketEntries',
  'ticketType',
  'watchers',
].sort()

async function open(as: Person, more: object = {}): Promise<Answer> {
  const answer = await desk.post('/tickets', as, { subject: 'Printer', details: 'It does not print.', ...more })
  assert.is(answer.status, 201, answer.text)
  return answer
}

test('a ticket with every relation reads back by id and by uid, with every object', async () => {
  const contact = await desk.post('/contacts', agent, {
    first_name: 'Con',
    last_name: 'Tact',
    email: 'con@people.example',
  })
  const ids = {
    priority_id: await desk.setting('priorities', 'High'),
    category_id: await desk.setting('categories', 'Billing'),
    sub_category_id: await desk.setting('categories', 'Refunds'),
    department_id: await desk.setting('departments', 'Billing'),
    type_id: await desk.setting('types', 'Question'),
    contact_id: contact.at('data.id'),
    user_id: customer.id,
    assigned_to: agent.id,
  }
  const made = await open(agent, { ...ids, due_date: '2026-12-31', tags: ['paper', 'jam'] })
  assert.match(String(made.at('data.uid')), /^3\d{9}$/)
  const byId = await desk.get(`/tickets/${made.at('data.id')}`, agent)
  const byUid = await desk.get(`/tickets/${made.at('data.uid')}`, agent)
  assert.equal(byId.at('data'), byUid.at('data'))
  assert.equal(byId.keys, SINGLE_KEYS)
  assert.equal(Object.keys(byId.at('data.status') as object), ['id', 'name', 'slug'])
  assert.equal(byId.at('data.priority'), { id: ids.priority_id, name: 'High', color: '#d97706' })
  assert.equal(byId.at('data.category'), { id: ids.category_id, name: 'Billing' })
  assert.equal(byId.at('data.subCategory'), { id: ids.sub_category_id, name: 'Refunds' })
  assert.equal(byId.at('data.ticketType'), { id: ids.type_id, name: 'Question' })
  assert.is(byId.at('data.contact.name'), 'Con Tact')
  assert.equal(byId.at('data.user'), {
    id: customer.id,
    first_name: 'Cleo',
    last_name: 'Tester',
    name: 'Cleo Tester',
    email: customer.email,
  })
  assert.is(byId.at('data.assignedTo.id'), agent.id)
  assert.equal(byId.at('data.tags'), ['paper', 'jam'])
  assert.is(byId.at('data.due_date'), '2026-12-31')
  for (const key of ['attachments', 'comments', 'ticketEntries']) assert.equal(byId.at(`data.${key}`), [])
  const listed = (await desk.get(`/tickets?uid=${made.at('data.uid')}`, agent)).list
  assert.is(listed.length, 1)
  assert.equal(Object.keys(listed[0] ?? {}).sort(), LIST_KEYS)
})

test('subject and details are required, the rest has its defaults', async () => {
  const empty = await desk.post('/tickets', agent, {})
  assert.is(empty.status, 422)
  assert.is(empty.at('message'), 'Validation failed')
  assert.equal(Object.keys(empty.at('errors') as object).sort(), ['details', 'subject'])
  const made = await open(agent)
  assert.is(made.at('data.status.slug'), 'open')
  assert.is(made.at('data.priority.name'), 'Medium')
  assert.equal(made.at('data.tags'), [])
  assert.is(made.at('data.user'), null)
  assert.is(made.at('data.comments_count'), 0)
})

test('what is wrong is said field by field', async () => {
  const answer = await desk.post('/tickets', agent, {
    subject: 'x'.repeat(256),
    details: 'd',
    priority_id: 999_999,
    due_date: '2026-02-30',
    tags: ['ok', 5],
    color: 'red',
  })
  assert.is(answer.status, 422)
  const errors = answer.at('errors') as Record<string, readonly string[]>
  assert.equal(
    Object.keys(errors)
      .filter((key) => key !== 'priority_id')
      .sort(),
    ['color', 'due_date', 'subject', 'tags.1'],
  )
  const chosen = await desk.post('/tickets', agent, { subject: 'a', details: 'b', priority_id: 999_999 })
  assert.equal(chosen.at('errors.priority_id'), ['The selected priority is invalid'])
})

test('only active people who are no customers are assigned', async () => {
  const answer = await desk.post('/tickets', agent, { subject: 'a', details: 'b', assigned_to: customer.id })
  assert.is(answer.status, 422)
  assert.ok(answer.at('errors.assigned_to.0'))
})

test('the contact’s address names the customer when nobody else does', async () => {
  const contact = await desk.post('/contacts', agent, { first_name: 'Cleo', last_name: 'T', email: customer.email })
  const made = await open(agent, { contact_id: contact.at('data.id') })
  assert.is(made.at('data.user_id'), customer.id)
  const named = await open(agent, { contact_id: contact.at('data.id'), user_id: stranger.id })
  assert.is(named.at('data.user_id'), stranger.id)
})

test('a sub-category stands below the category of the ticket', async () => {
  const billing = await desk.setting('categories', 'Billing')
  const bug = await desk.setting('categories', 'Bug report')
  const wrong = await desk.post('/tickets', agent, {
    subject: 'a',
    details: 'b',
    category_id: billing,
    sub_category_id: bug,
  })
  assert.is(wrong.status, 422)
  assert.ok(wrong.at('errors.sub_category_id.0'))
  const technical = await desk.setting('categories', 'Technical')
  const made = await open(agent, { category_id: technical, sub_category_id: bug })
  assert.is((await desk.put(`/tickets/${made.at('data.id')}`, agent, { category_id: billing })).status, 422)
  const both = await desk.put(`/tickets/${made.at('data.id')}`, agent, { category_id: billing, sub_category_id: null })
  assert.is(both.status, 200, both.text)
})

test('solving and closing are stamped, and reopening clears the stamps', async () => {
  const made = await open(agent)
  const path = `/tickets/${made.at('data.id')}`
  const solved = await desk.put(path, agent, { status_id: await desk.setting('statuses', 'resolved') })
  assert.type(solved.at('data.resolved_at'), 'string')
  assert.is(solved.at('data.closed_at'), null)
  const closed = await desk.put(path, agent, { status_id: await desk.setting('statuses', 'closed') })
  assert.is(closed.at('data.resolved_at'), solved.at('data.resolved_at'))
  assert.type(closed.at('data.closed_at'), 'string')
  const opened = await desk.put(path, agent, { status_id: await desk.setting('statuses', 'open') })
  assert.is(opened.at('data.resolved_at'), null)
  assert.is(opened.at('data.closed_at'), null)
})

test('the queues are named by type, and combine with other filters', async () => {
  const mark = 'queue-mark'
  const free = await open(agent, { subject: `${mark} free` })
  const taken = await open(agent, { subject: `${mark} taken`, assigned_to: agent.id })
  await open(agent, {
    subject: `${mark} done`,
    status_id: await desk.setting('statuses', 'closed'),
    assigned_to: agent.id,
  })
  const ids = async (query: string): Promise<unknown[]> =>
    (await desk.get(`/tickets?search=${mark}&${query}`, agent)).list.map(({ id }) => id)
  assert.equal(await ids('type=un_assigned'), [free.at('data.id')])
  assert.equal(await ids('type=open'), [free.at('data.id'), taken.at('data.id')])
  assert.is((await ids('type=new')).length, 3)
  assert.equal(await ids(`type=open&assigned_to=${agent.id}`), [taken.at('data.id')])
  const unknown = await desk.get('/tickets?type=old', agent)
  assert.is(unknown.status, 422)
  assert.ok(unknown.at('errors.type.0'))
})

test('lists filter, search, sort and page', async () => {
  for (const name of ['alpha', 'beta', 'gamma']) await open(agent, { subject: `sortable ${name}`, tags: [name] })
  const sorted = await desk.get('/tickets?search=SORTABLE&sort=subject&order=desc', agent)
  assert.equal(
    sorted.list.map(({ subject }) => subject),
    ['sortable gamma', 'sortable beta', 'sortable alpha'],
  )
  const paged = await desk.get('/tickets?search=sortable&sort=subject&per_page=2&page=2', agent)
  assert.equal(
    paged.list.map(({ subject }) => subject),
    ['sortable gamma'],
  )
  assert.is(paged.at('meta.pagination.last_page'), 2)
  assert.is((await desk.get('/tickets?subject[contains]=sortable%20b', agent)).list.length, 1)
  assert.is((await desk.get('/tickets?search=sortable&date_from=2100-01-01', agent)).list.length, 0)
  const day = new Date().toISOString().slice(0, 10)
  assert.is((await desk.get(`/tickets?search=sortable&date_from=${day}&date_to=${day}`, agent)).list.length, 3)
  const misspelt = await desk.get('/tickets?statusid=1', agent)
  assert.is(misspelt.status, 422)
  assert.match(JSON.stringify(misspelt.at('errors')), /status_id/)
  assert.is((await desk.get('/tickets?search=%25', agent)).list.length, 0)
  assert.ok((await desk.get('/tickets?search=medium', agent)).list.length >= 3)
})

test('what stands embedded is not dropped in silence', async () => {
  const letter = { subject: 'a', details: 'b' }
  const sent = { comments: [{ comment: 'first' }], user: { email: 'x@people.example' }, uid: '7', status: null }
  const answer = await desk.post('/tickets', agent, { ...letter, ...sent })
  assert.is(answer.status, 422)
  assert.equal(answer.at('errors'), {
    comments: ['The comments field cannot be written: use POST /api/v1/tickets/{id}/comments'],
    user: ['The user field cannot be written: use user_id'],
    uid: ['The uid field cannot be written: leave it out'],
  })
})

test('what was read can be sent back whole and changes nothing', async () => {
  const made = await open(agent, { tags: ['a'] })
  const path = `/tickets/${made.at('data.id')}`
  const read = await desk.get(path, agent)
  const written = await desk.put(path, agent, read.at('data'))
  assert.is(written.status, 200, written.text)
  assert.equal(written.at('data'), read.at('data'))
})

test.run()
