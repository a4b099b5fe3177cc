/** Tickets: what customers may do to theirs, and who deletes and restores. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, type Person } from './desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
let stranger: Person
const test = suite('desk: rights on tickets')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
})
test.after(() => desk.close())

async function open(as: Person, more: object = {}): Promise<Answer> {
  const answer = await desk.post('/tickets', as, { subject: 'Printer', details: 'It does not print.', ...more })
  assert.is(answer.status, 201, answer.text)
  return answer
}

test('customers open tickets of their own, and set only what is theirs to set', async () => {
  const made = await open(customer, { priority_id: await desk.setting('priorities', 'Low'), tags: ['mine'] })
  assert.is(made.at('data.user_id'), customer.id)
  for (const more of [
    { assigned_to: agent.id },
    { user_id: stranger.id },
    { status_id: await desk.setting('statuses', 'closed') },
  ]) {
    const refused = await desk.post('/tickets', customer, { subject: 'a', details: 'b', ...more })
    assert.is(refused.status, 403, JSON.stringify(more))
  }
})

test('customers see their own tickets and nobody else’s, in lists and totals too', async () => {
  const own = await open(customer, { subject: 'Only mine' })
  const foreign = await open(stranger, { subject: 'Only his' })
  assert.is((await desk.get(`/tickets/${own.at('data.uid')}`, customer)).status, 200)
  assert.is((await desk.get(`/tickets/${foreign.at('data.id')}`, customer)).status, 403)
  assert.is((await desk.get('/tickets/999999', customer)).status, 404)
  const list = await desk.get('/tickets?per_page=100', customer)
  assert.ok(list.list.every(({ user_id }) => user_id === customer.id))
  assert.is(list.at('meta.pagination.total'), list.list.length)
  assert.is((await desk.get('/tickets?search=only%20his', customer)).list.length, 0)
  assert.is((await desk.put(`/tickets/${foreign.at('data.id')}`, customer, { subject: 'x' })).status, 403)
})

test('customers close, resolve and reopen, and move a ticket nowhere else', async () => {
  const path = `/tickets/${(await open(customer)).at('data.id')}`
  const to = async (slug: string): Promise<number> =>
    (await desk.put(path, customer, { status_id: await desk.setting('statuses', slug) })).status
  assert.is(await to('pending'), 403)
  assert.is(await to('resolved'), 200)
  assert.is(await to('open'), 200)
  assert.is(await to('closed'), 200)
  assert.is(await to('pending'), 403)
  assert.is((await desk.put(path, customer, { subject: 'Still mine' })).status, 200)
  assert.is((await desk.put(path, customer, { due_date: '2026-10-10' })).status, 403)
  assert.is((await desk.remove(path, customer)).status, 403)
})

test('a deleted ticket is gone, and comes back', async () => {
  const made = await open(agent)
  const path = `/tickets/${made.at('data.id')}`
  assert.is((await desk.remove(path, agent)).status, 403)
  const removed = await desk.remove(path, manager)
  assert.is(removed.status, 204)
  assert.is(removed.text, '')
  const gone = await desk.get(path, manager)
  assert.is(gone.status, 404)
  assert.is(gone.at('message'), 'Ticket not found')
  assert.is((await desk.get(`${path}/comments`, manager)).status, 404)
  assert.is((await desk.remove(path, manager)).status, 404)
  assert.is((await desk.post(`${path}/restore`, agent)).status, 403)
  assert.is((await desk.post(`/tickets/${made.at('data.uid')}/restore`, manager)).status, 200)
  assert.is((await desk.post(`${path}/restore`, manager)).status, 200)
  assert.is((await desk.get(path, manager)).status, 200)
  assert.is((await desk.post('/tickets/999999/restore', manager)).status, 404)
})

test.run()
