/** The history of rights: each act is there with who, whom and from where, and nobody reads it without the permission. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeAt, stepAt } from '../../../plugins/auth/factors/totp.ts'
import type { Answer } from '../../support/answer.ts'
import { until } from '../../support/wait.ts'
import { type Forge, type Lie, openForge } from './provider/forge.ts'
import { ADMIN, acmeAt, type Browser, type Office, openOffice } from './provider/office.ts'

interface State {
  acme: Forge
  office: Office
}

interface Entry {
  readonly id: number
  readonly act: string
  readonly by: { readonly id: number } | null
  readonly user: { readonly id: number } | null
  readonly role: string | null
  readonly provider: string | null
  readonly address: string | null
  readonly details: Readonly<Record<string, unknown>>
}

const PERSON = { sub: 'ann', email: 'ann@acme.example', email_verified: true, groups: ['desk-agents'] }
const PASSWORD = 'correct horse battery'
const HERE = /^(::ffff:)?127\.0\.0\.1$/

/** The provider says this of somebody. */
const of = (claims: object): Lie => ({ claims: { ...claims }, userinfo: { ...PERSON, ...claims } })

const test = suite<State>('auth: the history of rights')

test.before(async (state) => {
  state.acme = await openForge(PERSON)
  state.office = await openOffice(acmeAt(state.acme.issuer), { env: { METRICS_TOKEN: 'a token of metrics' } })
})
test.after(async ({ acme, office }) => {
  await office?.close()
  await acme?.close()
})

function history({ office }: State, query = '', token = office.admin): Promise<Answer> {
  return office.call('GET', `/api/auth/history?per_page=100${query}`, { token })
}

function entries({ body }: Answer): readonly Entry[] {
  return body.data
}

/** What comes into the history by some work, oldest first; waits until there are `count`. */
async function written(state: State, count: number, work: () => Promise<unknown>): Promise<readonly Entry[]> {
  const before = (await history(state)).list[0]?.id ?? 0
  await work()
  let found: readonly Entry[] = []
  await until(async () => {
    found = entries(await history(state))
      .filter(({ id }) => id > Number(before))
      .reverse()
    return found.length >= count
  })
  assert.is(found.length, count, JSON.stringify(found))
  return found
}

/** An entry as act, who, whom, and whether an address is known. */
function short({ act, address, by, user }: Entry): readonly unknown[] {
  assert.ok(address === null || HERE.test(address), String(address))
  return [act, by?.id ?? null, user?.id ?? null, address !== null]
}

let acts = 0
async function isWritten(
  state: State,
  work: () => Promise<unknown>,
  ...expected: readonly (readonly unknown[])[]
): Promise<readonly Entry[]> {
  const found = await written(state, expected.length, work)
  assert.equal(found.map(short), expected)
  acts += expected.length
  return found
}

async function ok(answer: Promise<Answer>, status = 200): Promise<Answer> {
  const made = await answer
  assert.is(made.status, status, made.text)
  return made
}

