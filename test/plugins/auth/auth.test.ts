/** Sign-in: login, register, me, logout, and what makes a token worthless. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD } from '../../desk/desk.ts'

let desk: Desk
const test = suite('desk: sign-in')

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

const REGISTRATION = {
  first_name: 'Ida',
  last_name: 'Berg',
  email: 'ida@people.example',
  password: PASSWORD,
  password_confirmation: PASSWORD,
}

const USER_KEYS = [
  'created_at',
  'department',
  'department_id',
  'email',
  'email_verified',
  'first_name',
  'id',
  'kind',
  'language',
  'last_name',
  'name',
  'organization_id',
  'pending_email',
  'phone',
  'responsible_id',
  'role',
  'role_id',
  'status',
  'updated_at',
]

test('login gives the user, a token and its type', async () => {
  const answer = await desk.call('POST', '/auth/login', {
    body: { email: 'BOSS@desk.example', password: 'a very long secret' },
  })
  assert.is(answer.status, 200)
  assert.is(answer.at('success'), true)
  assert.is(answer.at('data.token_type'), 'Bearer')
  assert.is(answer.at('data.user.role.slug'), 'admin')
  assert.equal(Object.keys(answer.at('data.user') as object).sort(), USER_KEYS)
  assert.match(String(answer.at('meta.timestamp')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.is(answer.at('meta.version'), 'v1')
})

test('a wrong password and an unknown address get the same answer', async () => {
  const wrong = await desk.post('/auth/login', undefined, { email: 'boss@desk.example', password: 'something else' })
  const unknown = await desk.post('/auth/login', undefined, {
    email: 'nobody@desk.example',
    password: 'something else',
  })
  for (const answer of [wrong, unknown]) {
    assert.is(answer.status, 401)
    assert.is(answer.at('success'), false)
    assert.is(answer.at('message'), 'Invalid credentials')
    assert.is(answer.at('meta.version'), 'v1')
  }
})

test('login without a field, or with a malformed address, is a validation error', async () => {
  const empty = await desk.post('/auth/login', undefined, {})
  assert.is(empty.status, 422)
  assert.is(empty.at('message'), 'Validation failed')
  assert.equal(Object.keys(empty.at('errors') as object).sort(), ['email', 'password'])
  const malformed = await desk.post('/auth/login', undefined, { email: 'not an address', password: 'x' })
  assert.is(malformed.status, 422)
  assert.ok(malformed.at('errors.email.0'))
})

test('whoever registers is a customer, signed in at once, and listed as pending', async () => {
  const answer = await desk.post('/auth/register', undefined, { ...REGISTRATION, role_id: 1, status: 'active' })
  assert.is(answer.status, 201, answer.text)
  assert.is(answer.at('data.user.role.slug'), 'customer')
  assert.is(answer.at('data.user.status'), 'pending')
  assert.not.match(answer.text, /password|argon/)
  const person = { id: 0, email: '', password: '', token: String(answer.at('data.token')) }
  const me = await desk.get('/auth/me', person)
  assert.is(me.status, 200)
  assert.is(me.at('data.email'), 'ida@people.example')
  assert.equal(me.keys, USER_KEYS)
})

test('an address is taken once, whatever its case', async () => {
  const answer = await desk.post('/auth/register', undefined, { ...REGISTRATION, email: 'IDA@people.example' })
  assert.is(answer.status, 422)
  assert.equal(answer.at('errors.email'), ['The email has already been taken'])
})

test('an address is one address, in whatever form it is written', async () => {
  const first = { ...REGISTRATION, email: 'jos\u00e9@b\u00fccher.example' }
  assert.is((await desk.post('/auth/register', undefined, first)).status, 201)
  for (const email of [
    'jose\u0301@b\u00fccher.example',
    'JOS\u00c9@B\u00dcCHER.example',
    'jos\u00e9@xn--bcher-kva.example',
    '\uff4aos\u00e9@bu\u0308cher.example',
  ]) {
    const again = await desk.post('/auth/register', undefined, { ...first, email })
    assert.equal(again.at('errors.email'), ['The email has already been taken'], email)
    const login = await desk.post('/auth/login', undefined, { email, password: PASSWORD })
    assert.is(login.status, 200, email)
  }
  for (const sign of ['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u034f', '\ufe0f', '\u3164']) {
    const email = `i${sign}da@people.example`
    const hidden = await desk.post('/auth/register', undefined, { ...REGISTRATION, email })
    assert.equal(
      hidden.at('errors.email'),
      ['The email field must be a valid email address'],
      encodeURIComponent(email),
    )
  }
})

test('two passwords that differ are reported under both keys', async () => {
  const answer = await desk.post('/auth/register', undefined, {
    ...REGISTRATION,
    email: 'other@people.example',
    password_confirmation: 'another one',
  })
  assert.is(answer.status, 422)
  assert.ok(answer.at('errors.password.0'))
  assert.ok(answer.at('errors.password_confirmation.0'))
})

test('passwords have 8 to 128 characters and are not the address', async () => {
  for (const password of ['seven77', 'x'.repeat(129), 'eve@people.example']) {
    const body = { ...REGISTRATION, email: 'eve@people.example', password, password_confirmation: password }
    const answer = await desk.post('/auth/register', undefined, body)
    assert.is(answer.status, 422, password)
    assert.ok(answer.at('errors.password.0'))
  }
})

test('an unknown key is refused with the nearest known one', async () => {
  const answer = await desk.post('/auth/register', undefined, {
    ...REGISTRATION,
    email: 'x@people.example',
    first_nam: 'X',
  })
  assert.is(answer.status, 422)
  assert.match(String(answer.at('errors.first_nam.0')), /first_name/)
})

test('logout ends the session of its token and no other', async () => {
  const first = await desk.login('boss@desk.example', 'a very long secret')
  const second = await desk.login('boss@desk.example', 'a very long secret')
  const out = await desk.post('/auth/logout', first)
  assert.is(out.status, 200)
  assert.is(out.at('data'), null)
  assert.type(out.at('message'), 'string')
  assert.is((await desk.get('/auth/me', first)).status, 401)
  assert.is((await desk.get('/auth/me', second)).status, 200)
})

test('a token that is absent, foreign or changed is answered with 401 and a challenge', async () => {
  const [head, claims] = desk.admin.token.split('.')
  const tokens = ['nonsense', 'a.b.c', `${head}.${claims}.AAAA`, `${desk.admin.token}x`, '']
  for (const token of tokens) {
    const answer = await desk.call('GET', '/auth/me', { headers: { authorization: `Bearer ${token}` } })
    assert.is(answer.status, 401, token)
    assert.is(answer.at('message'), 'Unauthenticated')
    assert.is(answer.headers['www-authenticate'], 'Bearer')
  }
})

test('a change of role, a deletion and a decline take effect on the very next request', async () => {
  const agent = await desk.person('agent', 'Zora')
  assert.is((await desk.get('/contacts', agent)).status, 200)
  await desk.put(`/users/${agent.id}`, desk.admin, { role_id: await desk.setting('roles', 'customer') })
  assert.is((await desk.get('/contacts', agent)).status, 403)
  await desk.remove(`/users/${agent.id}`, desk.admin)
  assert.is((await desk.get('/auth/me', agent)).status, 401)
  const again = await desk.post('/auth/login', undefined, { email: agent.email, password: agent.password })
  assert.is(again.status, 401)
  assert.is(again.at('message'), 'Invalid credentials')
})

test('many requests at once each get their own caller', async () => {
  const people = [await desk.person('agent', 'Una'), await desk.person('customer', 'Ugo'), desk.admin]
  const calls = Array.from({ length: 60 }, (_, index) => people[index % 3]!)
  const answers = await Promise.all(calls.map((person) => desk.get('/auth/me', person)))
  answers.forEach((answer, index) => {
    assert.is(answer.at('data.id'), calls[index]?.id)
  })
})

test('a bad token on a public route is ignored', async () => {
  const headers = { authorization: 'Bearer nonsense' }
  const body = { email: 'boss@desk.example', password: 'a very long secret' }
  assert.is((await desk.call('POST', '/auth/login', { body, headers })).status, 200)
})

test.run()
