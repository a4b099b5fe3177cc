/** Watchers and cc of tickets: who may watch, whom that tells, and who gets copies of mails. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, mailsTo, openDesk, type Person } from './desk.ts'

let folder: string
let desk: Desk
let manager: Person
let agent: Person
let second: Person
let customer: Person
/** Sees the tickets that are assigned to somebody, and no others. */
let narrow: Person
const test = suite('desk: watchers')

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-watchers-'))
  await cp('resources', folder, { recursive: true })
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const text = await readFile(join(folder, file), 'utf8')
    assert.ok(text.includes(from), from)
    await writeFile(join(folder, file), text.replace(from, to))
  }
  await edit('tickets.yaml', '  view:\n', '  view:\n    - { role: narrow, where: { assignedTo: { null: false } } }\n')
  await edit('ticket_comments.yaml', '  view:\n', '  view:\n    - { role: narrow, where: { is_internal: false } }\n')
  const roles = await readFile(join(folder, 'roles.yaml'), 'utf8')
  const role = '    - { slug: narrow, name: Narrow, permissions: [notifications.own] }\n'
  await writeFile(join(folder, 'roles.yaml'), roles + role)
  desk = await openDesk({}, folder)
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  second = await desk.person('agent', 'Bert')
  narrow = await desk.person('narrow', 'Nils')
  customer = await desk.person('customer', 'Cleo')
})
test.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true, force: true })
})

async function ticket(as: Person = customer, more: object = {}): Promise<string> {
  const made = await desk.post('/tickets', as, { subject: 'Printer', details: 'It is on fire.', ...more })
  assert.is(made.status, 201, made.text)
  return `/tickets/${made.at('data.id')}`
}

const names = (people: unknown): unknown => (people as readonly { name: string }[]).map(({ name }) => name)

/** The types of what somebody has not read, oldest first; it is read then. */
async function told(one: Person): Promise<readonly unknown[]> {
  const { list } = await desk.get('/notifications?unread_only=true&sort=id', one)
  await desk.post('/notifications/read-all', one)
  return list.map(({ type }) => type)
}

test('a ticket is made and changed with its watchers, who are staff that can be chosen', async () => {
  const path = await ticket(agent, { watcher_ids: [second.id, manager.id] })
  assert.equal(names((await desk.get(path, agent)).at('data.watchers')), ['Mona Tester', 'Bert Tester'])
  const changed = await desk.put(path, agent, { watcher_ids: [second.id] })
  assert.equal(names(changed.at('data.watchers')), ['Bert Tester'])
  const refused = await desk.put(path, agent, { watcher_ids: [second.id, customer.id] })
  assert.is(refused.status, 422)
  assert.equal(refused.at('errors'), { 'watcher_ids.1': ['The selected watchers is invalid'] })
})

test('everybody who sees tickets watches for themselves; others are added by those who change tickets', async () => {
  const path = await ticket()
  const made = await desk.post(`${path}/watchers`, agent, {})
  assert.is(made.status, 201, made.text)
  assert.is(made.at('data.user.name'), 'Alba Tester')
  const again = await desk.post(`${path}/watchers`, agent, {})
  assert.is(again.status, 422, again.text)
  assert.is((await desk.post(`${path}/watchers`, agent, { user_id: second.id })).status, 201)
  assert.equal(names((await desk.get(path, agent)).at('data.watchers')), ['Alba Tester', 'Bert Tester'])
  const listed = await desk.get(`${path}/watchers`, second)
  const own = listed.list.find(({ user_id }) => user_id === second.id)
  assert.is((await desk.remove(`/watchers/${own?.id}`, second)).status, 204)
  assert.equal(names((await desk.get(path, agent)).at('data.watchers')), ['Alba Tester'])
})

test('customers neither watch nor see who does', async () => {
  const path = await ticket(customer)
  await desk.put(path, agent, { watcher_ids: [agent.id], cc: ['boss@shop.example'] })
  const { body } = await desk.get(path, customer)
  assert.not.ok('watchers' in body.data)
  assert.not.ok('cc' in body.data)
  assert.is((await desk.post(`${path}/watchers`, customer, {})).status, 403)
  assert.is((await desk.get(`${path}/watchers`, customer)).status, 403)
  assert.is((await desk.put(path, customer, { watcher_ids: [] })).status, 403)
  assert.is((await desk.put(path, customer, { cc: ['x@y.example'] })).status, 403)
})

