/** The demo: a desk full of believable data, once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../../desk/desk.ts'

let desk: Desk
let said = ''
const test = suite('desk: demo')

/** Runs the demo's command as the command line does, and keeps what it prints. */
async function runDemo(): Promise<number> {
  const { write } = process.stdout
  process.stdout.write = (text: string | Uint8Array): boolean => {
    said += String(text)
    return true
  }
  try {
    return await desk.engine.command('demo', [])
  } finally {
    process.stdout.write = write
  }
}

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

test('without the settings it builds on it changes nothing and says why', async () => {
  const path = `/settings/statuses/${await desk.setting('statuses', 'cancelled')}`
  await desk.remove(path, desk.admin)
  assert.is(await runDemo(), 1)
  assert.match(said, /cancelled/)
  assert.is((await desk.get('/tickets', desk.admin)).at('meta.pagination.total'), 0)
  await desk.post(`${path}/restore`, desk.admin)
})

test('it fills the desk within seconds', async () => {
  const began = Date.now()
  assert.is(await runDemo(), 0)
  assert.ok(Date.now() - began < 10_000)
  const total = async (path: string): Promise<number> =>
    Number((await desk.get(path, desk.admin)).at('meta.pagination.total'))
  assert.ok((await total('/tickets')) >= 300)
  assert.ok((await total('/customers')) >= 50)
  assert.ok((await total('/contacts')) >= 40)
  assert.ok((await total('/knowledge-base')) >= 10)
  assert.ok((await total('/conversations')) >= 50)
  assert.ok((await total('/faqs')) >= 5)
  assert.ok((await total('/posts')) >= 3)
})

test('its people sign in with the password that was printed', async () => {
  const [, email, password] = /Sign in as (\S+), .* is (\S+)\n/.exec(said) ?? []
  const manager = await desk.login(email ?? '', password ?? '')
  assert.is((await desk.get('/auth/me', manager)).at('data.role.slug'), 'manager')
})

test('its tickets hold together', async () => {
  const { list } = await desk.get('/tickets?per_page=100&sort=-id', desk.admin)
  for (const ticket of list) {
    assert.ok(String(ticket.subject).length > 5)
    assert.not.match(`${ticket.subject} ${ticket.details}`, /\{\w+\}/)
    assert.ok(ticket.user !== null && ticket.status !== null && ticket.priority !== null && ticket.category !== null)
    assert.ok(String(ticket.created_at) <= String(ticket.updated_at))
  }
  const talked = await desk.get('/tickets?per_page=100', desk.admin)
  assert.ok(talked.list.some(({ comments_count }) => Number(comments_count) > 1))
})

test('a second run changes nothing', async () => {
  const before = (await desk.get('/tickets', desk.admin)).at('meta.pagination.total')
  assert.is(await runDemo(), 1)
  assert.is((await desk.get('/tickets', desk.admin)).at('meta.pagination.total'), before)
})

test.run()
