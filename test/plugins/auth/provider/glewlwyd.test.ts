/** Sign-in by a provider that others wrote, from its discovery document to the logout token: what differs from a library for tests. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../support/answer.ts'
import { runAhead } from '../../../support/job.ts'
import { until } from '../../../support/wait.ts'
import { type Glewlwyd, type Known, openGlewlwyd, SECRET, type Visit, without } from './glewlwyd.ts'
import { ADMIN, acmeAt, type Browser, CALLBACK, type Office, openOffice } from './office.ts'

interface State {
  acme: Glewlwyd
  office: Office
}

const test = suite<State>('auth: sign-in by Glewlwyd')

if (without !== undefined) console.log(without)
const it = without === undefined ? test : test.skip

test.before(async (state) => {
  if (without !== undefined) return
  state.acme = await openGlewlwyd(CALLBACK)
  state.office = await openOffice(acmeAt(state.acme.issuer), { env: { AUTH_ACME_SECRET: SECRET } })
  await state.acme.tell(`${state.office.address}/api/auth/providers/acme/logout`)
})
test.after(async ({ acme, office }) => {
  await office?.close()
  await acme?.close()
})

const ANN: Known = { username: 'ann', groups: ['desk-agents', 'all'] }

/** A person who came back, with the browsers here and there. */
interface Comer {
  readonly browser: Browser
  readonly visit: Visit
  readonly answer: Answer
}

/** Signs a person in; `change` alters the address that leads to the provider. */
async function comes({ acme, office }: State, person: Known, change = (_: URL): void => undefined): Promise<Comer> {
  await acme.person(person)
  const browser = office.browser()
  const begin = await browser.begin()
  change(begin)
  const visit = await acme.through(begin, person.username)
  return { browser, visit, answer: await browser.comeBack(visit.back) }
}

async function isRefused({ answer, browser }: Comer, status: number, sentence: RegExp): Promise<void> {
  assert.is(answer.status, status, answer.text)
  assert.match(answer.text, sentence)
  assert.is(await browser.me(), null)
}

const role = (me: Readonly<Record<string, unknown>> | null): unknown => (me?.role as { slug: string } | undefined)?.slug

it('a new person gets an account with what the provider says of them', async (state) => {
  const { answer, browser } = await comes(state, ANN)
  assert.is(answer.status, 200, answer.text)
  const me = await browser.me()
  assert.equal([me?.email, me?.email_verified, me?.status, role(me)], ['ann@acme.example', true, 'active', 'agent'])
  const sessions = await browser.get('/api/auth/sessions')
  assert.equal(
    sessions.list.map(({ cookie, factors, provider }) => [cookie, factors, provider]),
    [[true, ['provider'], 'acme']],
  )
})

it('a known person comes to the same account, with the role of the present groups', async (state) => {
  const first = await (await comes(state, ANN)).browser.me()
  const again = await comes(state, { ...ANN, groups: ['desk-admins', 'all'] })
  const me = await again.browser.me()
  assert.equal([me?.id, role(me)], [first?.id, 'admin'])
  await isRefused(await comes(state, { ...ANN, groups: ['all'] }), 403, /none of the groups/)
  assert.is(await again.browser.me(), null, 'the sessions that are there end')
})

it('an address that is not verified there is not admitted', async (state) => {
  await isRefused(
    await comes(state, { username: 'eve', groups: ['desk-agents'], verified: false }),
    403,
    /may not be used here/,
  )
})

it('nobody of another domain is admitted', async (state) => {
  await isRefused(
    await comes(state, { username: 'mal', groups: ['desk-agents'], email: 'mal@evil.example' }),
    403,
    /may not be used here/,
  )
})

it('an unverified address of an account that is there opens nothing, and its owner is told by mail', async (state) => {
  const office = await openOffice(acmeAt(state.acme.issuer).replace(/admit:.*/, ''), {
    env: { AUTH_ACME_SECRET: SECRET },
  })
  try {
    const unproved = { username: 'mallory', groups: ['desk-admins'], email: ADMIN.email, verified: false }
    await isRefused(await comes({ ...state, office }, unproved), 403, /by the address alone/)
    const [mail = ''] = await office.mails(1)
    assert.match(mail, /To: boss@acme.example[\s\S]*Subject: A sign-in with Acme at Office/)
  } finally {
    await office.close()
  }
})

