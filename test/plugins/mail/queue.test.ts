/** Mail through the queue: sent with the transaction or not at all, tried again while the server is out, sealed while it waits. */

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'

let desk: Desk
let port = 0
const test = suite('mail through the queue')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: found } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return found
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come to that')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

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
  await until(async () => (await jobs().where('status', 'pending').whereNotNull('error').first('id')) !== undefined)
  const [waiting] = await jobs()
  assert.is(waiting?.payload.to, 'ivy@people.example')
  assert.not.match(JSON.stringify(waiting?.payload), /reset|Ivy/, 'its link is not there to be read')
  const received: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
      })
      stream.on('end', () => {
        received.push(text)
        done()
      })
    },
  })
  server.listen(port, '127.0.0.1')
  try {
    await until(async () => (await jobs().where('status', 'completed').first('id')) !== undefined)
    assert.is(received.length, 1)
    assert.match(received[0] ?? '', /Hello Ivy,/)
    assert.match(received[0] ?? '', /password\/reset\//)
    // The job's own id: a mail that is sent again, as after a lost answer of the server, has the same.
    assert.ok(received[0]?.includes(`Message-ID: <${(await jobs())[0]?.id}@desk.example>`), received[0])
    assert.equal((await jobs())[0]?.payload, {})
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
})

test('an account that is refused sends no mail', async () => {
  const before = (await jobs()).length
  const body = { first_name: 'Ivy', last_name: 'Again', email: 'ivy@people.example' }
  assert.is((await desk.post('/customers', desk.admin, body)).status, 422)
  assert.is((await jobs()).length, before)
})

test.run()