test('thirty acts: each is there with who, whom, and from where, and none can be read without the permission', async (state) => {
  const { acme, office } = state
  const { admin: token } = office
  const me = Number((await ok(office.call('GET', '/api/auth/me', { token }))).at('data.id'))
  const post = (path: string, body: object, status = 201) => ok(office.call('POST', path, { token, body }), status)
  const put = (path: string, body: object) => ok(office.call('PUT', path, { token, body }))
  const login = (email: string, password: string) =>
    office.call('POST', '/api/auth/login', { body: { email, password } })

  let role = 0
  const [made] = await isWritten(state, async () => {
    const body = { name: 'Auditor', slug: 'auditor', permissions: ['rights.history'] }
    role = Number((await post('/api/settings/roles', body)).at('data.id'))
  }, ['role_made', me, null, true])
  assert.equal([made?.role, made?.details], ['auditor', { gained: ['rights.history'], lost: [] }])
  const [changed] = await isWritten(state, () => put(`/api/settings/roles/${role}`, { permissions: ['users.view'] }), [
    'role_changed',
    me,
    null,
    true,
  ])
  assert.equal(changed?.details, { gained: ['users.view'], lost: ['rights.history'] })
  await isWritten(state, () => put(`/api/settings/roles/${role}`, { name: 'Auditors' }))

  let cy = 0
  const account = { first_name: 'Cy', last_name: 'Own', email: 'cy@home.example', role_id: role }
  const withPassword = { ...account, password: PASSWORD, password_confirmation: PASSWORD }
  const [born] = await written(state, 1, async () => {
    cy = Number((await post('/api/users', withPassword)).at('data.id'))
  })
  assert.equal([...short(born!), born?.role], ['account_made', me, cy, true, 'auditor'])
  const [given] = await isWritten(state, async () => {
    const roles = await office.call('GET', '/api/settings/roles', { token })
    await put(`/api/users/${cy}`, { role_id: roles.list.find(({ slug }) => slug === 'agent')?.id })
  }, ['role_given', me, cy, true])
  assert.equal([given?.role, given?.details], ['agent', { before: 'auditor' }])
  await isWritten(state, () => ok(office.call('DELETE', `/api/settings/roles/${role}`, { token }), 204), [
    'role_removed',
    me,
    null,
    true,
  ])
  for (const status of ['declined', 'active'])
    await isWritten(state, () => put(`/api/users/${cy}`, { status }), ['status_changed', me, cy, true])

  for (let time = 0; time < 3; time++) {
    const [refused] = await isWritten(state, () => ok(login(account.email, 'a wrong password'), 401), [
      'sign_in_refused',
      null,
      cy,
      true,
    ])
    assert.equal(refused?.details, { reason: 'wrong_password' })
  }
  await isWritten(state, () => ok(login('nobody@home.example', 'a wrong password'), 401))
  let own = ''
  const [signedIn] = await isWritten(state, async () => {
    own = String((await ok(login(account.email, PASSWORD))).at('data.token'))
  }, ['signed_in', cy, cy, true])
  assert.equal(signedIn?.details, { factors: ['password'] })
  await isWritten(state, () => ok(office.call('POST', '/api/auth/logout', { token: own })), [
    'signed_out',
    cy,
    cy,
    true,
  ])
  await isWritten(state, () => ok(login(account.email, PASSWORD)), ['signed_in', cy, cy, true])
  await put(`/api/users/${cy}`, { status: 'declined' })
  const [barred] = await written(state, 1, () => ok(login(account.email, PASSWORD), 403))
  assert.equal([...short(barred!), barred?.details], ['sign_in_refused', null, cy, true, { reason: 'not_active' }])
  await put(`/api/users/${cy}`, { status: 'active' })

  let key = { id: 0, text: '' }
  const [keyMade] = await isWritten(state, async () => {
    const answer = await post('/api/auth/keys', { name: 'Monitor', permissions: ['users.view'], days: 1 })
    key = { id: Number(answer.at('data.id')), text: String(answer.at('data.key')) }
  }, ['key_made', me, me, true])
  assert.equal([keyMade?.details.name, keyMade?.details.permissions], ['Monitor', ['users.view']])
  assert.not.match(JSON.stringify(keyMade), new RegExp(key.text))
  await office.database(`update access_keys set created_at = created_at - interval '1 hour'`)
  const [used] = await isWritten(state, () => ok(office.call('GET', '/api/users', { token: key.text })), [
    'key_used',
    me,
    me,
    true,
  ])
  assert.equal(used?.details, { name: 'Monitor', start: key.text.slice(0, 12) })
  await isWritten(state, () => ok(office.call('DELETE', `/api/auth/keys/${key.id}`, { token }), 204), [
    'key_ended',
    me,
    me,
    true,
  ])

  const browser = office.browser()
  const comes = async (): Promise<Answer> => browser.comeBack(acme.answer(await browser.begin()))
  const first = await written(state, 3, () => ok(comes()))
  const ann = Number((await browser.me())?.id)
  assert.equal(
    first.map((one) => [...short(one), one.provider]),
    [
      ['account_made', null, ann, false, null],
      ['identity_connected', ann, ann, false, 'acme'],
      ['signed_in', ann, ann, true, 'acme'],
    ],
  )
  acts += 3
  acme.lie({ claims: { groups: ['desk-admins'] } })
  const promoted = await written(state, 2, () => ok(comes()))
  assert.equal(
    promoted.map((one) => [one.act, one.user?.id, one.role]),
    [
      ['role_given', ann, 'admin'],
      ['signed_in', ann, null],
    ],
  )
  acme.lie({ claims: { groups: [] } })
  const [shut] = await isWritten(state, () => ok(comes(), 403), ['provider_refused', null, ann, true])
  assert.equal([shut?.provider, shut?.details], ['acme', { reason: 'no_role' }])
  acme.lie(of({ sub: 'eve', email: 'eve@evil.example' }))
  await isWritten(state, () => ok(comes(), 403), ['provider_refused', null, null, true])
  acme.lie({})
  await isWritten(state, () => ok(comes()), ['role_given', null, ann, false], ['signed_in', ann, ann, true])
  await put(`/api/users/${ann}`, { password: PASSWORD, password_confirmation: PASSWORD })
  await ok(comes())
  await secondFactors(state, browser, ann)
  const all = entries(await history(state))
  assert.ok(all.length >= 30, `${all.length}`)
  for (const { id } of all) assert.is((await browser.get(`/api/auth/history/${id}`)).status, 403)
  assert.is((await browser.get('/api/auth/history')).status, 403)
  const [identity] = (await browser.get('/api/auth/identities')).list
  await isWritten(state, () => ok(browser.remove(`/api/auth/identities/${identity?.id}`), 204), [
    'identity_ended',
    ann,
    ann,
    true,
  ])
  const [gone] = await written(state, 1, () => ok(office.call('DELETE', `/api/users/${cy}`, { token }), 204))
  assert.equal([gone?.act, gone?.by?.id, gone?.details], ['account_removed', me, {}])
  const named = await history(state, '&act=provider_changed')
  assert.equal(
    named.list.map(({ by, details, provider }) => [provider, by, (details as { change: string }).change]),
    [['acme', null, 'named']],
  )
  assert.ok(acts + 7 >= 30, `${acts}`)
})

