/** The desk offers its changes to webhooks, and sends nothing until an admin asks for it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'

let desk: Desk
const test = suite('webhooks of the desk')

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

const HOOK = {
  name: 'Critical',
  address: 'https://1.1.1.1/hook',
  events: ['tickets.create', 'tickets.update'],
  where: { 'priority.name': 'Critical', 'status.category': ['open', 'pending'], assignedTo: null },
  active: false,
}

test('there are none at first, and only an admin makes one', async () => {
  assert.equal((await desk.get('/webhooks', desk.admin)).list, [])
  const made = await desk.post('/webhooks', desk.admin, HOOK)
  assert.is(made.status, 201, made.text)
  assert.is(made.headers.location, `/api/v1/webhooks/${made.at('data.id')}`)
  assert.match(String(made.headers['cache-control']), /no-store/)
  for (const role of ['manager', 'agent', 'customer']) {
    const person = await desk.person(role, `W${role}`)
    assert.is((await desk.post('/webhooks', person, HOOK)).status, 403, role)
    assert.is((await desk.get('/webhooks', person)).status, 403, role)
  }
})

test('its events are those of what people work with', async () => {
  const refused = await desk.post('/webhooks', desk.admin, { ...HOOK, events: ['settings.create'] })
  assert.is(refused.status, 422)
  assert.match(
    refused.text,
    /one of contacts, messages, organizations, satisfaction_ratings, ticket_comments, tickets, users with/,
  )
})

test('addresses are public and by https', async () => {
  for (const address of ['http://1.1.1.1/', 'https://127.0.0.1/', 'https://169.254.169.254/latest/meta-data'])
    assert.is((await desk.post('/webhooks', desk.admin, { ...HOOK, address })).status, 422, address)
})

test.run()
