/** Sign-in by a provider and second factors: who is asked for one here, and whose provider has asked already. */
import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeAt, stepAt } from '../../../../plugins/auth/factors/totp.ts'
import type { Answer } from '../../../support/answer.ts'
import { bytesOf } from '../../../support/totp.ts'
import { type Acme, openAcme, type Person } from './acme.ts'
import { acmeAt, type Browser, CALLBACK, type Office, openOffice } from './office.ts'

interface State {
  acme: Acme
  /** Nothing is said of factors. */
  office: Office
  /** The provider counts where it says so, and agents must have a second factor. */
  trusting: Office
}

const test = suite<State>('auth: second factors of people who come from a provider')

const ann: Person = {
  sub: 'ann',
  email: 'ann@acme.example',
  email_verified: true,
  name: 'Ann Reed',
  groups: ['desk-agents'],
}

test.before(async (state) => {
  state.acme = await openAcme([CALLBACK])
  state.office = await openOffice(acmeAt(state.acme.issuer))
  const trusting = acmeAt(state.acme.issuer).replace(/( +)otherwise/, '$1second_factor: { amr: mfa }\n$1otherwise')
  state.trusting = await openOffice(trusting, {}, 'second_factor: { required: [{ role: agent }] }')
})
test.after(async ({ acme, office, trusting }) => {
  await office?.close()
  await trusting?.close()
  await acme?.close()
})

/** Signs somebody in with a browser of their own. */
async function comes(acme: Acme, office: Office, person: Person, query?: string) {
  acme.next(person)
  const browser = office.browser()
  return { browser, answer: await browser.signIn(query) }
}

/** Sets up an app, and gives the code that it shows next. */
async function setUp(browser: Browser): Promise<() => string> {
  const begun = await browser.post('/api/auth/factors/totp')
  assert.is(begun.status, 201, begun.text)
  const secret = bytesOf(String(begun.at('data.secret')))
  const code = (away: number): string => codeAt(secret, stepAt(new Date()) + away)
  const done = await browser.post(`/api/auth/factors/totp/${begun.at('data.id')}/confirm`, { code: code(-1) })
  assert.is(done.status, 200, done.text)
  return () => code(0)
}

/** What the page of the second step gets in its fragment. */
function stepIn({ text }: Answer): { readonly challenge: string; readonly factors: readonly string[] } {
  const [, step = ''] = /url=\/sign-in\?next=[^#"]+#step=([\w-]+)"/.exec(text) ?? []
  return JSON.parse(Buffer.from(step, 'base64url').toString())
}

test('an account with a second factor is asked for it after the provider, and the session knows both', async ({
  acme,
  office,
}) => {
  const code = await setUp((await comes(acme, office, ann)).browser)
  const { answer, browser } = await comes(acme, office, ann, '?next=/board')
  assert.is(await browser.me(), null, 'no session yet')
  assert.match(answer.text, /next=%2Fboard/)
  const { challenge, factors } = stepIn(answer)
  assert.equal(factors, ['totp', 'recovery_code'])
  const wrong = await browser.post('/api/auth/second-factor', { challenge, code: '000000', session: 'cookie' })
  assert.is(wrong.status, 422)
  assert.is((await browser.post('/api/auth/second-factor', { challenge, code: code(), session: 'cookie' })).status, 200)
  assert.is((await browser.me())?.email, ann.email)
  const sessions = await browser.get('/api/auth/sessions')
  assert.equal(
    sessions.list.filter(({ current }) => current === true).map(({ factors, provider }) => [factors, provider]),
    [[['provider', 'totp'], 'acme']],
  )
})

test('a program is answered 202 for its code', async ({ acme, office }) => {
  const verifier = 'a secret of the program that began, of 43 characters or more'
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const bo = { ...ann, sub: 'bo', email: 'bo@acme.example' }
  const code = await setUp((await comes(acme, office, bo)).browser)
  const { answer } = await comes(acme, office, bo, `?next=/app&challenge=${challenge}`)
  const [, given = ''] = /url=\/app#code=([\w-]+)/.exec(answer.text) ?? []
  const first = await office.call('POST', '/api/auth/providers/code', { body: { code: given, verifier } })
  assert.equal([first.status, first.at('data.token')], [202, undefined], first.text)
  const body = { challenge: first.at('data.challenge'), code: code() }
  const second = await office.call('POST', '/api/auth/second-factor', { body })
  assert.is(second.status, 200, second.text)
})

test('a person who may not come any more cannot end a step that was begun before', async ({ acme, office }) => {
  const cy = { ...ann, sub: 'cy', email: 'cy@acme.example' }
  const code = await setUp((await comes(acme, office, cy)).browser)
  const { challenge } = stepIn((await comes(acme, office, cy)).answer)
  assert.is((await comes(acme, office, { ...cy, groups: [] })).answer.status, 403)
  const answer = await office.call('POST', '/api/auth/second-factor', { body: { challenge, code: code() } })
  assert.is(answer.status, 422, answer.text)
})

test('where a factor is required, one of the provider counts only if the YAML says so of its claims', async ({
  acme,
  trusting,
}) => {
  const plain = await comes(acme, trusting, { ...ann, amr: ['pwd'] })
  assert.is((await plain.browser.get('/api/users')).status, 403)
  assert.is((await plain.browser.get('/api/users')).at('code'), 'second_factor_required')
  const proved = await comes(acme, trusting, { ...ann, amr: ['pwd', 'mfa'] })
  assert.is((await proved.browser.get('/api/users')).status, 200)
  assert.is((await plain.browser.get('/api/users')).status, 403, 'of another session nothing was proved')
  const sessions = await proved.browser.get('/api/auth/sessions')
  assert.equal(sessions.list.find(({ current }) => current === true)?.factors, ['provider', 'provider_factor'])
})

test('an own factor is not asked for after one of the provider that counts', async ({ acme, trusting }) => {
  const di = { ...ann, sub: 'di', email: 'di@acme.example' }
  await setUp((await comes(acme, trusting, di)).browser)
  assert.is((await comes(acme, trusting, { ...di, amr: ['mfa'] })).browser.cookies.size, 1)
  const { answer, browser } = await comes(acme, trusting, di)
  assert.equal(stepIn(answer).factors, ['totp', 'recovery_code'])
  assert.is(await browser.me(), null)
})

test.run()