/** What somebody does with second factors is there too. */
async function secondFactors(state: State, browser: Browser, user: number): Promise<void> {
  const { body } = await ok(browser.post('/api/auth/factors/totp', { name: 'Phone' }), 201)
  const secret = bytesOf(body.data.secret)
  const path = `/api/auth/factors/totp/${body.data.id}/confirm`
  const code = codeAt(secret, stepAt(new Date()))
  const [set] = await isWritten(state, () => ok(browser.post(path, { code })), ['factor_set_up', user, user, true])
  assert.equal(set?.details, { kind: 'totp' })
  const codes = await ok(browser.get('/api/auth/factors'))
  assert.is(codes.body.meta.recovery_codes, 10)
  let recovery = ''
  await isWritten(state, async () => {
    const made = await ok(browser.post('/api/auth/factors/recovery-codes'))
    recovery = made.body.data.recovery_codes[0]
  }, ['recovery_codes_made', user, user, true])
  await isWritten(state, () => ok(browser.post('/api/auth/again', { code: recovery })), [
    'recovery_code_used',
    user,
    user,
    true,
  ])
  const remove = () => ok(browser.remove(`/api/auth/factors/${body.data.id}`), 204)
  await isWritten(state, remove, ['factor_ended', user, user, true])
}

function bytesOf(letters: string): Buffer {
  const bits = [...letters]
    .map((one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

test('filters find what concerns one account, one act, or one role', async (state) => {
  const all = (await history(state)).list
  const refused = await history(state, '&act=sign_in_refused')
  assert.ok(refused.list.length >= 4)
  assert.ok(refused.list.every(({ act }) => act === 'sign_in_refused'))
  const user = entries(refused)[0]?.user?.id
  const about = await history(state, `&user_id=${user}`)
  assert.ok(about.list.length < all.length)
  assert.ok(entries(about).every((one) => one.user?.id === user))
  assert.ok((await history(state, '&role=agent')).list.length > 0)
  assert.ok((await history(state, '&provider=acme')).list.length > 0)
  const day = new Date().toISOString().slice(0, 10)
  assert.is((await history(state, `&created_at[lt]=${day}`)).list.length, 0)
})

test('nobody reads it without the permission, and nobody writes it', async (state) => {
  const { acme, office } = state
  acme.lie(of({ sub: 'pat', email: 'pat@acme.example' }))
  const browser = office.browser()
  await ok(browser.comeBack(acme.answer(await browser.begin())))
  const [one] = (await history(state)).list
  for (const path of ['/api/auth/history', `/api/auth/history/${one?.id}`]) {
    assert.is((await office.call('GET', path)).status, 401)
    assert.is((await browser.get(path)).status, 403)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.ok([404, 405].includes((await office.call(method, path, { token: office.admin, body: {} })).status))
  }
  const login = await office.call('POST', '/api/auth/login', { body: ADMIN })
  assert.is((await history(state, '', String(login.at('data.token')))).status, 200)
})

test('sign-ins and refusals are counted in the metrics', async ({ office }) => {
  const { text } = await office.call('GET', '/metrics', { token: 'a token of metrics' })
  const count = (outcome: string): number =>
    Number(new RegExp(`plinth_acts_total\\{act="sign_in",outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
  assert.ok(count('done') >= 6, text)
  assert.ok(count('wrong_password') >= 4)
  assert.is(count('no_role'), 1)
  assert.is(count('not_admitted'), 1)
})

test('it is kept as long as the YAML says', async ({ office }) => {
  const kept = office.engine.app.catalog.resources.get('rights_history')?.keep
  assert.match(JSON.stringify(kept), /400 days|34560000000/)
})

test.run()