test('a list is narrowed to what its reader watches', async () => {
  const path = await ticket(manager, { watcher_ids: [second.id], subject: 'Watched' })
  await ticket(manager, { subject: 'Not watched' })
  const mine = (await desk.get('/tickets?watched=true&search=watched', second)).list
  assert.equal(
    mine.map(({ id }) => `/tickets/${id}`),
    [path],
  )
  const others = (await desk.get('/tickets?watched=false&search=watched', second)).list
  assert.equal(
    others.map(({ subject }) => subject),
    ['Not watched'],
  )
})

test('watchers hear of comments, internal ones too, of messages, status, priority and assignee', async () => {
  await told(second)
  const path = await ticket(manager, { user_id: customer.id, watcher_ids: [second.id] })
  assert.equal(await told(second), ['ticket_created'])
  await desk.post(`${path}/comments`, agent, { comment: 'Water?' })
  await desk.post(`${path}/comments`, agent, { comment: 'A vampire.', is_internal: true })
  await desk.put(path, agent, { status_id: await desk.setting('statuses', 'pending') })
  await desk.put(path, agent, { priority_id: await desk.setting('priorities', 'High') })
  await desk.put(path, manager, { assigned_to: agent.id })
  assert.equal(await told(second), [
    'ticket_commented',
    'ticket_internal_comment',
    'ticket_status_changed',
    'ticket_priority_changed',
    'ticket_assigned',
  ])
  const [newest] = (await desk.get('/notifications?type=ticket_assigned', second)).list
  assert.match(String(newest?.title), /^Ticket #\d+ was assigned to Alba Tester$/)
  await desk.post(`${path}/comments`, second, { comment: 'Mine.' })
  assert.equal(await told(second), [], 'of what they do themselves they hear nothing')
})

test('a watcher is told only of what they may see', async () => {
  const path = await ticket(customer)
  await desk.put(path, manager, { watcher_ids: [narrow.id] })
  await desk.post(`${path}/comments`, agent, { comment: 'Nobody’s yet.' })
  await desk.put(path, agent, { status_id: await desk.setting('statuses', 'pending') })
  assert.equal(await told(narrow), ['ticket_commented'], 'the comment may be seen, the ticket may not')
  await desk.put(path, manager, { assigned_to: agent.id })
  await told(narrow)
  await desk.post(`${path}/comments`, agent, { comment: 'Not for everybody.', is_internal: true })
  await desk.put(path, agent, { status_id: await desk.setting('statuses', 'open') })
  assert.equal(await told(narrow), ['ticket_status_changed'])
})

test('those in cc get a copy of each mail to the customer, and nothing that is internal', async () => {
  const path = await ticket(agent, { user_id: customer.id, cc: ['Chief@Shop.example', customer.email] })
  assert.equal((await desk.get(path, agent)).at('data.cc'), ['chief@shop.example', customer.email])
  await desk.post(`${path}/comments`, agent, { comment: 'A vampire.', is_internal: true })
  await desk.post(`${path}/comments`, agent, { comment: 'Have you tried water?' })
  const copies = await mailsTo(desk, 'chief@shop.example', 2)
  assert.is(copies.length, 2)
  // Each is sent by a job of its own, so either may be the first.
  for (const said of [/We have opened the ticket/, /Have you tried water/])
    assert.is(copies.filter((mail) => said.test(mail)).length, 1, String(said))
  const answers = await mailsTo(desk, customer.email, 2)
  assert.is(answers.filter((mail) => /Have you tried water/.test(mail)).length, 1, 'nobody gets a mail twice')
  const wrong = await desk.put(path, agent, { cc: ['nobody'] })
  assert.is(wrong.status, 422)
  assert.equal(Object.keys(wrong.at('errors') as object), ['cc.0'])
})

test.run()
