/** Notifications: who is told of what, who never is, and what becomes of them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD, type Person } from '../../../desk/desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let second: Person
let customer: Person
let stranger: Person
let everybody: readonly Person[]
const test = suite('desk: notifications')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  second = await desk.person('agent', 'Bert')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
  everybody = [desk.admin, manager, agent, second, customer, stranger]
})
test.before.each(async () => {
  for (const one of everybody) await desk.post('/notifications/read-all', one)
})
test.after(() => desk.close())

async function ticket(as: Person = customer, more: object = {}): Promise<string> {
  const made = await desk.post('/tickets', as, { subject: 'Printer', details: 'It is on fire.', ...more })
  assert.is(made.status, 201, made.text)
  return String(made.at('data.id'))
}

/** Everybody reads what there is, so that only what follows is new. */
async function quiet(): Promise<void> {
  for (const one of everybody) await desk.post('/notifications/read-all', one)
}

/** Who has unread notifications, `name: types`, in the order of `everybody`. */
async function told(): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, string[]> = {}
  for (const one of everybody) {
    const { list } = await desk.get('/notifications?unread_only=true', one)
    if (list.length > 0) found[one.email.split('@')[0] ?? ''] = list.map(({ type }) => String(type)).reverse()
  }
  return found
}

const comment = (id: string, as: Person, text: string, more: object = {}) =>
  desk.post(`/tickets/${id}/comments`, as, { comment: text, ...more })

test('a new ticket that is nobody’s is told to admins and managers, not to who opened it', async () => {
  await ticket()
  assert.equal(await told(), { boss: ['ticket_created'], mona: ['ticket_created'] })
  await quiet()
  await ticket(manager)
  assert.equal(await told(), { boss: ['ticket_created'] })
})

test('a new ticket that is somebody’s is told to them, and to the customer whom staff opened it for', async () => {
  await ticket(agent, { assigned_to: second.id, user_id: customer.id })
  assert.equal(await told(), { bert: ['ticket_created'], cleo: ['ticket_created'] })
  const [one] = (await desk.get('/notifications', customer)).list
  assert.match(String(one?.message), /opened for you/)
})

test('who is told for two reasons is told once', async () => {
  await ticket(agent, { user_id: manager.id })
  assert.equal(await told(), { boss: ['ticket_created'], mona: ['ticket_created'] })
})

test('who is assigned a ticket is told so, unless they took it', async () => {
  const id = await ticket()
  await quiet()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  assert.equal(await told(), { alba: ['ticket_assigned'] })
  await quiet()
  await desk.put(`/tickets/${id}`, second, { assigned_to: second.id })
  assert.equal(await told(), {})
  await desk.put(`/tickets/${id}`, manager, { assigned_to: null })
  assert.equal(await told(), {})
})

test('a new status and a new priority are told to the customer and the assignee', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await quiet()
  await desk.put(`/tickets/${id}`, manager, { status_id: await desk.setting('statuses', 'Pending') })
  assert.equal(await told(), { alba: ['ticket_status_changed'], cleo: ['ticket_status_changed'] })
  await quiet()
  await desk.put(`/tickets/${id}`, agent, { priority_id: await desk.setting('priorities', 'High') })
  assert.equal(await told(), { cleo: ['ticket_priority_changed'] })
  const [one] = (await desk.get('/notifications', customer)).list
  assert.match(String(one?.title), /^The priority of ticket #\d{10} is now High$/)
  await quiet()
  await desk.put(`/tickets/${id}`, agent, { subject: 'Printer', priority_id: await desk.setting('priorities', 'High') })
  assert.equal(await told(), {}, 'what did not change is told to nobody')
})

test('a comment is told to the other side', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await quiet()
  await comment(id, second, 'Have you tried water?')
  assert.equal(await told(), { cleo: ['ticket_commented'] })
  await quiet()
  await comment(id, customer, 'It burns on.')
  assert.equal(await told(), { alba: ['ticket_commented'], bert: ['ticket_commented'] })
  const [one] = (await desk.get('/notifications', agent)).list
  assert.is(one?.message, 'It burns on.')
})

