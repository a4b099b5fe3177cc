/** Agents who leave: their open tickets are nobody's, and somebody is told. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../../desk/desk.ts'
import { until } from '../../../support/wait.ts'

let desk: Desk
let manager: Person
let customer: Person
const test = suite('desk: agents who leave')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  customer = await desk.person('customer', 'Cleo')
})
test.before.each(async () => {
  for (const one of [desk.admin, manager]) await desk.post('/notifications/read-all', one)
})
test.after(() => desk.close())

/** Tickets of the customer that somebody is assigned to. */
async function tickets(count: number, assignee: Person): Promise<readonly string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) {
    const made = await desk.post('/tickets', customer, { subject: 'Printer', details: 'It is on fire.' })
    ids.push(String(made.at('data.id')))
    await desk.put(`/tickets/${made.at('data.id')}`, desk.admin, { assigned_to: assignee.id })
  }
  for (const one of [desk.admin, manager]) await desk.post('/notifications/read-all', one)
  return ids
}

const read = async (id: string | undefined, field: string) =>
  (await desk.get(`/tickets/${id}`, desk.admin)).at(`data.${field}`)

/** Types of unread notifications. */
const unread = async (person: Person) =>
  (await desk.get('/notifications?unread_only=true', person)).list.map(({ type }) => type)

test('the open tickets of a deleted agent are nobody’s, and those who hear of such tickets are told once', async () => {
  const leaver = await desk.person('agent', 'Lena')
  const [open, other, done] = await tickets(3, leaver)
  await desk.put(`/tickets/${done}`, desk.admin, { status_id: await desk.setting('statuses', 'Closed') })
  assert.is((await desk.remove(`/users/${leaver.id}`, manager)).status, 204)
  assert.equal(
    [await read(open, 'assigned_to'), await read(other, 'assigned_to'), await read(done, 'assigned_to')],
    [null, null, leaver.id],
  )
  assert.equal([await unread(desk.admin), await unread(manager)], [['ticket_unassigned'], ['ticket_unassigned']])
  const [one] = (await desk.get('/notifications', desk.admin)).list
  assert.is(one?.title, '2 open tickets are unassigned now')
  assert.match(
    String(one?.message),
    /^Lena Tester does not work on tickets any more\. Nobody is assigned now to #\d+, #\d+\.$/,
  )
  await desk.post(`/tickets/${done}/comments`, customer, { comment: 'It is back.' })
  assert.equal([await read(done, 'status.slug'), await read(done, 'assigned_to')], ['open', null], 'opened for nobody')
  assert.ok((await unread(manager)).includes('ticket_commented'))
})

test('those of an agent who becomes a customer too, those of a renamed one stay theirs', async () => {
  const mover = await desk.person('agent', 'Mara')
  const [id] = await tickets(1, mover)
  await desk.put(`/users/${mover.id}`, desk.admin, { first_name: 'Maria', phone: '1' })
  assert.equal([await read(id, 'assigned_to'), await unread(manager)], [mover.id, []])
  await desk.put(`/users/${mover.id}`, desk.admin, { role_id: await desk.setting('roles', 'customer') })
  assert.equal([await read(id, 'assigned_to'), await unread(manager)], [null, ['ticket_unassigned']])
})

test('of many tickets a job lets go of the rest', async () => {
  const leaver = await desk.person('agent', 'Olga')
  const [one] = await tickets(1, leaver)
  const { knex } = desk.engine.database
  const {
    id: _,
    uid: __,
    ...row
  } = await knex('tickets')
    .where({ id: Number(one) })
    .first()
  await knex('tickets').insert(Array.from({ length: 60 }, () => ({ ...row, tags: JSON.stringify(row.tags) })))
  assert.is((await desk.remove(`/users/${leaver.id}`, manager)).status, 204)
  const [told] = (await desk.get('/notifications', manager)).list
  assert.match(String(told?.message), /#\d+ and 51 more\.$/)
  const left = () => knex('tickets').where({ assigned_to: leaver.id }).first('id')
  await until(async () => (await left()) === undefined)
})

test.run()