it('two tabs sign in at once, each to where it began, and the back button leads to what to do', async ({
  acme,
  office,
}) => {
  await acme.person(ANN)
  const browser = office.browser()
  const [one, other] = [await browser.begin('acme', '?next=/one'), await browser.begin('acme', '?next=/other')]
  const there = await acme.through(other, ANN.username)
  const here = await acme.through(one, ANN.username)
  assert.match((await browser.comeBack(there.back)).text, /url=\/other"/)
  assert.match((await browser.comeBack(here.back)).text, /url=\/one"/)
  const back = await browser.comeBack(here.back)
  assert.is(back.status, 400)
  assert.match(back.text, /was used already[\s\S]*Begin again/)
  assert.is((await browser.me())?.email, 'ann@acme.example', 'the session that is there stays')
})

it('a sign-in of more than ten minutes is over, and clocks that are ten minutes apart are told as that', async (state) => {
  let ahead = 0
  const now = (): Date => new Date(Date.now() + ahead * 60_000)
  const office = await openOffice(acmeAt(state.acme.issuer), { now, env: { AUTH_ACME_SECRET: SECRET } })
  try {
    await state.acme.person(ANN)
    const browser = office.browser()
    const visit = await state.acme.through(await browser.begin(), ANN.username)
    ahead = 11
    await isRefused({ browser, visit, answer: await browser.comeBack(visit.back) }, 400, /took more than ten minutes/)
    for (ahead of [-10, 10])
      await isRefused(await comes({ ...state, office }, ANN), 400, /clocks of the two servers differ/)
  } finally {
    await office.close()
  }
})

it('keys that it changed are read again', async (state) => {
  assert.is((await comes(state, ANN)).answer.status, 200)
  await state.acme.rotate()
  const { answer } = await comes(state, ANN)
  assert.is(answer.status, 200, answer.text)
})

it('an answer to another nonce, verifier or browser is not taken, nor one that comes twice', async (state) => {
  const strange = /not what was asked for/
  await isRefused(await comes(state, ANN, (begin) => begin.searchParams.set('nonce', 'another nonce')), 400, strange)
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  await isRefused(await comes(state, ANN, (begin) => begin.searchParams.set('code_challenge', challenge)), 400, strange)
  const { browser, visit } = await comes(state, ANN)
  assert.is((await browser.me())?.email, 'ann@acme.example')
  assert.is((await browser.comeBack(visit.back)).status, 400)
  const other = state.office.browser()
  assert.is((await other.comeBack(visit.back)).status, 400)
  assert.is(await other.me(), null)
})

it('who signs out there is signed out here', async (state) => {
  const [ending, staying] = [await comes(state, ANN), await comes(state, ANN)]
  await ending.visit.signOut()
  await until(async () => (await ending.browser.me()) === null)
  assert.is((await staying.browser.me())?.email, 'ann@acme.example')
})

it('a secret that the provider does not have is said, and to whom', async (state) => {
  const office = await openOffice(acmeAt(state.acme.issuer), { env: { AUTH_ACME_SECRET: 'another' } })
  try {
    const wrong = await comes({ ...state, office }, ANN)
    await isRefused(wrong, 400, /Acme does not take the secret[\s\S]*compare client_id and AUTH_ACME_SECRET/)
  } finally {
    await office.close()
  }
})

it('a session asks it again by the token that it gave for that', async (state) => {
  const providers = acmeAt(state.acme.issuer).replace(/( +)otherwise/, '$1revalidate: 5 minutes\n$1otherwise')
  const office = await openOffice(providers, { env: { AUTH_ACME_SECRET: SECRET } })
  try {
    const { answer, browser } = await comes({ ...state, office }, ANN)
    assert.is(answer.status, 200, answer.text)
    assert.equal(await runAhead(office.engine, 'auth.revalidate', 6 * 60_000), { asked: 1, ended: 0, unanswered: 0 })
    await state.acme.person({ ...ANN, groups: ['desk-admins'] })
    assert.equal(await runAhead(office.engine, 'auth.revalidate', 12 * 60_000), { asked: 1, ended: 0, unanswered: 0 })
    assert.is(role(await browser.me()), 'admin')
  } finally {
    await office.close()
  }
})

test.run()
