/** Wrong passwords are counted for each account, from wherever they come: growing pauses, told by mail. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, mailsTo, openDesk, PASSWORD, tokenIn } from '../../desk/desk.ts'

let desk: Desk
const test = suite('desk: guessed passwords')

test.before(async () => {
  desk = await openDesk({ TRUST_PROXY: '1' })
})
test.after(() => desk.close())

let networks = 0

/** A sign-in, from a network of its own unless one is named. */
function login(email: string, password: string, from = `10.${networks >> 8}.${networks++ & 255}.7`): Promise<Answer> {
  const headers = { 'x-forwarded-for': from }
  return desk.call('POST', '/auth/login', { body: { email, password }, headers })
}

async function guess(email: string, times: number): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let at = 0; at < times; at += 1) statuses.push((await login(email, `guess ${at}`)).status)
  return statuses
}

/** The pauses of everybody are over. */
const later = () =>
  desk.engine.database.knex('sign_in_failures').update({ blocked_until: new Date(Date.now() - 1_000) })

const seconds = ({ headers }: Answer) => Number(headers['retry-after'])

test('after ten wrong passwords from ten networks the account pauses, longer each time, whether it exists or not', async () => {
  const ann = await desk.person('customer', 'Ann')
  for (const email of ['nobody@people.example', ann.email]) {
    assert.equal(new Set(await guess(email, 10)), new Set([401]))
    const paused = await login(email, PASSWORD)
    assert.equal([paused.status, paused.at('message')], [429, 'Too Many Requests'])
    assert.ok(seconds(paused) > 25 && seconds(paused) <= 30, String(seconds(paused)))
  }
  const { knex } = desk.engine.database
  for (const [failures, longest] of [
    [10, 60],
    [11, 120],
    [1_000_000, 900],
  ] as const) {
    await knex('sign_in_failures').update({ failures })
    await later()
    assert.equal(await guess(ann.email, 1), [401])
    const longer = await login(ann.email, PASSWORD)
    assert.ok(seconds(longer) > longest - 5 && seconds(longer) <= longest, String(seconds(longer)))
  }
  await later()
  assert.is((await login(ann.email, PASSWORD)).status, 200)
  assert.equal(await guess(ann.email, 2), [401, 401], 'the count begins anew')
})

test('when the clock is set back an hour, nobody pauses for that hour', async () => {
  const cora = await desk.person('customer', 'Cora')
  await guess(cora.email, 10)
  assert.is((await login(cora.email, PASSWORD)).status, 429)
  // What was noted before then lies an hour ahead now.
  await desk.engine.database.knex.raw(
    `update sign_in_failures set last_at = last_at + interval '1 hour', blocked_until = blocked_until + interval '1 hour'`,
  )
  assert.is((await login(cora.email, PASSWORD)).status, 200)
})

test('its owner is told once, and still signs in from where they have a session', async () => {
  const bea = await desk.person('customer', 'Bea')
  assert.is((await login(bea.email, PASSWORD, '192.0.2.9')).status, 200)
  await guess(bea.email, 10)
  await later()
  await guess(bea.email, 1)
  const [mail = '', ...more] = await mailsTo(desk, bea.email, 1)
  assert.match(mail, /^Subject: Wrong passwords for your account/m)
  assert.equal(more, [])
  assert.is((await login(bea.email, PASSWORD)).status, 429)
  assert.is((await login(bea.email, PASSWORD, '192.0.2.9')).status, 200)
  for (let at = 0; at < 10; at += 1) assert.is((await login(bea.email, 'wrong', '192.0.2.9')).status, 401)
  assert.is((await login(bea.email, PASSWORD, '192.0.2.9')).status, 429)
})

test('a new password by mail ends the pause', async () => {
  const cai = await desk.person('customer', 'Cai')
  await guess(cai.email, 10)
  await desk.post('/auth/password/reset', undefined, { email: cai.email })
  const [mail = ''] = await mailsTo(desk, cai.email, 1, /new password for/)
  const fresh = { password: 'another long one', password_confirmation: 'another long one' }
  const set = await desk.post(`/auth/password/reset/${tokenIn(mail)}`, undefined, { email: cai.email, ...fresh })
  assert.is(set.status, 200, set.text)
  assert.is((await login(cai.email, 'another long one')).status, 200)
})

test('many guesses at one moment are no way around it', async () => {
  const dan = await desk.person('customer', 'Dan')
  const guesses = await Promise.all(Array.from({ length: 30 }, (_, at) => login(dan.email, `guess ${at}`)))
  assert.ok(guesses.every(({ status }) => status === 401 || status === 429))
  assert.is((await login(dan.email, PASSWORD)).status, 429)
})

test('a session is no place to guess the password either', async () => {
  const eve = await desk.person('customer', 'Eve')
  const fresh = { password: 'a fresh long one', password_confirmation: 'a fresh long one' }
  const statuses: number[] = []
  for (let at = 0; at < 12; at += 1) {
    const body = { ...fresh, current_password: `guess ${at}` }
    statuses.push((await desk.put(`/users/${eve.id}`, eve, body)).status)
  }
  assert.equal(statuses.slice(0, 10), Array(10).fill(422))
  assert.is(statuses.at(-1), 429)
  assert.is((await desk.put(`/users/${eve.id}`, eve, { ...fresh, current_password: PASSWORD })).status, 429)
  const [told = ''] = await mailsTo(desk, eve.email, 1, /password/i)
  assert.match(told, 'Eve', 'the owner hears of it, although every one of these writes was refused')
})

test('what is kept of an address is not the address', async () => {
  const rows = await desk.engine.database.knex('sign_in_failures').select()
  assert.ok(rows.length > 0)
  assert.not.match(JSON.stringify(rows), /@/)
})

test.run()