test('an internal comment is told to the assignee and earlier commenters of the staff, and never to customers', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await comment(id, customer, 'Hello?')
  await comment(id, second, 'Soon.')
  await quiet()
  await comment(id, manager, 'He is a vampire.', { is_internal: true })
  assert.equal(await told(), { alba: ['ticket_internal_comment'], bert: ['ticket_internal_comment'] })
  for (const one of [customer, stranger]) assert.not.match((await desk.get('/notifications', one)).text, /vampire/)
})

test('somebody who is staff no more is not told of internal comments', async () => {
  const former = await desk.person('agent', 'Fred')
  const id = await ticket()
  await comment(id, former, 'I leave.')
  await desk.put(`/users/${former.id}`, desk.admin, { role_id: await desk.setting('roles', 'customer') })
  await comment(id, manager, 'He is a werewolf.', { is_internal: true })
  const again = await desk.login(former.email, PASSWORD)
  assert.equal((await desk.get('/notifications', again)).list, [])
})

test('what a comment brings about is not told to who wrote it', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await desk.put(`/tickets/${id}`, agent, { status_id: await desk.setting('statuses', 'Resolved') })
  await quiet()
  await comment(id, customer, 'It is back.')
  assert.equal(await told(), { alba: ['ticket_commented', 'ticket_status_changed'] })
})

test('a comment that only says thanks leaves the ticket solved, and is told', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await desk.put(`/tickets/${id}`, agent, { status_id: await desk.setting('statuses', 'Resolved') })
  await quiet()
  await comment(id, customer, 'Thanks, all good now!')
  assert.is((await desk.get(`/tickets/${id}`, agent)).at('data.status.slug'), 'resolved')
  assert.equal(await told(), { alba: ['ticket_commented'] })
})

test('what a customer writes on a ticket that is nobody’s reaches those who hear of such tickets', async () => {
  const id = await ticket()
  await quiet()
  await comment(id, customer, 'Is anybody there?')
  assert.equal(await told(), { boss: ['ticket_commented'], mona: ['ticket_commented'] })
  await quiet()
  const chat = await desk.post('/conversations', customer, { ticket_id: Number(id), type: 'customer' })
  await desk.post(`/conversations/${chat.at('data.id')}/messages`, customer, { message: 'Hello?' })
  assert.equal(await told(), { boss: ['conversation_message'], mona: ['conversation_message'] })
})

test('a message is told to those who take part, and an internal one to no customer', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  const made = await desk.post('/conversations', second, { ticket_id: Number(id), type: 'customer', subject: 'Chat' })
  const path = `/conversations/${made.at('data.id')}/messages`
  await quiet()
  await desk.post(path, customer, { message: 'Hello' })
  assert.equal(await told(), { alba: ['conversation_message'], bert: ['conversation_message'] })
  await quiet()
  await desk.post(path, manager, { message: 'Hello back' })
  assert.equal(await told(), {
    alba: ['conversation_message'],
    bert: ['conversation_message'],
    cleo: ['conversation_message'],
  })
  await quiet()
  await desk.post(path, agent, { message: 'Zombie', is_internal: true })
  assert.equal(await told(), { mona: ['conversation_message'], bert: ['conversation_message'] })
  assert.not.match((await desk.get('/notifications', customer)).text, /Zombie/)
})

test('a conversation among staff is told to staff alone', async () => {
  const id = await ticket(customer)
  const made = await desk.post('/conversations', manager, { ticket_id: Number(id), type: 'internal', subject: 'x' })
  await quiet()
  await desk.post(`/conversations/${made.at('data.id')}/messages`, agent, { message: 'Ghoul' })
  assert.equal(await told(), { mona: ['conversation_message'] })
})

