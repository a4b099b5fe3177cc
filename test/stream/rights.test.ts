/** A stream lasts as long as the session and the rights that it was opened with. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../desk/desk.ts'
import { until } from '../support/wait.ts'
import type { Reading } from './client.ts'
import { readingsOf } from './world.ts'

let desk: Desk
const test = suite('streams: rights')
const open = readingsOf(test)

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

async function read({ token }: Person, path = '/api/v1/tickets/stream'): Promise<Reading> {
  return open(desk.address, token, path)
}

async function roleId(slug: string): Promise<number> {
  const { body } = await desk.get('/settings/roles', desk.admin)
  return body.data.find((role: { slug: string }) => role.slug === slug).id
}

test('signing out ends the streams of that session, and of no other', async () => {
  const agent = await desk.person('agent', 'Olga')
  const elsewhere = await desk.login(agent.email, agent.password)
  const [here, there] = await Promise.all([read(agent), read(elsewhere)])
  await desk.post('/auth/logout', agent)
  await until(() => here.ended())
  assert.not(there.ended())
})

test('a deleted account, and a password that others set, end every stream of theirs', async () => {
  const [gone, changed] = await Promise.all([desk.person('agent', 'Gustav'), desk.person('agent', 'Carla')])
  const streams = await Promise.all([read(gone), read(changed)])
  assert.is((await desk.remove(`/users/${gone.id}`, desk.admin)).status, 204)
  const password = 'another long password'
  const body = { password, password_confirmation: password }
  assert.is((await desk.put(`/users/${changed.id}`, desk.admin, body)).status, 200)
  await until(() => streams.every((one) => one.ended()))
})

test('with another role the list is read again, and nothing of before is told any more', async () => {
  const person = await desk.person('agent', 'Rita')
  const customer = await desk.person('customer', 'Kim')
  const reading = await read(person)
  const made = await desk.post('/tickets', customer, { subject: 'Seen by agents', details: 'x' })
  assert.is(made.status, 201, made.text)
  const id = made.body.data.id
  await until(() => reading.told().includes(`created ${id}`))
  assert.is((await desk.put(`/users/${person.id}`, desk.admin, { role_id: await roleId('customer') })).status, 200)
  await until(() => reading.ended() || reading.told().includes('reset access'))
  if (!reading.ended()) {
    const later = await desk.post('/tickets', customer, { subject: 'Not seen', details: 'x' })
    const own = await desk.post('/tickets', person, { subject: 'Own', details: 'x' })
    assert.is(own.status, 201, own.text)
    await until(() => reading.told().includes(`created ${own.body.data.id}`))
    assert.not(reading.told().includes(`created ${later.body.data.id}`))
  }
})

test('a permission taken from a role ends what it allowed', async () => {
  const body = { name: 'Watchers', permissions: ['tickets.view', 'conversations.view'] }
  const role = await desk.post('/settings/roles', desk.admin, body)
  assert.is(role.status, 201, role.text)
  const watcher = await desk.person(role.body.data.slug, 'Wanda')
  const reading = await read(watcher)
  const less = await desk.put(`/settings/roles/${role.body.data.id}`, desk.admin, {
    permissions: ['conversations.view'],
  })
  assert.is(less.status, 200, less.text)
  await until(() => reading.ended())
})

test('comments, messages and notifications of the desk come to whom they are for', async () => {
  const [agent, customer, other] = await Promise.all([
    desk.person('agent', 'Anna'),
    desk.person('customer', 'Carl'),
    desk.person('customer', 'Otto'),
  ])
  const made = await desk.post('/tickets', customer, { subject: 'Help', details: 'please' })
  const ticket = made.body.data.id
  const comments = '/api/v1/ticket-comments/stream'
  const [forAgent, forCustomer, forOther, told] = await Promise.all([
    read(agent, comments),
    read(customer, comments),
    read(other, comments),
    read(customer, '/api/v1/notifications/stream'),
  ])
  const secret = await desk.post(`/tickets/${ticket}/comments`, agent, { comment: 'between us', is_internal: true })
  assert.is(secret.status, 201, secret.text)
  const open = await desk.post(`/tickets/${ticket}/comments`, agent, { comment: 'for the customer' })
  await until(() => forAgent.told().includes(`created ${open.body.data.id}`))
  await until(() => forCustomer.told().includes(`created ${open.body.data.id}`))
  assert.equal(forAgent.told(1), [`created ${secret.body.data.id}`, `created ${open.body.data.id}`])
  assert.equal(forCustomer.told(1), [`created ${open.body.data.id}`])
  assert.equal(forOther.told(1), [])
  assert.not.match(forCustomer.text(), /between us/)
  await until(() => told.events.some(({ event }) => event === 'created'))
  const { body } = await desk.get('/notifications', customer)
  assert.equal(told.events.at(-1)?.data, body.data[0])
  await desk.post(`/notifications/${body.data[0].id}/read`, customer)
  await until(() => told.events.at(-1)?.event === 'changed')
  assert.equal(told.events.at(-1)?.data, (await desk.get('/notifications', customer)).body.data[0])
})

test.run()
