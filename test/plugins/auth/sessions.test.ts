/** One's own sessions: listed with from where they came, and ended one by one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD, type Person } from '../../desk/desk.ts'
import { until } from '../../support/wait.ts'

let desk: Desk
let cleo: Person
const test = suite('desk: sessions')

test.before(async () => {
  desk = await openDesk()
  cleo = await desk.person('customer', 'Cleo')
})
test.after(() => desk.close())

const sessions = async (of: Person) => (await desk.get('/auth/sessions', of)).list

test('the own sessions are listed, newest first, and the one that asks is marked', async () => {
  const headers = { 'user-agent': 'Desk app \u00e9 1.0' }
  const body = { email: cleo.email, password: PASSWORD }
  const opened = await desk.call('POST', '/auth/login', { body, headers })
  const phone = { ...cleo, token: String(opened.at('data.token')) }
  const list = await desk.get('/auth/sessions', phone)
  assert.is(list.status, 200, list.text)
  assert.equal(Object.keys(list.list[0] ?? {}), [
    'id',
    'created_at',
    'last_used_at',
    'expires_at',
    'address',
    'user_agent',
    'provider',
    'factors',
    'cookie',
    'current',
  ])
  assert.equal(
    list.list.map(({ current, user_agent }) => [current, user_agent]),
    [
      [true, 'Desk app 1.0'],
      [false, null],
    ],
  )
  assert.equal(
    list.list.map(({ provider, factors, cookie }) => [provider, factors, cookie]),
    [
      [null, ['password'], false],
      [null, ['password'], false],
    ],
  )
  assert.equal([list.list[0]?.address, list.list[0]?.last_used_at], ['127.0.0.1', null])
  assert.match(String(list.list[0]?.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.not.match(list.text, /jti|token/)
  assert.is((await desk.get('/auth/sessions?per_page=1&page=2', phone)).list.length, 1)
  assert.is((await desk.get('/auth/sessions?user_id=1', phone)).status, 422)
  assert.is((await desk.get('/auth/sessions')).status, 401)
})

test('a session is ended by its id, by whose it is', async () => {
  const other = await desk.login(cleo.email, PASSWORD)
  const id = (await sessions(other)).find(({ current }) => current)?.id
  for (const wrong of ['abc', '0', '-1', '9999999999', '987654'])
    assert.is((await desk.remove(`/auth/sessions/${wrong}`, cleo)).status, 404, wrong)
  assert.is((await desk.remove(`/auth/sessions/${id}`, desk.admin)).at('message'), 'Session not found')
  assert.is((await desk.get('/auth/me', other)).status, 200)
  assert.is((await desk.remove(`/auth/sessions/${id}`, cleo)).status, 204)
  assert.is((await desk.get('/auth/me', other)).status, 401)
  assert.is((await desk.remove(`/auth/sessions/${id}`, cleo)).status, 404)
  const own = (await sessions(cleo)).find(({ current }) => current)?.id
  assert.is((await desk.remove(`/auth/sessions/${own}`, cleo)).status, 204)
  assert.is((await desk.get('/auth/me', cleo)).status, 401)
})

test('when a session was used is known, to within ten minutes', async () => {
  const other = await desk.login(cleo.email, PASSWORD)
  const { knex } = desk.engine.database
  await knex('access_tokens').update({ created_at: new Date(Date.now() - 900_000) })
  const used = async () => (await sessions(other)).find(({ current }) => current)?.last_used_at
  await until(async () => (await used()) !== null)
  assert.ok(Date.now() - Date.parse(String(await used())) < 60_000)
})

test.run()
