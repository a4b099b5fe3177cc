/** Sign-in by a provider of OpenID Connect: who comes in, as whom, and what everybody else is told. */
import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../support/answer.ts'
import { type Acme, openAcme, type Person } from './acme.ts'
import { acmeAt, atProvider, type Browser, CALLBACK, type Office, openOffice } from './office.ts'

interface State {
  acme: Acme
  office: Office
}

const test = suite<State>('auth: sign-in by a provider')

test.before(async (state) => {
  state.acme = await openAcme([CALLBACK])
  state.office = await openOffice(acmeAt(state.acme.issuer))
})
test.after(async ({ acme, office }) => {
  await office?.close()
  await acme?.close()
})

const ann: Person = {
  sub: 'ann',
  email: 'Ann@acme.example',
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Reed',
  groups: ['desk-agents', 'all'],
}

const boss: Person = { ...ann, sub: 'boss', email: 'boss@acme.example', given_name: 'Bo', groups: ['desk-admins'] }

/** Signs a person in with a browser of their own; gives the browser and the page at the end. */
async function comes(
  { acme, office }: State,
  person: Person,
  query?: string,
): Promise<{ readonly browser: Browser; readonly answer: Answer }> {
  acme.next(person)
  const browser = office.browser()
  return { browser, answer: await browser.signIn(query) }
}

/** A page that says why somebody is not let in, and a browser without a session. */
async function isRefused(
  { browser, answer }: Awaited<ReturnType<typeof comes>>,
  sentence: RegExp,
  status = 403,
): Promise<void> {
  assert.is(answer.status, status, answer.text)
  assert.match(answer.text, sentence)
  assert.match(answer.text, /the log has this under [\w-]+/)
  assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'/)
  assert.is(await browser.me(), null)
}

const role = (me: Readonly<Record<string, unknown>> | null): unknown => (me?.role as { slug: string } | undefined)?.slug

test('a new person gets an account with the role and values of the mapping', async (state) => {
  const { answer, browser } = await comes(state, ann)
  assert.is(answer.status, 200, answer.text)
  assert.match(answer.text, /content="0;url=\/start"/)
  const me = await browser.me()
  assert.equal(
    [me?.first_name, me?.last_name, me?.email, me?.email_verified, me?.status, role(me)],
    ['Ann', 'Reed', 'ann@acme.example', true, 'active', 'agent'],
  )
  const departments = await browser.get('/api/departments')
  assert.is(me?.department_id, departments.list.find(({ name }) => name === 'Support')?.id)
  const sessions = await browser.get('/api/auth/sessions')
  assert.equal(
    sessions.list.map(({ cookie, factors, provider }) => [cookie, factors, provider]),
    [[true, ['provider'], 'acme']],
  )
})

test('a known person comes to the same account, also under another name and address', async (state) => {
  const before = await (await comes(state, ann)).browser.me()
  const renamed = await comes(state, { ...ann, email: 'ann.other@acme.example', family_name: 'Other' })
  assert.is((await renamed.browser.me())?.id, before?.id)
  const identities = await renamed.browser.get('/api/auth/identities')
  assert.equal(
    identities.list.map(({ label, provider }) => [provider, label]),
    [['acme', 'Acme']],
  )
})

test('a person of another domain is not admitted, nor one whose address is not verified', async (state) => {
  await isRefused(await comes(state, { ...ann, sub: 'eve', email: 'eve@evil.example' }), /may not be used here/)
  const unproved = { ...ann, sub: 'eve', email: 'eve@acme.example', email_verified: false }
  await isRefused(await comes(state, unproved), /may not be used here/)
})

test('a person without a group of the mapping is told so', async (state) => {
  await isRefused(
    await comes(state, { ...ann, sub: 'ned', email: 'ned@acme.example', groups: [] }),
    /none of the groups/,
  )
  const without = { ...ann, sub: 'ned', email: 'ned@acme.example', groups: undefined }
  await isRefused(await comes(state, without), /none of the groups/)
})

test('groups that are left out because there are too many are no absent groups', async (state) => {
  const many = { ...ann, sub: 'max', email: 'max@acme.example', groups: undefined, _claim_names: { groups: 'src1' } }
  await isRefused(await comes(state, many), /too many of them[\s\S]*use app roles, or assign groups to the application/)
  await isRefused(await comes(state, { ...many, _claim_names: undefined, hasgroups: true }), /too many of them/)
})

test('a changed group changes the role, and a lost one ends the sessions', async (state) => {
  const kim = { ...ann, sub: 'kim', email: 'kim@acme.example' }
  const { browser } = await comes(state, kim)
  assert.is(role(await browser.me()), 'agent')
  assert.is((await comes(state, { ...kim, groups: ['desk-admins'] })).answer.status, 200)
  assert.is(role(await browser.me()), 'admin', 'the role holds at the next request of every session')
  await isRefused(await comes(state, { ...kim, groups: ['other'] }), /none of the groups/)
  assert.is(await browser.me(), null)
})

