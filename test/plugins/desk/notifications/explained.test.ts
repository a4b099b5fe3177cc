/** What plinth explain says of notifications: who is told of a write, how, and why others are not. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { report } from '../../../../engine/cli/explain.ts'
import { type Desk, openDesk, type Person } from '../../../desk/desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
const test = suite('desk: notifications explained')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(() => desk.close())

async function ticket(): Promise<string> {
  const made = await desk.post('/tickets', customer, { subject: 'Printer', details: 'It is on fire.' })
  assert.is(made.status, 201, made.text)
  return String(made.at('data.id'))
}

/** How many notifications each of them has. */
async function told(): Promise<readonly number[]> {
  const lists = await Promise.all([manager, agent, customer].map((one) => desk.get('/notifications', one)))
  return lists.map((list) => Number(list.at('meta.pagination.total')))
}

test('plinth explain tells of each write who is told, how, and who is not', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await desk.put(`/tickets/${id}`, agent, { subject: 'Scanner' })
  await desk.put('/notifications/settings', customer, { ticket_priority_changed: 'neither' })
  await desk.put(`/tickets/${id}`, agent, { priority_id: await desk.setting('priorities', 'High') })
  const before = await told()
  const options = { listener: 'notifications.tell', record: `tickets.${id}` }
  const text = await report({ options, positionals: [] }, desk.engine.app)
  await desk.put('/notifications/settings', customer, { ticket_priority_changed: 'default' })
  const [, priority = '', subject = '', assigned = '', created = ''] = text.split(/^ {4}\d{4}-\S+ {2}/m)
  assert.match(priority, `→ ticket_priority_changed: ${customer.email} is not told, as they chose`)
  assert.match(priority, `→ ticket_priority_changed: ${agent.email} made the change, and is not told`)
  assert.match(text, / {2}who may read it, by view of tickets:\n {4}resources\/tickets\.yaml:\d+:\d+ {2}\{ /)
  assert.match(
    subject,
    /^update subject, heard by resources\/tickets\.yaml:\d+:\d+\n {6}→ tells nobody: nothing of assigned_to, status_id, priority_id/,
  )
  assert.match(assigned, `→ ticket_assigned: ${agent.email} is told in the list and by mail`)
  assert.match(created, `→ ticket_created: ${manager.email} is told in the list\n`)
  assert.equal(await told(), before, 'nobody is told again')
  const wrong = (more: object) =>
    report({ options: { ...options, ...more }, positionals: [] }, desk.engine.app).catch(String)
  assert.match(await wrong({ listener: 'notifications.tel' }), 'Did you mean notifications.tell?')
  assert.match(await wrong({ record: '7' }), '--record tickets.7')
  assert.match(await wrong({ record: 'tickets.999999' }), 'holds no write of this record')
})

test('plinth explain tells when it is told of tickets that nobody is assigned to any more', async () => {
  const id = await ticket()
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  await desk.put(`/tickets/${id}`, manager, { assigned_to: null })
  const options = { listener: 'notifications.tell', record: `tickets.${id}` }
  const text = await report({ options, positionals: [] }, desk.engine.app)
  const [, taken = '', given = ''] = text.split(/^ {4}\d{4}-\S+ {2}/m)
  assert.match(
    taken,
    /→ ticket_unassigned: told only when an account cannot work .* by the hook notifications\.unassigned of users/,
  )
  assert.not.match(given, 'ticket_unassigned')
})

test.run()
