/** Second factors: one-time codes by the clock, recovery codes, who must have one, and proofs that are asked for again. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { asSystem } from '../../../engine/plugin/as-system.ts'
import { codeAt, lettersOf, stepAt, stepOf } from '../../../plugins/auth/factors/totp.ts'
import { userCommand } from '../../../plugins/auth/user-command.ts'
import { type Answer, type Desk, deskFiles, openDesk, PASSWORD, type Person } from '../../desk/desk.ts'
import { printed } from '../../support/printed.ts'
import { until } from '../../support/wait.ts'
import { bytesOf } from '../../support/totp.ts'

const codes = suite('one-time codes')

/** RFC 6238, appendix B: the rows of SHA-1. */
const VECTORS: readonly (readonly [seconds: number, code: string])[] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]
const SECRET = Buffer.from('12345678901234567890')

codes('are those of RFC 6238, and its secret is written as apps read it', () => {
  for (const [seconds, code] of VECTORS) {
    const step = stepAt(new Date(seconds * 1000))
    assert.is(codeAt(SECRET, step, 8), code)
    assert.is(codeAt(SECRET, step), code.slice(2))
  }
  assert.is(lettersOf(SECRET), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

codes('count in their thirty seconds and in those before and after', () => {
  const time = new Date(1_111_111_109_000)
  const steps = [-2, -1, 0, 1, 2].map((away) => stepOf(SECRET, codeAt(SECRET, stepAt(time) + away), time))
  const present = stepAt(time)
  assert.equal(steps, [undefined, present - 1, present, present + 1, undefined])
  for (const wrong of ['', '12345', '1234567', 'abcdef']) assert.is(stepOf(SECRET, wrong, time), undefined)
})

codes.run()

interface State {
  desk: Desk
  people: number
}

const test = suite<State>('desk: second factors')

const RULES = {
  required: [{ role: 'manager' }],
  grace: '7 days',
  again: { after: '10 minutes', for: ['auth.keys', 'roles.update', 'users.delete'] },
}

const withRules = (app: string) =>
  app.replace(/^ {4}token_days: .*$/m, (line) => `${line}\n    second_factor: ${JSON.stringify(RULES)}`)

test.before(async (state) => {
  state.desk = await openDesk({}, await deskFiles(withRules))
  state.people = 0
})
test.after(({ desk }) => desk.close())

interface Owner extends Person {
  readonly secret: Buffer
  readonly recovery: readonly string[]
  readonly factor: number
}

/** Somebody of a role who has set up an app; each has an own address, from which nobody else signs in. */
async function owner(state: State, role = 'agent'): Promise<Owner> {
  state.people += 1
  const person = await state.desk.person(role, `Owner${state.people}`)
  return { ...person, ...(await setUp(state.desk, person)) }
}

async function setUp(desk: Desk, person: Person): Promise<Pick<Owner, 'secret' | 'recovery' | 'factor'>> {
  const begun = await desk.post('/auth/factors/totp', person, { name: 'Phone' })
  assert.is(begun.status, 201, begun.text)
  const secret = bytesOf(String(begun.at('data.secret')))
  assert.match(String(begun.at('data.address')), `secret=${begun.at('data.secret')}&issuer=Support%20Desk`)
  const code = codeAt(secret, stepAt(new Date()) - 1)
  const done = await desk.post(`/auth/factors/totp/${begun.at('data.id')}/confirm`, person, { code })
  assert.is(done.status, 200, done.text)
  return { secret, recovery: done.at('data.recovery_codes') as string[], factor: Number(done.at('data.id')) }
}

/** The code that comes next, which nobody has used. */
function nextCode({ secret }: Pick<Owner, 'secret'>): string {
  return codeAt(secret, stepAt(new Date()) + 1)
}

function byPassword(desk: Desk, { email }: Person, password = PASSWORD): Promise<Answer> {
  return desk.call('POST', '/auth/login', { body: { email, password } })
}

async function challengeOf(desk: Desk, person: Person): Promise<string> {
  const answer = await byPassword(desk, person)
  assert.is(answer.status, 202, answer.text)
  return String(answer.at('data.challenge'))
}

function prove(desk: Desk, challenge: string, code: string): Promise<Answer> {
  return desk.call('POST', '/auth/second-factor', { body: { challenge, code } })
}

test('a password alone opens no session: the answer says what must be proved, and a code opens it', async (state) => {
  const { desk } = state
  const ann = await owner(state)
  const answer = await byPassword(desk, ann)
  assert.is(answer.status, 202)
  assert.equal([...answer.keys].sort(), ['challenge', 'factors'])
  assert.equal(answer.at('data.factors'), ['totp', 'recovery_code'])
  const challenge = String(answer.at('data.challenge'))
  assert.is((await desk.call('GET', '/auth/me', { headers: { authorization: `Bearer ${challenge}` } })).status, 401)
  const wrong = await prove(desk, challenge, '000000')
  assert.equal([wrong.status, Object.keys(wrong.body.errors)], [422, ['code']])
  const inside = await prove(desk, challenge, nextCode(ann))
  assert.equal([inside.status, inside.at('data.user.id')], [200, ann.id])
  const token = String(inside.at('data.token'))
  const sessions = await desk.get('/auth/sessions', { ...ann, token })
  assert.equal(sessions.list.find(({ current }) => current === true)?.factors, ['password', 'totp'])
  assert.is((await prove(desk, challenge, nextCode(ann))).status, 422)
})

test('the same code from 20 connections at once signs in once', async (state) => {
  const { desk } = state
  const bob = await owner(state)
  const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeOf(desk, bob)))
  const code = nextCode(bob)
  const answers = await Promise.all(challenges.map((challenge) => prove(desk, challenge, code)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  const { rows } = await desk.engine.database.knex.raw<{ rows: { total: string }[] }>(
    `select count(*) total from access_tokens where user_id = ? and factors::text like '%totp%'`,
    [bob.id],
  )
  assert.is(Number(rows[0]?.total), 1)
})

test('a recovery code works once, and its owner gets a mail', async (state) => {
  const { desk } = state
  const cleo = await owner(state)
  assert.is(cleo.recovery.length, 10)
  assert.match(cleo.recovery[0]!, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  const [first = '', second = ''] = cleo.recovery
  assert.is((await prove(desk, await challengeOf(desk, cleo), first.toUpperCase())).status, 200)
  assert.is((await prove(desk, await challengeOf(desk, cleo), first)).status, 422)
  assert.is((await prove(desk, await challengeOf(desk, cleo), second.replaceAll('-', ' '))).status, 200)
  assert.is((await desk.get('/auth/factors', cleo)).at('meta.recovery_codes'), 8)
  const isTold = (mail: string) => mail.includes(cleo.email) && /9\s+are\s+left/.test(mail.replace(/=\r?\n/g, ''))
  await until(async () => (await desk.mails()).some(isTold))
  const fresh = await desk.post('/auth/factors/recovery-codes', cleo)
  assert.is(fresh.status, 200, fresh.text)
  assert.is((await prove(desk, await challengeOf(desk, cleo), cleo.recovery[2]!)).status, 422)
})

test('six wrong codes pause the account as wrong passwords do, and the right password does not end the count', async (state) => {
  const { desk } = state
  const dora = await owner(state)
  await desk.engine.database.knex('access_tokens').where({ user_id: dora.id }).update({ address: '192.0.2.1' })
  const challenge = await challengeOf(desk, dora)
  for (let count = 0; count < 3; count += 1) assert.is((await prove(desk, challenge, '000000')).status, 422)
  const other = await challengeOf(desk, dora)
  for (let count = 0; count < 2; count += 1) assert.is((await prove(desk, other, '000000')).status, 422)
  const sixth = await prove(desk, other, nextCode(dora))
  assert.is(sixth.status, 429)
  assert.ok(Number(sixth.headers['retry-after']) > 0)
  assert.is((await byPassword(desk, dora)).status, 429)
})

test('a challenge takes five tries, also at once, and ends after five minutes', async (state) => {
  const { desk } = state
  const emil = await owner(state)
  const challenge = await challengeOf(desk, emil)
  const answers = await Promise.all(Array.from({ length: 12 }, () => prove(desk, challenge, '000000')))
  const wrong = answers.filter(({ body }) => body.errors?.code !== undefined)
  assert.ok(wrong.length <= 5, String(wrong.length))
  const { knex } = desk.engine.database
  await knex('sign_in_failures').delete()
  const late = await challengeOf(desk, emil)
  await knex('sign_in_challenges').update({ expires_at: new Date(Date.now() - 1_000) })
  assert.is((await prove(desk, late, nextCode(emil))).status, 422)
})

test('the secret of an app is sealed, and no answer has it again', async (state) => {
  const { desk } = state
  const fay = await owner(state)
  const row = await desk.engine.database.knex('factors').where({ id: fay.factor }).first()
  assert.not.match(JSON.stringify(row), lettersOf(fay.secret))
  assert.not.match(JSON.stringify(row), fay.secret.toString('base64url'))
  const list = await desk.get('/auth/factors', fay)
  assert.equal(Object.keys(list.list[0] ?? {}).sort(), ['created_at', 'id', 'kind', 'last_used_at', 'name'])
})

test('without the last factor a password is enough again', async (state) => {
  const { desk } = state
  const gus = await owner(state)
  assert.is((await desk.remove(`/auth/factors/${gus.factor}`, await desk.person('agent', 'Stranger'))).status, 404)
  assert.is((await desk.remove(`/auth/factors/${gus.factor}`, gus)).status, 204)
  assert.is((await byPassword(desk, gus)).status, 200)
  assert.equal((await desk.get('/auth/factors', gus)).list, [])
})

test('second factors change only after a fresh proof, and a stale session gets a code of its own', async (state) => {
  const { desk } = state
  const hal = await owner(state)
  const { knex } = desk.engine.database
  const age = () =>
    knex('access_tokens')
      .where({ user_id: hal.id })
      .update({ fresh_at: new Date(Date.now() - 660_000) })
  await age()
  const stale = await desk.remove(`/auth/factors/${hal.factor}`, hal)
  assert.equal([stale.status, stale.at('code')], [403, 'proof_required'])
  assert.is((await desk.post('/auth/factors/recovery-codes', hal)).status, 403)
  assert.is((await desk.post('/auth/again', hal, { password: PASSWORD })).status, 422)
  assert.is((await desk.post('/auth/again', hal, { code: nextCode(hal) })).status, 200)
  assert.is((await desk.remove(`/auth/factors/${hal.factor}`, hal)).status, 204)
  await age()
  assert.is((await desk.post('/auth/factors/totp', hal, {})).status, 403)
  assert.is((await desk.post('/auth/again', hal, { password: 'wrong' })).status, 422)
  assert.is((await desk.post('/auth/again', hal, { password: PASSWORD })).status, 200)
  assert.is((await desk.post('/auth/factors/totp', hal, {})).status, 201)
})

test('acts that the application names need a fresh proof of people, and none of keys', async (state) => {
  const { desk } = state
  const role = (await desk.get('/settings/roles?per_page=100', desk.admin)).list.find(({ slug }) => slug === 'agent')!
  const change = (as: Person, name: string) => desk.put(`/settings/roles/${role.id}`, as, { name })
  const key = await desk.post('/auth/keys', desk.admin, { name: 'x', permissions: ['*'], own: true })
  assert.is(key.status, 201)
  const { knex } = desk.engine.database
  await knex('access_tokens')
    .where({ user_id: desk.admin.id })
    .update({ fresh_at: new Date(Date.now() - 660_000) })
  const stale = await change(desk.admin, 'Agent A')
  assert.equal([stale.status, stale.at('code')], [403, 'proof_required'])
  assert.is((await desk.post('/auth/keys', desk.admin, { name: 'y' })).at('code'), 'proof_required')
  assert.is((await change({ ...desk.admin, token: String(key.at('data.key')) }, 'Agent B')).status, 200)
  assert.is((await desk.put(`/users/${desk.admin.id}`, desk.admin, { first_name: 'Boss' })).status, 200)
  assert.is((await desk.post('/auth/again', desk.admin, { password: desk.admin.password })).status, 200)
  assert.is((await change(desk.admin, 'Agent C')).status, 200)
})

test('an account that must have one can do nothing but set it up, once its time of grace is over', async (state) => {
  const { desk } = state
  const ida = await desk.person('manager', 'Ida')
  const { knex } = desk.engine.database
  assert.is((await desk.get('/tickets', ida)).status, 200)
  await knex('users')
    .where({ id: ida.id })
    .update({ second_factor_since: new Date(Date.now() - 6 * 86_400_000) })
  assert.is((await desk.get('/tickets', ida)).status, 200)
  await knex('users')
    .where({ id: ida.id })
    .update({ second_factor_since: new Date(Date.now() - 8 * 86_400_000) })
  const refused: string[] = []
  for (const { access, method, openToRestricted, path, absolute } of desk.engine.app.routes) {
    if (access === 'public' || openToRestricted === true || absolute === true) continue
    const answer = await desk.call(method, path.replace(/\{\w+\}/g, '1'), { as: ida })
    if (answer.at('code') !== 'second_factor_required') refused.push(`${method} ${path} ${answer.status}`)
  }
  assert.equal(refused, [])
  await setUp(desk, ida)
  assert.is((await desk.get('/tickets', ida)).status, 200)
})

test('at a terminal the second factor of an account is taken away', async (state) => {
  const { desk } = state
  const jon = await owner(state, 'manager')
  const off = (email: string) =>
    asSystem(desk.engine.app, 'auth', (context) => printed(() => userCommand(context, ['second-factor', 'off', email])))
  const { result, text } = await off(jon.email)
  assert.is(result, 0, text)
  assert.is(text, `${jon.email} signs in without a second factor, and is signed out everywhere.\n`)
  assert.is((await desk.get('/auth/me', jon)).status, 401)
  assert.is((await byPassword(desk, jon)).status, 200)
  assert.match((await off(jon.email)).text, 'has no second factor')
  assert.is((await off('nobody@people.example')).result, 1)
})

test('known and unknown addresses, with a second factor and without, are refused in the same words', async (state) => {
  const { desk } = state
  const [kit, lou] = [await owner(state), await desk.person('agent', 'Lou')]
  const answers = await Promise.all(
    [kit.email, lou.email, 'nobody@people.example'].map((email) =>
      desk.call('POST', '/auth/login', { body: { email, password: 'wrong password' } }),
    ),
  )
  const told = answers.map(({ status, body }) => JSON.stringify([status, body.code, body.message, body.errors]))
  assert.equal(new Set(told).size, 1, told.join('\n'))
  const [real] = [await challengeOf(desk, kit)]
  const wrong = await Promise.all([real, 'x'.repeat(43)].map((challenge) => prove(desk, challenge, '000000')))
  assert.equal(
    wrong.map(({ status }) => status),
    [422, 422],
  )
})

test.run()