test('a role that comes from a provider is changed there', async (state) => {
  const { office } = state
  const { browser } = await comes(state, ann)
  const id = (await browser.me())?.id
  const roles = await office.call('GET', '/api/settings/roles', { token: office.admin })
  const customer = roles.list.find(({ slug }) => slug === 'customer')?.id
  const answer = await office.call('PUT', `/api/users/${id}`, { token: office.admin, body: { role_id: customer } })
  assert.equal([answer.status, answer.body.message], [409, 'The role comes from Acme: change it there'])
})

test('an unverified address of an admin who is there opens nothing, and the admin is told by mail', async (state) => {
  const { office } = state
  await isRefused(await comes(state, { ...boss, email_verified: false }), /may not be used here/)
  const open = acmeAt(state.acme.issuer).replace(/admit:.*/, '')
  const loose = await openOffice(open)
  try {
    const unproved = { ...boss, sub: 'mallory', email_verified: false }
    await isRefused(await comes({ ...state, office: loose }, unproved), /Acme may not open it by the address alone/)
    const mails = await loose.mails(1)
    assert.is(mails.length, 1)
    assert.match(mails[0]!, /To: boss@acme.example/)
    assert.match(mails[0]!, /Subject: A sign-in with Acme at Office/)
    await isRefused(await comes({ ...state, office: loose }, unproved), /by the address alone/)
    assert.is((await loose.mails(1)).length, 1, 'once a day')
  } finally {
    await loose.close()
  }
  assert.is((await office.call('GET', '/api/auth/me', { token: office.admin })).status, 200)
})

test('a verified address of a trusted domain links, unless the account may do more than the mapping gives', async (state) => {
  const { office } = state
  await isRefused(await comes(state, { ...boss, groups: ['desk-agents'] }), /by the address alone/)
  const linked = await comes(state, boss)
  assert.is(linked.answer.status, 200, linked.answer.text)
  const admin = await office.call('GET', '/api/auth/me', { token: office.admin })
  assert.is((await linked.browser.me())?.id, admin.at('data.id'))
})

test('the last administrator keeps the role whatever the mapping says', async (state) => {
  const office = await openOffice(acmeAt(state.acme.issuer))
  try {
    assert.is((await comes({ ...state, office }, boss)).answer.status, 200)
    const { answer, browser } = await comes({ ...state, office }, { ...boss, groups: ['desk-agents'] })
    assert.is(answer.status, 200, answer.text)
    const me = await browser.me()
    assert.is(role(me), 'admin')
    const departments = await browser.get('/api/departments')
    assert.is(me?.department_id, departments.list.find(({ name }) => name === 'Support')?.id, 'the rest is given')
  } finally {
    await office.close()
  }
})

