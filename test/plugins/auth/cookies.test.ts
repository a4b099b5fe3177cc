/** Sessions of browsers by a cookie: what it can do, from where, for how long, and who cannot use it. */
import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, PASSWORD, type Person } from '../../desk/desk.ts'

interface State {
  desk: Desk
  cleo: Person
  cookie: string
}

const SAME = { 'sec-fetch-site': 'same-origin' }

const test = suite<State>('desk: sessions by cookie')

test.before(async (state) => {
  state.desk = await openDesk({ RATE_LIMIT_SESSION: '100000', CORS_ORIGIN: 'https://other.example' })
  state.cleo = await state.desk.person('customer', 'Cleo')
})
test.before.each(async (state) => {
  state.cookie = cookieOf(await signIn(state.desk, state.cleo.email))
})
test.after(({ desk }) => desk.close())

function signIn(desk: Desk, email: string, headers: Readonly<Record<string, string>> = SAME): Promise<Answer> {
  return desk.call('POST', '/auth/login', { body: { email, password: PASSWORD, session: 'cookie' }, headers })
}

function setCookie({ headers, text }: Answer): string {
  const [header = ''] = headers['set-cookie'] ?? []
  assert.ok(header !== '', text)
  return header
}

function cookieOf(answer: Answer): string {
  return setCookie(answer).replace(/;.*/, '')
}

test('a sign-in by cookie answers no token, and the cookie is for this host, https and no script', async ({
  desk,
  cleo,
}) => {
  const answer = await signIn(desk, cleo.email)
  assert.equal([answer.status, answer.keys], [200, ['user']])
  const { instance } = desk.engine.app.foundation
  const [pair = '', ...attributes] = setCookie(answer).split('; ')
  assert.is(pair.split('=')[0], `__Host-plinth-${instance}`)
  assert.equal(attributes, ['Path=/', 'Max-Age=2592000', 'HttpOnly', 'Secure', 'SameSite=Lax'])
  assert.not.match(answer.text, /eyJ/)
})

test('a page of the same origin reads and writes by it', async ({ desk, cookie }) => {
  const headers = { ...SAME, cookie: `theme=dark; ${cookie}; other=1` }
  const me = await desk.call('GET', '/auth/me', { headers })
  assert.equal([me.status, me.at('data.first_name')], [200, 'Cleo'])
  const body = { subject: 'By cookie', details: 'x' }
  assert.is((await desk.call('POST', '/tickets', { body, headers })).status, 201)
  const typed = await desk.call('GET', '/tickets', { headers: { cookie, 'sec-fetch-site': 'none' } })
  assert.equal([typed.status, typed.list.length], [200, 1])
  const old = await desk.call('GET', '/tickets', { headers: { cookie, 'x-plinth': '1' } })
  assert.is(old.status, 200)
  const sessions = await desk.call('GET', '/auth/sessions', { headers })
  assert.equal(
    sessions.list.filter(({ current }) => current).map((one) => one.cookie),
    [true],
  )
})

