/** Comments and conversations: what is said, what stays internal, what is read. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../../desk/desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
let stranger: Person
const test = suite('desk: comments and conversations')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
})
test.after(() => desk.close())

async function ticket(as: Person = customer): Promise<string> {
  const answer = await desk.post('/tickets', as, { subject: 'Help', details: 'Please.' })
  assert.is(answer.status, 201, answer.text)
  return `/tickets/${answer.at('data.id')}`
}

async function conversation(path: string, type: string, as: Person = agent): Promise<string> {
  const answer = await desk.post('/conversations', as, {
    ticket_id: Number(path.split('/')[2]),
    type,
    subject: 'A word',
  })
  assert.is(answer.status, 201, answer.text)
  return `/conversations/${answer.at('data.id')}`
}

test('a comment carries its author, and a public one by staff is the first response', async () => {
  const path = await ticket()
  const made = await desk.post(`${path}/comments`, agent, { comment: 'On it.' })
  assert.is(made.status, 201, made.text)
  assert.is(made.at('data.comment'), 'On it.')
  assert.is(made.at('data.user.id'), agent.id)
  assert.is(made.at('data.is_internal'), false)
  assert.type(made.at('data.created_at'), 'string')
  const single = await desk.get(path, agent)
  assert.type(single.at('data.first_response_at'), 'string')
  assert.is(single.at('data.comments_count'), 1)
  assert.is(single.at('data.comments.0.comment'), 'On it.')
})

test('comments are listed oldest first, and need a text', async () => {
  const path = await ticket()
  for (const comment of ['one', 'two', 'three']) await desk.post(`${path}/comments`, customer, { comment })
  const list = await desk.get(`${path}/comments`, customer)
  assert.is(list.status, 200, list.text)
  assert.equal(
    list.list.map(({ comment }) => comment),
    ['one', 'two', 'three'],
  )
  assert.is(list.at('meta.pagination.total'), 3)
  const empty = await desk.post(`${path}/comments`, customer, { comment: '  ' })
  assert.is(empty.status, 422)
  assert.ok(empty.at('errors.comment.0'))
})

test('internal comments reach no customer: not in lists, single tickets, counts', async () => {
  const path = await ticket()
  const internal = await desk.post(`${path}/comments`, agent, { comment: 'between us', is_internal: true })
  assert.is(internal.status, 201, internal.text)
  assert.is((await desk.get(path, agent)).at('data.first_response_at'), null)
  await desk.post(`${path}/comments`, agent, { comment: 'for you' })
  for (const answer of [
    await desk.get(path, customer),
    await desk.get(`${path}/comments`, customer),
    await desk.get('/tickets?per_page=100', customer),
  ]) {
    assert.is(answer.status, 200)
    assert.not.match(answer.text, /between us/)
  }
  assert.is((await desk.get(path, customer)).at('data.comments_count'), 1)
  assert.is((await desk.get(`${path}/comments`, customer)).at('meta.pagination.total'), 1)
  assert.is((await desk.get(path, agent)).at('data.comments_count'), 2)
})

test('customers write no internal comments, and none on tickets of others', async () => {
  const path = await ticket()
  assert.is((await desk.post(`${path}/comments`, customer, { comment: 'x', is_internal: true })).status, 403)
  assert.is((await desk.post(`${path}/comments`, customer, { comment: 'x', is_internal: false })).status, 201)
  assert.is((await desk.post(`${path}/comments`, stranger, { comment: 'x' })).status, 403)
  assert.is((await desk.get(`${path}/comments`, stranger)).status, 403)
  assert.is((await desk.get('/tickets/999999/comments', agent)).status, 404)
  assert.is((await desk.post('/tickets/999999/comments', agent, { comment: 'x' })).status, 404)
})

test('a customer’s comment opens a solved ticket again, an agent’s does not', async () => {
  const path = await ticket()
  await desk.put(path, agent, { status_id: await desk.setting('statuses', 'resolved') })
  await desk.post(`${path}/comments`, agent, { comment: 'Done.' })
  assert.is((await desk.get(path, agent)).at('data.status.slug'), 'resolved')
  await desk.post(`${path}/comments`, customer, { comment: 'Not really.' })
  const opened = await desk.get(path, agent)
  assert.is(opened.at('data.status.slug'), 'open')
  assert.is(opened.at('data.resolved_at'), null)
})

test('a conversation shows its ticket, who opened it, and its state', async () => {
  const path = await ticket()
  const made = await desk.get(await conversation(path, 'customer'), agent)
  assert.equal(made.keys, [
    'created_at',
    'id',
    'last_message',
    'last_message_at',
    'messages_count',
    'status',
    'subject',
    'ticket',
    'ticket_id',
    'type',
    'unread_count',
    'updated_at',
    'user',
    'user_id',
  ])
  assert.is(made.at('data.status'), 'open')
  assert.is(made.at('data.user.id'), agent.id)
  assert.equal(Object.keys(made.at('data.ticket') as object), ['id', 'uid', 'subject'])
  assert.is(made.at('data.last_message'), null)
  assert.is(made.at('data.messages_count'), 0)
})

test('a conversation needs a ticket that the caller may see, and a known type', async () => {
  const foreign = Number((await ticket(stranger)).split('/')[2])
  const answer = await desk.post('/conversations', customer, { ticket_id: foreign, type: 'customer' })
  assert.is(answer.status, 422, answer.text)
  assert.equal(answer.at('errors.ticket_id'), ['The selected ticket is invalid'])
  const empty = await desk.post('/conversations', agent, {})
  assert.equal(Object.keys(empty.at('errors') as object).sort(), ['ticket_id', 'type'])
  assert.is((await desk.post('/conversations', agent, { ticket_id: foreign, type: 'private' })).status, 422)
})

test('messages carry their author and are read by each user for themself', async () => {
  const path = await conversation(await ticket(), 'customer')
  const made = await desk.post(`${path}/messages`, agent, { message: 'Hello?' })
  assert.is(made.status, 201, made.text)
  assert.equal(made.keys, [
    'conversation_id',
    'created_at',
    'id',
    'is_internal',
    'is_read',
    'message',
    'read_at',
    'updated_at',
    'user',
    'user_id',
  ])
  await desk.post(`${path}/messages`, agent, { message: 'Are you there?' })
  const before = await desk.get(path, customer)
  assert.is(before.at('data.messages_count'), 2)
  assert.is(before.at('data.unread_count'), 2)
  assert.is(before.at('data.last_message.message'), 'Are you there?')
  assert.type(before.at('data.last_message_at'), 'string')
  assert.is((await desk.get(path, agent)).at('data.unread_count'), 0)
  const read = await desk.post(`${path}/mark-read`, customer)
  assert.is(read.status, 200, read.text)
  assert.is(read.at('data.unread_count'), 0)
  const messages = await desk.get(`${path}/messages`, customer)
  assert.equal(
    messages.list.map(({ is_read }) => is_read),
    [true, true],
  )
  const again = await desk.post(`${path}/mark-read`, customer)
  assert.is(again.status, 200)
  assert.equal(
    (await desk.get(`${path}/messages`, customer)).list.map(({ read_at }) => read_at),
    messages.list.map(({ read_at }) => read_at),
  )
  assert.is((await desk.get(path, manager)).at('data.unread_count'), 2)
})

test('internal conversations and messages reach no customer, in counts neither', async () => {
  const on = await ticket()
  const internal = await conversation(on, 'internal')
  const open = await conversation(on, 'customer')
  await desk.post(`${internal}/messages`, agent, { message: 'never for customers' })
  await desk.post(`${open}/messages`, agent, { message: 'hush hush', is_internal: true })
  assert.is((await desk.get(internal, customer)).status, 403)
  assert.is((await desk.get(`${internal}/messages`, customer)).status, 403)
  assert.is((await desk.post(`${internal}/messages`, customer, { message: 'x' })).status, 403)
  assert.is((await desk.post(`${internal}/mark-read`, customer)).status, 403)
  const seen = await desk.get(open, customer)
  assert.is(seen.at('data.messages_count'), 0)
  assert.is(seen.at('data.unread_count'), 0)
  assert.is(seen.at('data.last_message'), null)
  assert.is(seen.at('data.last_message_at'), null)
  assert.is((await desk.get(`${on}/conversations`, customer)).list.length, 1)
  assert.is((await desk.get('/conversations?search=hush', customer)).list.length, 0)
  assert.is((await desk.get('/conversations?search=HUSH', agent)).list.length, 1)
  assert.not.match((await desk.get(on, customer)).text, /hush|never for customers/)
  assert.is((await desk.post(`${open}/messages`, customer, { message: 'x', is_internal: true })).status, 403)
  const entry = (await desk.get(on, agent)).at('data.ticketEntries.0') as object
  assert.equal(Object.keys(entry).sort(), [
    'conversation_id',
    'created_at',
    'id',
    'is_internal',
    'message',
    'type',
    'user',
  ])
})

test('customers talk in conversations of their own tickets, and open them', async () => {
  const on = await ticket()
  const path = await conversation(on, 'customer', customer)
  assert.is((await desk.post(`${path}/messages`, customer, { message: 'Hello' })).status, 201)
  assert.is((await desk.post(`${path}/messages`, stranger, { message: 'Hello' })).status, 403)
  const internal = await desk.post('/conversations', customer, {
    ticket_id: Number(on.split('/')[2]),
    type: 'internal',
  })
  assert.is(internal.status, 403, internal.text)
  assert.is((await desk.put(path, customer, { status: 'closed' })).status, 200)
  assert.is((await desk.remove(path, customer)).status, 403)
})

test('an internal conversation never becomes one with the customer, who would read all that was said', async () => {
  const path = await conversation(await ticket(), 'internal')
  await desk.post(`${path}/messages`, agent, { message: 'strictly between us' })
  assert.is((await desk.put(path, agent, { type: 'customer' })).status, 409)
  assert.is((await desk.get(path, agent)).at('data.type'), 'internal')
  assert.is((await desk.put(path, agent, { type: 'internal', subject: 'Still ours' })).status, 200)
  assert.is((await desk.get(path, customer)).status, 403)
})

test('a message to a closed conversation opens it again', async () => {
  const path = await conversation(await ticket(), 'customer')
  await desk.put(path, agent, { status: 'closed' })
  assert.is((await desk.get('/conversations?status=closed', agent)).list.length, 2)
  await desk.post(`${path}/messages`, customer, { message: 'One more thing' })
  assert.is((await desk.get(path, agent)).at('data.status'), 'open')
})

test('conversations are deleted and restored by those who may', async () => {
  const path = await conversation(await ticket(), 'customer')
  assert.is((await desk.remove(path, agent)).status, 403)
  assert.is((await desk.remove(path, manager)).status, 204)
  assert.is((await desk.get(path, manager)).at('message'), 'Conversation not found')
  assert.is((await desk.post(`${path}/restore`, manager)).status, 200)
  assert.is((await desk.get(path, agent)).status, 200)
})

test('with its ticket a customer loses the conversation, its messages and what is said there; staff do not', async () => {
  const about = await ticket()
  const path = await conversation(about, 'customer')
  await desk.post(`${path}/messages`, agent, { message: 'The secret sauce' })
  await desk.post(`${about}/comments`, agent, { comment: 'The secret sauce' })
  assert.is((await desk.remove(about, manager)).status, 204)
  for (const [method, where, body] of [
    ['GET', path],
    ['PUT', path, { subject: 'Still mine' }],
    ['GET', `${path}/messages`],
    ['POST', `${path}/messages`, { message: 'Hello?' }],
    ['POST', `${path}/mark-read`],
    ['GET', `${path}/activity`],
  ] as const) {
    const answer = await desk.call(method, where, { as: customer, body })
    assert.is(answer.status, 403, `${method} ${where}: ${answer.text}`)
  }
  for (const where of [about, `${about}/comments`, `${about}/conversations`, `${about}/activity`])
    assert.is((await desk.get(where, customer)).status, 404, where)
  const opened = { ticket_id: Number(about.split('/')[2]), type: 'customer' }
  assert.is((await desk.post('/conversations', customer, opened)).status, 422)
  for (const where of ['/conversations', '/conversations?search=sauce', '/dashboard']) {
    const answer = await desk.get(where, customer)
    assert.is(answer.status, 200, where)
    assert.not.match(answer.text, /sauce/, where)
    assert.not.ok(
      answer.list.some(({ id }) => path.endsWith(`/${id}`)),
      where,
    )
  }
  const before = await desk.get('/notifications', customer)
  assert.is((await desk.post(`${path}/messages`, agent, { message: 'Between us now' })).status, 201)
  assert.equal((await desk.get('/notifications', customer)).list, before.list, 'nobody is told of what they can’t read')
  assert.is((await desk.get(path, agent)).at('data.messages_count'), 2)
  assert.is((await desk.post(`${about}/restore`, manager)).status, 200)
  assert.is((await desk.get(path, customer)).status, 200)
  assert.is((await desk.get(`${path}/messages`, customer)).list.length, 2)
})

test('a message has at most 10,000 characters', async () => {
  const path = await conversation(await ticket(), 'customer')
  assert.is((await desk.post(`${path}/messages`, agent, { message: 'x'.repeat(10_001) })).status, 422)
  assert.is((await desk.post(`${path}/messages`, agent, { message: 'x'.repeat(10_000) })).status, 201)
})

test.run()