test('several tabs sign in at once, each to where it began', async ({ acme, office }) => {
  acme.next(ann)
  const browser = office.browser()
  const [one, other] = [await browser.begin('acme', '?next=/one'), await browser.begin('acme', '?next=/other')]
  const second = await browser.comeBack(await atProvider(other))
  const first = await browser.comeBack(await atProvider(one))
  assert.match(second.text, /url=\/other"/)
  assert.match(first.text, /url=\/one"/)
  assert.is((await browser.me())?.email, 'ann@acme.example')
})

test('the back button leads to a page that says what to do, and a replay to the same', async ({ acme, office }) => {
  acme.next(ann)
  const browser = office.browser()
  const address = await atProvider(await browser.begin())
  const kept = new Map(browser.cookies)
  assert.is((await browser.comeBack(address)).status, 200)
  const back = await browser.comeBack(address)
  assert.is(back.status, 400)
  assert.match(back.text, /was used already[\s\S]*Begin again[\s\S]*href="\/api\/auth\/providers\/acme"/)
  // Somebody who has the cookie of that moment too: the provider gives nothing for a code that was used.
  const thief = office.browser()
  for (const [name, value] of kept) thief.cookies.set(name, value)
  const replayed = await thief.comeBack(address)
  assert.is(replayed.status, 400)
  assert.is(await thief.me(), null)
})

test('a sign-in of more than ten minutes is over', async (state) => {
  let now = new Date()
  const office = await openOffice(acmeAt(state.acme.issuer), { now: () => now })
  try {
    state.acme.next(ann)
    const browser = office.browser()
    const address = await atProvider(await browser.begin())
    now = new Date(now.getTime() + 11 * 60_000)
    const answer = await browser.comeBack(address)
    await isRefused({ browser, answer }, /took more than ten minutes/, 400)
  } finally {
    await office.close()
  }
})

test('clocks that are ten minutes apart are told as that', async (state) => {
  for (const minutes of [-10, 10]) {
    const office = await openOffice(acmeAt(state.acme.issuer), { now: () => new Date(Date.now() + minutes * 60_000) })
    try {
      await isRefused(await comes({ ...state, office }, ann), /clocks of the two servers differ/, 400)
    } finally {
      await office.close()
    }
  }
})

test('keys that the provider changed are read again', async (state) => {
  assert.is((await comes(state, ann)).answer.status, 200)
  await state.acme.rotate()
  const { answer } = await comes(state, ann)
  assert.is(answer.status, 200, answer.text)
})

test('a provider that is out is a page, and no error of this application', async ({ acme, office }) => {
  const gone = await openAcme([CALLBACK])
  await gone.close()
  const out = await openOffice(acmeAt(gone.issuer))
  try {
    const answer = await out.browser().get('/api/auth/providers/acme')
    assert.is(answer.status, 503)
    assert.match(answer.text, /Acme does not answer at the moment/)
  } finally {
    await out.close()
  }
  acme.next(ann)
  const browser = office.browser()
  const { searchParams } = await browser.begin()
  const denied = `/api/auth/providers/acme/callback?error=access_denied&state=${searchParams.get('state')}&iss=${acme.issuer}`
  const answer = await browser.get(denied)
  assert.is(answer.status, 403)
  assert.match(answer.text, /you did not agree, or may not/)
})

test('a program gets a code for one use, by what it alone knows', async (state) => {
  const { office } = state
  const verifier = 'a secret of the program that began, of 43 characters or more'
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const { answer, browser } = await comes(state, ann, `?next=/app&challenge=${challenge}`)
  assert.is(await browser.me(), null, 'no session by cookie')
  const [, code = ''] = /url=\/app#code=([\w-]+)/.exec(answer.text) ?? []
  const redeem = (body: object): Promise<Answer> => office.call('POST', '/api/auth/providers/code', { body })
  const right = await redeem({ code, verifier })
  assert.is(right.status, 200, right.text)
  const me = await office.call('GET', '/api/auth/me', { token: String(right.at('data.token')) })
  assert.is(me.at('data.email'), 'ann@acme.example')
  assert.is((await redeem({ code, verifier })).status, 422, 'once')
  const stolen = /#code=([\w-]+)/.exec((await comes(state, ann, `?challenge=${challenge}`)).answer.text)?.[1]
  assert.is((await redeem({ code: stolen, verifier: 'another secret that is long enough to be one' })).status, 422)
  assert.is((await redeem({ code: stolen, verifier })).status, 422, 'a wrong verifier uses it up')
})

test('somebody who is signed in connects an identity, and ends the connection', async (state) => {
  const { acme, office } = state
  const made = { first_name: 'Cy', last_name: 'Own', email: 'cy@home.example' }
  const password = { password: 'correct horse battery', password_confirmation: 'correct horse battery' }
  await office.call('POST', '/api/users', { token: office.admin, body: { ...made, ...password } })
  const browser = office.browser()
  const login = { email: made.email, password: password.password, session: 'cookie' }
  assert.is((await browser.post('/api/auth/login', login)).status, 200)
  acme.next({ ...ann, sub: 'cy', email: 'cy@acme.example' })
  const begun = await browser.post('/api/auth/identities', { provider: 'acme', next: '/me' })
  const answer = await browser.comeBack(await atProvider(new URL(String(begun.at('data.path')))))
  assert.match(answer.text, /url=\/me"/)
  const other = office.browser()
  assert.is((await other.signIn()).status, 200)
  assert.is((await other.me())?.email, made.email)
  const [identity] = (await browser.get('/api/auth/identities')).list
  assert.is((await browser.remove(`/api/auth/identities/${identity?.id}`)).status, 204)
  assert.is(await other.me(), null, 'its sessions end')
  assert.is((await browser.me())?.email, made.email)
})

test('an identity that is the only way in stays', async (state) => {
  const { browser } = await comes(state, ann)
  const [identity] = (await browser.get('/api/auth/identities')).list
  assert.is((await browser.remove(`/api/auth/identities/${identity?.id}`)).status, 409)
})

test('the list of providers has labels and paths for pages', async ({ office }) => {
  const { body } = await office.call('GET', '/api/auth/providers')
  assert.equal(body.data, [{ name: 'acme', label: 'Acme', path: '/api/auth/providers/acme' }])
  assert.is((await office.call('GET', '/api/auth/providers/none')).status, 404)
})

test.run()
