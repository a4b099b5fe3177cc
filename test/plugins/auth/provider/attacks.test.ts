/** Attacks on sign-in by a provider: each is refused with a page or a sentence, none lets anybody in, and none is a 500. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../support/answer.ts'
import { type Forge, type Lie, openForge } from './forge.ts'
import { acmeAt, type Browser, type Office, openOffice } from './office.ts'

interface State {
  acme: Forge
  evil: Forge
  office: Office
}

const PERSON = {
  sub: 'ann',
  email: 'ann@acme.example',
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Reed',
  groups: ['desk-agents'],
}

const test = suite<State>('auth: attacks on sign-in by a provider')

test.before(async (state) => {
  state.acme = await openForge(PERSON)
  state.evil = await openForge({ ...PERSON, sub: 'mallory' })
  const evil = acmeAt(state.evil.issuer).replace('acme:', 'evil:')
  state.office = await openOffice(`${acmeAt(state.acme.issuer)}${evil}`, { env: { AUTH_EVIL_SECRET: 'another' } })
})
test.before.each(({ acme, evil }) => {
  acme.lie({})
  evil.lie({})
})
test.after(async ({ acme, evil, office }) => {
  await office?.close()
  await acme?.close()
  await evil?.close()
})

/** Nobody is let in: a refusal for people or programs, and no session. */
async function isRefused(browser: Browser, answer: Answer): Promise<void> {
  assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text.slice(0, 400)}`)
  assert.is(await browser.me(), null)
}

async function tries({ acme, office }: State, lie: Lie, more: Readonly<Record<string, string>> = {}): Promise<void> {
  acme.lie(lie)
  const browser = office.browser()
  const answer = await browser.comeBack(acme.answer(await browser.begin(), more))
  await isRefused(browser, answer)
}

test('without a lie the same exchange lets the person in', async ({ acme, office }) => {
  const browser = office.browser()
  const answer = await browser.comeBack(acme.answer(await browser.begin()))
  assert.is(answer.status, 200, answer.text)
  assert.is((await browser.me())?.email, PERSON.email)
})

const now = (): number => Math.floor(Date.now() / 1000)

/** Tokens that are not what was asked for. */
const TOKENS: Readonly<Record<string, (state: State) => Lie>> = {
  'a token that nobody signed (alg: none)': () => ({
    token: (claims) =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
  }),
  'a token that is signed with the public key as a secret (HS256)': () => ({
    token: (claims, keys) => keys.hmac(claims, keys.publicPem),
  }),
  'a token that is signed with the secret of the client (HS256)': () => ({
    token: (claims, keys) => keys.hmac(claims, 'the secret of the desk at acme, which is long enough'),
  }),
  'a token that another provider signed': ({ evil }) => ({ token: (claims) => evil.keys.sign(claims) }),
  'a token that was changed after it was signed': () => ({
    token: async (claims, keys) => {
      const [header, , signature] = (await keys.sign(claims)).split('.')
      const body = Buffer.from(JSON.stringify({ ...claims, groups: ['desk-admins'] })).toString('base64url')
      return [header, body, signature].join('.')
    },
  }),
  'a token with an unknown key': () => ({ token: (claims, keys) => keys.sign(claims, { kid: 'other' }) }),
  'a token that names an address for its key (jku)': ({ evil }) => ({
    token: (claims) => evil.keys.sign(claims, { kid: 'evil', jku: `${evil.issuer}/keys` }),
  }),
  'a token for another application': () => ({ claims: { aud: 'other' } }),
  'a token for several applications, made for another one (azp)': () => ({
    claims: { aud: ['desk', 'other'], azp: 'other' },
  }),
  'a token without an audience': () => ({ claims: { aud: undefined } }),
  'a token of another issuer': ({ evil }) => ({ claims: { iss: evil.issuer } }),
  'a token without an issuer': () => ({ claims: { iss: undefined } }),
  'a token with the nonce of another sign-in': () => ({ claims: { nonce: 'another' } }),
  'a token without a nonce': () => ({ claims: { nonce: undefined } }),
  'a token that has ended': () => ({ claims: { iat: now() - 700, exp: now() - 400 } }),
  'a token without an end': () => ({ claims: { exp: undefined } }),
  'a token of yesterday that has not ended': () => ({ claims: { iat: now() - 86_400, exp: now() + 86_400 } }),
  'a token that counts from tomorrow': () => ({ claims: { nbf: now() + 86_400 } }),
  'a token without a subject': () => ({ claims: { sub: undefined } }),
  'a token with an empty subject': () => ({ claims: { sub: '' } }),
  'a token with a subject that is no text': () => ({ claims: { sub: { id: 1 } } }),
  'no token': () => ({ answer: { id_token: undefined } }),
  'a token that is none': () => ({ answer: { id_token: 'x.y.z' } }),
  'userinfo of another person': () => ({ userinfo: { ...PERSON, sub: 'boss' } }),
  'an address that is verified in userinfo, and not in the token': () => ({
    claims: { sub: 'new', email: 'new@acme.example', email_verified: false },
    userinfo: { ...PERSON, sub: 'new', email: 'new@acme.example', email_verified: true },
  }),
  'a domain that only ends like the one that is admitted': () => ({
    claims: { sub: 'new', email: 'new@evilacme.example' },
  }),
  'an address with two signs': () => ({ claims: { sub: 'new', email: 'new@evil.example@acme.example' } }),
  'a group whose name only contains the one of the mapping': () => ({
    claims: { sub: 'new', groups: ['not-desk-admins'] },
  }),
  'groups as a text that contains one': () => ({ claims: { sub: 'new', groups: 'x,desk-admins' } }),
}

for (const [name, lie] of Object.entries(TOKENS)) {
  test(`${name} is refused`, async (state) => tries(state, lie(state)))
}

test('the address of an account with more rights, by a person with fewer, is refused', async (state) => {
  await tries(state, { claims: { sub: 'new', email: 'boss@acme.example' } })
})

test('an answer of another provider to the sign-in at this one (mix-up) is refused', async (state) => {
  const { acme, evil, office } = state
  await tries(state, {}, { iss: evil.issuer })
  // The browser began at the evil one, which sent it on to the honest one with its own state.
  const browser = office.browser()
  const begun = await browser.begin('evil')
  const honest = acme.answer(begun)
  await isRefused(browser, await browser.comeBack(honest))
  assert.is(evil.exchanges.length, 0, 'the code of the honest provider went to no other')
})

test('an answer without its issuer is refused where the provider always says it', async (state) => {
  const { acme, office } = state
  const browser = office.browser()
  const address = acme.answer(await browser.begin())
  address.searchParams.delete('iss')
  await isRefused(browser, await browser.comeBack(address))
})

test('a code that was stolen and is injected into another sign-in is refused', async ({ acme, office }) => {
  const victim = office.browser()
  const stolen = acme.answer(await victim.begin()).searchParams.get('code') ?? ''
  const thief = office.browser()
  const own = acme.answer(await thief.begin())
  own.searchParams.set('code', stolen)
  await isRefused(thief, await thief.comeBack(own))
})

test('a whole address of the way back is worth nothing in another browser (login CSRF)', async ({ acme, office }) => {
  const attacker = office.browser()
  const address = acme.answer(await attacker.begin())
  const victim = office.browser()
  await isRefused(victim, await victim.comeBack(address))
  await victim.begin()
  await isRefused(victim, await victim.comeBack(address))
})

test('a state that was made up, is empty or missing is refused', async ({ acme, office }) => {
  for (const state of ['', 'made up', '__proto__', 'constructor']) {
    const browser = office.browser()
    const address = acme.answer(await browser.begin(), { state })
    await isRefused(browser, await browser.comeBack(address))
  }
})

test('a cookie of the way that was changed or made up is refused', async ({ acme, office }) => {
  const browser = office.browser()
  const address = acme.answer(await browser.begin())
  const [[name, value] = ['', '']] = browser.cookies
  for (const other of ['', 'x', `${value.slice(0, -4)}AAAA`, value.split('.')[1] ?? '']) {
    browser.cookies.set(name, other)
    await isRefused(browser, await browser.comeBack(address))
  }
})

test('a session that somebody else put into the browser is not the one that is signed in (fixation)', async ({
  acme,
  office,
}) => {
  const browser = office.browser()
  const session = `__Host-plinth-${office.engine.app.foundation.instance}`
  browser.cookies.set(session, 'fixed')
  assert.is((await browser.comeBack(acme.answer(await browser.begin()))).status, 200)
  const given = browser.cookies.get(session)
  assert.not.equal(given, 'fixed')
  const again = office.browser()
  again.cookies.set(session, 'fixed')
  assert.is(await again.me(), null)
})

test('the way leads on to paths of this application alone (open redirect)', async ({ office }) => {
  const others = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/%09/evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/\t/evil.example',
    '/x\r\nSet-Cookie: a=b',
    `/${'x'.repeat(400)}`,
  ]
  for (const next of others) {
    const answer = await office.browser().get(`/api/auth/providers/acme?next=${encodeURIComponent(next)}`)
    if (next === '/%09/evil.example') assert.is(answer.status, 302, 'it is a path, and stays one')
    else assert.is(answer.status, 422, next)
  }
})

test('a next with markup is text on the page', async ({ acme, office }) => {
  const browser = office.browser()
  const address = acme.answer(
    await browser.begin('acme', `?next=${encodeURIComponent('/"><script>alert(1)</script>')}`),
  )
  const answer = await browser.comeBack(address)
  assert.is(answer.status, 200)
  assert.not.match(answer.text, /<script/)
})

test('the name of a host in a request changes no address', async ({ acme, office }) => {
  const browser = office.browser()
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'sec-fetch-site': 'none' }
  const begun = await browser.get('/api/auth/providers/acme', headers)
  const address = new URL(String(begun.headers.location))
  assert.is(address.searchParams.get('redirect_uri'), 'https://office.example/api/auth/providers/acme/callback')
  const back = acme.answer(address)
  const answer = await browser.get(`${back.pathname}${back.search}`, { ...headers, 'sec-fetch-site': 'cross-site' })
  assert.is(answer.status, 200)
  assert.not.match(answer.text, /evil\.example/)
})

test('what a provider says of an error is no part of a page', async ({ office }) => {
  const browser = office.browser()
  const state = (await browser.begin()).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ state, error: '<b>x</b>', error_description: '<script>alert(1)</script>' })
  const answer = await browser.get(`/api/auth/providers/acme/callback?${query}`)
  assert.is(answer.status, 400)
  assert.not.match(answer.text, /<script|<b>/)
})

test('names of a provider are text, and long ones are cut', async ({ acme, office }) => {
  acme.lie({
    claims: { sub: 'long', email: 'long@acme.example', given_name: 'x'.repeat(500), family_name: '<b>"' },
    userinfo: { ...PERSON, sub: 'long', email: 'long@acme.example' },
  })
  const browser = office.browser()
  const answer = await browser.comeBack(acme.answer(await browser.begin()))
  assert.is(answer.status, 200, answer.text)
  const me = await browser.me()
  assert.equal([String(me?.first_name).length, me?.last_name], [100, '<b>"'])
})

test('a discovery document of another issuer is refused', async ({ evil }) => {
  evil.lie({ discovery: { issuer: 'https://login.acme.example' } })
  const office = await openOffice(acmeAt(evil.issuer))
  try {
    const answer = await office.browser().get('/api/auth/providers/acme')
    assert.is(answer.status, 400)
  } finally {
    await office.close()
  }
})

test('a key does not connect identities', async ({ office }) => {
  const body = { name: 'k', permissions: ['*'], own: true, days: 1 }
  const made = await office.call('POST', '/api/auth/keys', { token: office.admin, body })
  const token = String(made.at('data.key'))
  const answer = await office.call('POST', '/api/auth/identities', { token, body: { provider: 'acme' } })
  assert.is(answer.status, 403, answer.text)
})

test.run()
