/** Sessions that ask their provider again whether the person may still come in. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeAt, stepAt } from '../../../../plugins/auth/factors/totp.ts'
import { runAhead } from '../../../support/job.ts'
import { bytesOf } from '../../../support/totp.ts'
import { type Acme, openAcme, type Person } from './acme.ts'
import { acmeAt, type Browser, CALLBACK, type Office, openOffice } from './office.ts'

interface State {
  acme: Acme
  office: Office
  people: number
}

const test = suite<State>('auth: sessions that ask their provider again')

/** After this sessions are asked for. */
const LATER = 6 * 60_000

const asking = (acme: Acme, more = ''): string =>
  acmeAt(acme.issuer).replace(/( +)otherwise/, `$1revalidate: 5 minutes${more}\n$1otherwise`)

test.before(async (state) => {
  state.people = 0
  state.acme = await openAcme([CALLBACK])
  state.office = await openOffice(asking(state.acme))
})
test.after(async ({ acme, office }) => {
  await office?.close()
  await acme?.close()
})

/** Somebody new, who is signed in. */
async function somebody(state: State, office = state.office): Promise<{ person: Person; browser: Browser }> {
  state.people += 1
  const sub = `p${state.people}`
  const person = { sub, email: `${sub}@acme.example`, email_verified: true, name: 'Pat Reed', groups: ['desk-agents'] }
  state.acme.next(person)
  const browser = office.browser()
  assert.is((await browser.signIn()).status, 200)
  return { person, browser }
}

const ask = (office: Office, ahead = LATER) => runAhead(office.engine, 'auth.revalidate', ahead)
const role = (me: Readonly<Record<string, unknown>> | null): unknown => (me?.role as { slug: string } | undefined)?.slug

/** Ends the sessions of the test before. */
async function alone({ office }: State): Promise<void> {
  await office.database('delete from access_tokens where provider is not null')
}

test('a session goes on as long as the provider renews it, with the groups of the present', async (state) => {
  const { acme, office } = state
  const { browser, person } = await somebody(state)
  assert.equal(await ask(office, 0), { asked: 0, ended: 0, unanswered: 0 })
  assert.equal(await ask(office), { asked: 1, ended: 0, unanswered: 0 })
  assert.is(role(await browser.me()), 'agent')
  acme.next({ ...person, groups: ['desk-admins'] })
  assert.equal(await ask(office, 2 * LATER), { asked: 1, ended: 0, unanswered: 0 })
  assert.is(role(await browser.me()), 'admin')
  acme.next({ ...person, groups: [] })
  assert.equal(await ask(office, 3 * LATER), { asked: 0, ended: 1, unanswered: 0 })
  assert.is(await browser.me(), null)
})

test('a session ends when the provider refuses, and the history says so', async (state) => {
  await alone(state)
  const { acme, office } = state
  const { browser, person } = await somebody(state)
  const other = await somebody(state)
  acme.forget(person)
  assert.equal(await ask(office), { asked: 1, ended: 1, unanswered: 0 })
  assert.is(await browser.me(), null)
  assert.is.not(await other.browser.me(), null)
  const history = await office.call('GET', '/api/auth/history?act=signed_out', { token: office.admin })
  assert.is(history.list[0]?.provider, 'acme')
})

test('a session by a second step is asked for too', async (state) => {
  await alone(state)
  const { acme, office } = state
  const { browser, person } = await somebody(state)
  const begun = await browser.post('/api/auth/factors/totp')
  const secret = bytesOf(String(begun.at('data.secret')))
  const code = (away: number): string => codeAt(secret, stepAt(new Date()) + away)
  await browser.post(`/api/auth/factors/totp/${begun.at('data.id')}/confirm`, { code: code(-1) })
  await alone(state)
  const { text } = await browser.signIn()
  const step = JSON.parse(Buffer.from(/#step=([\w-]+)/.exec(text)?.[1] ?? '', 'base64url').toString())
  const body = { challenge: step.challenge, code: code(0), session: 'cookie' }
  assert.is((await browser.post('/api/auth/second-factor', body)).status, 200)
  assert.equal(await ask(office), { asked: 1, ended: 0, unanswered: 0 })
  acme.forget(person)
  assert.equal(await ask(office, 2 * LATER), { asked: 0, ended: 1, unanswered: 0 })
  assert.is(await browser.me(), null)
})

test('tokens of a provider are kept sealed, and only where sessions ask again', async (state) => {
  await alone(state)
  await somebody(state)
  const text = JSON.stringify(
    await state.office.database('select provider_tokens from access_tokens where provider is not null'),
  )
  assert.not.match(text, /refresh|access|null/)
  const never = await openOffice(acmeAt(state.acme.issuer))
  try {
    await somebody(state, never)
    assert.equal(await never.database('select count(provider_tokens) from access_tokens'), [['0']])
    assert.equal(await ask(never), { asked: 0, ended: 0, unanswered: 0 })
  } finally {
    await never.close()
  }
})

test('a provider that gives no token for renewal is asked by its userinfo', async (state) => {
  // As Keycloak, whose tokens for offline use outlive the session.
  const office = await openOffice(asking(state.acme).replace(/label: Acme/, 'preset: keycloak'))
  try {
    const { browser, person } = await somebody(state, office)
    assert.equal(await ask(office), { asked: 1, ended: 0, unanswered: 0 })
    state.acme.forget(person)
    assert.equal(await ask(office, 2 * LATER), { asked: 0, ended: 1, unanswered: 0 })
    assert.is(await browser.me(), null)
  } finally {
    await office.close()
  }
})

test('a provider that is out ends nothing', async (state) => {
  const gone = await openAcme([CALLBACK])
  const office = await openOffice(asking(gone))
  try {
    const { browser } = await somebody({ ...state, acme: gone }, office)
    await gone.close()
    assert.equal(await ask(office), { asked: 0, ended: 0, unanswered: 1 })
    assert.is.not(await browser.me(), null)
  } finally {
    await office.close()
  }
})

test.run()