test('a stream by cookie ends with its session', async ({ desk, cookie }) => {
  const url = `${desk.address}/api/v1/tickets/stream`
  let begun = false
  const ended = new Promise<number>((resolve, reject) => {
    const asked = request(url, { headers: { ...SAME, cookie }, agent: false }, (response) => {
      response.on('data', () => {
        if (begun) return
        begun = true
        const id = desk.call('GET', '/auth/sessions', { headers: { ...SAME, cookie } })
        id.then(({ list }) =>
          desk.call('DELETE', `/auth/sessions/${list.find(({ current }) => current)?.id}`, {
            headers: { ...SAME, cookie },
          }),
        ).catch(reject)
      })
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    asked.on('error', reject)
    asked.end()
  })
  assert.is(await ended, 200)
  assert.ok(begun)
})

/** What pages elsewhere make a browser send: forms, images, frames, scripts, and fetch with and without CORS. */
const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}
const FORGED: readonly (readonly [
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
])[] = [
  ['POST', '/tickets', FORM, 'subject=Forged&details=x'],
  ['POST', '/tickets', { ...FORM, 'content-type': 'text/plain' }, '{"subject":"Forged","details":"x"}'],
  [
    'POST',
    '/tickets',
    { 'content-type': 'application/json', origin: 'https://other.example', 'sec-fetch-mode': 'cors' },
    { subject: 'Forged', details: 'x' },
  ],
  ['POST', '/auth/logout', FORM, ''],
  ['PUT', '/users/OWN', { origin: 'https://other.example', 'sec-fetch-mode': 'cors' }, { first_name: 'Forged' }],
  ['DELETE', '/auth/sessions/1', { origin: 'https://other.example', 'sec-fetch-mode': 'cors' }],
  ['GET', '/auth/me', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
  ['GET', '/auth/sessions', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ['GET', '/tickets', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
  ['GET', '/tickets/stream', { 'sec-fetch-mode': 'cors', origin: 'https://other.example' }],
]
const ELSEWHERE = [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}] as const

test('of thirty requests that pages of other origins make a browser send none does or says anything', async ({
  desk,
  cookie,
  cleo,
}) => {
  const headers = { ...SAME, cookie }
  const state = async () => [
    (await desk.call('GET', '/tickets', { headers })).at('meta.pagination.total'),
    (await desk.call('GET', '/auth/me', { headers })).at('data'),
    (await desk.call('GET', '/auth/sessions?per_page=100', { headers })).list.map(({ id }) => id),
  ]
  const before = await state()
  for (const site of ELSEWHERE) {
    for (const [method, path, sent, body] of FORGED) {
      const whole = path.replace('OWN', String(cleo.id))
      const answer = await desk.call(method, whole, { body, headers: { ...sent, ...site, cookie } })
      assert.is(answer.status, 401, `${method} ${path} ${JSON.stringify(site)}`)
      assert.is(answer.headers['access-control-allow-credentials'], undefined)
    }
  }
  assert.equal(await state(), before)
  const typed = await desk.call('POST', '/tickets', { body: {}, headers: { cookie, 'sec-fetch-site': 'none' } })
  assert.is(typed.status, 401)
})

test('no page elsewhere may ask for the header of browsers that say nothing, or sign somebody in', async ({
  desk,
  cleo,
}) => {
  const asked = { origin: 'https://other.example', 'access-control-request-headers': 'x-plinth' }
  const { headers } = await desk.call('OPTIONS', '/tickets', { headers: asked })
  assert.not.match(String(headers['access-control-allow-headers']), /plinth|cookie/i)
  for (const site of ELSEWHERE) {
    const answer = await signIn(desk, cleo.email, site)
    assert.equal([answer.status, answer.headers['set-cookie']], [403, undefined])
    assert.match(String(answer.at('message')), /pages of this origin/)
  }
})

test('a cookie is no bearer token, a bearer token no cookie, and a header goes before a cookie', async ({
  desk,
  cookie,
  cleo,
}) => {
  const [name = '', value = ''] = cookie.split('=')
  assert.is((await desk.call('GET', '/auth/me', { headers: { authorization: `Bearer ${value}` } })).status, 401)
  assert.is((await desk.call('GET', '/auth/me', { headers: { ...SAME, cookie: `${name}=${cleo.token}` } })).status, 401)
  const both = { ...SAME, cookie, authorization: `Bearer ${desk.admin.token}` }
  assert.is((await desk.call('GET', '/auth/me', { headers: both })).at('data.id'), desk.admin.id)
  const wrong = { ...SAME, cookie, authorization: 'Bearer none.of.ours' }
  assert.is((await desk.call('GET', '/auth/me', { headers: wrong })).status, 401)
})

test('signing out ends the session and takes the cookie back', async ({ desk, cookie }) => {
  const headers = { ...SAME, cookie }
  const answer = await desk.call('POST', '/auth/logout', { headers })
  assert.is(answer.status, 200)
  assert.match(setCookie(answer), /^__Host-plinth-[^=]+=; Path=\/; Max-Age=0; HttpOnly; Secure; SameSite=Lax$/)
  assert.is((await desk.call('GET', '/auth/me', { headers })).status, 401)
})

test('an unused session ends, and one more than an account may have ends the one unused for longest', async ({
  desk,
  cleo,
  cookie,
}) => {
  const { knex } = desk.engine.database
  const headers = { ...SAME, cookie }
  const mine = () => knex('access_tokens').where({ user_id: cleo.id, cookie: true })
  await mine().update({ created_at: new Date(Date.now() - 11.9 * 3_600_000), last_used_at: null })
  assert.is((await desk.call('GET', '/auth/me', { headers })).status, 200)
  await mine().update({ created_at: new Date(Date.now() - 12.1 * 3_600_000), last_used_at: null })
  assert.is((await desk.call('GET', '/auth/me', { headers })).status, 401)
  assert.is((await desk.get('/auth/me', cleo)).status, 200)
  const opened: string[] = []
  for (let count = 0; count < 21; count += 1) opened.push(cookieOf(await signIn(desk, cleo.email)))
  const statuses: number[] = []
  for (const one of opened)
    statuses.push((await desk.call('GET', '/auth/me', { headers: { ...SAME, cookie: one } })).status)
  assert.equal(statuses, [401, ...Array.from({ length: 20 }, () => 200)])
  assert.is((await desk.get('/auth/me', cleo)).status, 200)
})

test.run()

const bounds = suite('desk: where sessions by cookie are')

bounds('over plain http only this machine has them, and the refusal says what to do', async () => {
  const desk = await openDesk({ BASE_URL: 'http://desk.example' })
  try {
    const { email } = await desk.person('customer', 'Dora')
    const answer = await signIn(desk, email)
    assert.equal([answer.status, answer.headers['set-cookie']], [403, undefined])
    assert.match(String(answer.at('message')), /^A session by cookie needs https/)
  } finally {
    await desk.close()
  }
})

bounds('on this machine the cookie needs no https, and is counted in a limit of its own', async () => {
  const env = { BASE_URL: 'http://localhost:3000', RATE_LIMIT_SESSION: '7', RATE_LIMIT: '1000' }
  const desk = await openDesk(env)
  try {
    const person = await desk.person('customer', 'Dora')
    const elsewhere = await signIn(desk, person.email, { ...SAME, host: 'desk.example' })
    assert.is(elsewhere.status, 403)
    const answer = await signIn(desk, person.email)
    assert.match(setCookie(answer), /^plinth-[^=]+=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    const headers = { ...SAME, cookie: cookieOf(answer) }
    const left: unknown[] = []
    for (let count = 0; count < 7; count += 1)
      left.push((await desk.call('GET', '/auth/me', { headers })).headers['x-ratelimit-remaining'])
    assert.equal(left, ['6', '5', '4', '3', '2', '1', '0'])
    assert.is((await desk.call('GET', '/auth/me', { headers })).status, 429)
    const byToken = await desk.get('/auth/me', person)
    assert.equal([byToken.status, byToken.headers['x-ratelimit-limit']], [200, '1000'])
  } finally {
    await desk.close()
  }
})

bounds.run()
