/** Mail through the queue: sent with the transaction or not at all, tried again while the server is out, sealed while it waits. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { freePort } from '../../support/port.ts'
import { until } from '../../support/wait.ts'
import { startMailServer } from './smtp-server.ts'

let desk: Desk
let port = 0
const test = suite('mail through the queue')

test.before(async () => {
  port = await freePort()
  desk = await openDesk({ SMTP_URL: `smtp://127.0.0.1:${port}` })
})
test.after(() => desk.close())

const jobs = () => desk.engine.database.knex('plinth_job').where({ name: 'mail.send' })

test('a mail waits for a server that is out, and is sent once when it is there', async () => {
  const body = { first_name: 'Ivy', last_name: 'Invited', email: 'ivy@people.example' }
  const made = await desk.post('/customers', desk.admin, body)
  assert.is(made.status, 201, made.text)
  await until(
    async () => (await jobs().where('status', 'pending').whereNotNull('error').first('id')) !== undefined,
    15_000,
  )
  const [waiting] = await jobs()
  assert.is(waiting?.payload.to, 'ivy@people.example')
  assert.not.match(JSON.stringify(waiting?.payload), /reset|Ivy/, 'its link is not there to be read')
  const server = await startMailServer(port)
  try {
    await until(async () => (await jobs().where('status', 'completed').first('id')) !== undefined, 15_000)
    assert.is(server.received.length, 1)
    assert.match(server.received[0] ?? '', /Hello Ivy,/)
    assert.match(server.received[0] ?? '', /password\/reset\//)
    // The job's own id: a mail that is sent again, as after a lost answer of the server, has the same.
    assert.ok(server.received[0]?.includes(`Message-ID: <${(await jobs())[0]?.id}@desk.example>`), server.received[0])
    assert.equal((await jobs())[0]?.payload, {})
  } finally {
    await server.close()
  }
})

test('an account that is refused sends no mail', async () => {
  const before = (await jobs()).length
  const body = { first_name: 'Ivy', last_name: 'Again', email: 'ivy@people.example' }
  assert.is((await desk.post('/customers', desk.admin, body)).status, 422)
  assert.is((await jobs()).length, before)
})

test.run()