test('who registered is told to those who approve', async () => {
  const body = { first_name: 'Nell', last_name: 'New', email: 'nell@people.example' }
  const made = await desk.call('POST', '/auth/register', {
    body: { ...body, password: PASSWORD, password_confirmation: PASSWORD },
  })
  assert.is(made.status, 201, made.text)
  assert.equal(await told(), { boss: ['user_pending'], mona: ['user_pending'] })
  const [one] = (await desk.get('/notifications', manager)).list
  assert.equal(one?.data, {
    ticket_id: null,
    ticket_uid: null,
    ticket_subject: null,
    user_id: made.at('data.user.id'),
  })
})

test('an import tells nobody of each of its tickets', async () => {
  const file = `Subject,Customer Email\nOld one,${customer.email}\nOld two,${customer.email}\n`
  const part = `content-disposition: form-data; name="file"; filename="old.csv"\r\ncontent-type: text/csv`
  const answer = await desk.call('POST', '/tickets/import', {
    as: manager,
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    body: `--edge\r\n${part}\r\n\r\n${file}\r\n--edge--\r\n`,
  })
  assert.is(answer.at('data.imported'), 2, answer.text)
  assert.equal(await told(), {})
})

test('what is refused is told to nobody', async () => {
  const id = await ticket()
  await quiet()
  assert.is((await desk.put(`/tickets/${id}`, manager, { assigned_to: customer.id })).status, 422)
  assert.is((await comment(id, stranger, 'Let me in')).status, 403)
  assert.equal(await told(), {})
})

test('the list has pages, counts what is unread, and shows one’s own', async () => {
  await ticket()
  const { list, at, status } = await desk.get('/notifications?per_page=1', manager)
  assert.equal([status, list.length, at('meta.unread_count'), at('meta.pagination.per_page')], [200, 1, 1, 1])
  const [one] = list
  assert.equal(Object.keys(one ?? {}), ['id', 'type', 'title', 'message', 'data', 'is_read', 'read_at', 'created_at'])
  assert.equal([one?.is_read, one?.read_at], [false, null])
  assert.match(JSON.stringify(one?.data), /"ticket_subject": ?"Printer"/)
  assert.is((await desk.get('/notifications?unread_only=perhaps', manager)).status, 422)
  assert.is((await desk.get('/notifications?nonsense=1', manager)).status, 422)
  assert.is((await desk.get('/notifications')).status, 401)
  assert.ok(Number((await desk.get('/notifications?unread_only=false', manager)).at('meta.pagination.total')) > 1)
})

test('one is read once, by whom it is for', async () => {
  await ticket()
  const [one] = (await desk.get('/notifications?unread_only=1', manager)).list
  assert.is((await desk.post(`/notifications/${one?.id}/read`, desk.admin)).status, 403)
  assert.is((await desk.post('/notifications/999999/read', manager)).status, 404)
  assert.is((await desk.post('/notifications/abc/read', manager)).status, 404)
  const read = await desk.post(`/notifications/${one?.id}/read`, manager)
  assert.equal([read.status, read.at('data.is_read')], [200, true])
  const again = await desk.post(`/notifications/${one?.id}/read`, manager)
  assert.is(again.at('data.read_at'), read.at('data.read_at'))
  assert.is((await desk.get('/notifications', manager)).at('meta.unread_count'), 0)
})

test('the important ones go by mail, to whom they concern', async () => {
  const before = (await desk.mails()).length
  const id = await ticket(agent, { user_id: customer.id })
  await desk.put(`/tickets/${id}`, manager, { assigned_to: second.id })
  await comment(id, second, 'Water it is.')
  await comment(id, manager, 'Garlic helps.', { is_internal: true })
  await desk.put(`/tickets/${id}`, second, { status_id: await desk.setting('statuses', 'Resolved') })
  const mails = (await desk.mails(before + 4)).slice(before).join('\n')
  const to = [...mails.matchAll(/^To: (\w+)@/gm)].map((match) => match[1]).sort()
  assert.equal(to, ['bert', 'cleo', 'cleo', 'cleo'])
  assert.match(mails, /Water it is\./)
  assert.not.match(mails, /Garlic/)
})

test.run()
