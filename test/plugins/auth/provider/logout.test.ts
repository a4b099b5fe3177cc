/** Sign-out at the provider ends sessions here: on every instance, with their streams, once for each token. */
import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../support/answer.ts'
import { type Forge, openForge } from './forge.ts'
import { acmeAt, type Browser, type Office, openOffice } from './office.ts'

interface State {
  acme: Forge
  one: Office
  two: Office
}

const PERSON = { sub: 'ann', email: 'ann@acme.example', email_verified: true, groups: ['desk-agents'] }
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const SECRET = { APP_SECRET: 'one secret for all instances of an office' }

const test = suite<State>('auth: sign-out by a provider')

test.before(async (state) => {
  state.acme = await openForge(PERSON)
  const providers = acmeAt(state.acme.issuer)
  state.one = await openOffice(providers, { env: SECRET })
  state.two = await openOffice(providers, { env: SECRET, database: state.one.engine.database })
})
test.after(async ({ acme, one, two }) => {
  await two?.close()
  await one?.close()
  await acme?.close()
})

async function comes({ acme, one }: State, sid?: string): Promise<Browser> {
  acme.lie(sid === undefined ? {} : { claims: { sid } })
  const browser = one.browser()
  const answer = await browser.comeBack(acme.answer(await browser.begin()))
  assert.is(answer.status, 200, answer.text)
  return browser
}

/** The same browser at another instance. */
function at(office: Office, { cookies }: Browser): Browser {
  const browser = office.browser()
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

const now = (): number => Math.floor(Date.now() / 1000)
let tokens = 0

function claims({ issuer }: Forge, more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  tokens += 1
  return { iss: issuer, aud: 'desk', iat: now(), exp: now() + 120, jti: `t${tokens}`, events: { [EVENT]: {} }, ...more }
}

function send(office: Office, token: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ logout_token: token }).toString()
  return office.call('POST', '/api/auth/providers/acme/logout', { body, headers })
}

async function says(state: State, more: Readonly<Record<string, unknown>>, office = state.two): Promise<Answer> {
  return send(office, await state.acme.keys.sign(claims(state.acme, more), { typ: 'logout+jwt' }))
}

/** Opens a stream and resolves with the milliseconds until it ends, after what `then` does when it has begun. */
function streamed(office: Office, { cookies }: Browser, then: () => Promise<unknown>): Promise<number> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const url = `${office.address}/api/departments/stream`
  return new Promise((resolve, reject) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const asked = request(url, { headers, agent: false }, (response) => {
      assert.is(response.statusCode, 200)
      let begun: number | undefined
      response.once('data', () => {
        then().then(() => {
          begun = performance.now()
        }, reject)
      })
      response.resume()
      response.on('end', () => resolve(begun === undefined ? 0 : performance.now() - begun))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end()
  })
}

test('the session of a sid ends on both instances at the next request, and its stream within a second', async (state) => {
  const [ending, staying] = [await comes(state, 'session one'), await comes(state, 'session two')]
  const took = await streamed(state.one, ending, async () => {
    const answer = await says(state, { sid: 'session one', sub: 'ann' })
    assert.equal([answer.status, answer.headers['cache-control']], [200, 'no-store'])
  })
  assert.ok(took < 1_000, `${took} ms`)
  assert.is(await ending.me(), null)
  assert.is(await at(state.two, ending).me(), null)
  assert.is((await at(state.two, staying).me())?.email, PERSON.email)
})

test('a token without a sid ends every session of the person from there, and no other', async (state) => {
  const [one, two] = [await comes(state), await comes(state, 'session three')]
  assert.is((await says(state, { sub: 'ann' })).status, 200)
  assert.equal([await one.me(), await two.me()], [null, null])
  assert.is((await state.one.call('GET', '/api/auth/me', { token: state.one.admin })).status, 200)
})

test('a session that was opened without a sid ends by the person of a token with one', async (state) => {
  const browser = await comes(state)
  assert.is((await says(state, { sub: 'ann', sid: 'of there' })).status, 200)
  assert.is(await browser.me(), null)
})

test('a code for a program is worth nothing after it', async (state) => {
  const { acme, one } = state
  acme.lie({ claims: { sid: 'of a program' } })
  const browser = one.browser()
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const answer = await browser.comeBack(acme.answer(await browser.begin('acme', `?challenge=${challenge}`)))
  const [, code] = /#code=([\w-]+)/.exec(answer.text) ?? []
  await says(state, { sid: 'of a program' })
  const body = { code, verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }
  assert.is((await one.call('POST', '/api/auth/providers/code', { body })).status, 422)
})

test('a token counts once, on whichever instance', async (state) => {
  const browser = await comes(state, 'session four')
  const token = await state.acme.keys.sign(claims(state.acme, { sid: 'other' }))
  assert.is((await send(state.one, token)).status, 200)
  const again = await send(state.two, token)
  assert.equal([again.status, again.body.message], [400, 'The logout token was used before'])
  assert.is((await browser.me())?.email, PERSON.email)
})

test('what is no logout token of this provider for this application ends nothing', async (state) => {
  const { acme, one } = state
  const browser = await comes(state, 'session five')
  const sid = 'session five'
  const evil = await openForge(PERSON)
  const signed: readonly Promise<string>[] = [
    acme.keys.sign(claims(acme, { sid, events: undefined })),
    acme.keys.sign(claims(acme, { sid, events: {} })),
    acme.keys.sign(claims(acme, { sid, events: { [EVENT]: true } })),
    acme.keys.sign(claims(acme, { sid, nonce: 'x' })),
    acme.keys.sign(claims(acme, { sid, aud: 'other' })),
    acme.keys.sign(claims(acme, { sid, iss: 'https://login.evil.example' })),
    acme.keys.sign(claims(acme, { sid, iat: now() - 3_600, exp: undefined })),
    acme.keys.sign(claims(acme, { sid, iat: now() + 3_600, exp: undefined })),
    acme.keys.sign(claims(acme, { sid, exp: now() - 300 })),
    acme.keys.sign(claims(acme, { sid, jti: undefined })),
    acme.keys.sign(claims(acme, {})),
    evil.keys.sign(claims(acme, { sid })),
    evil.keys.sign(claims(acme, { sid }), { kid: 'evil' }),
    Promise.resolve(acme.keys.hmac(claims(acme, { sid }), acme.keys.publicPem)),
    Promise.resolve('x.y.z'),
    Promise.resolve(''),
  ]
  try {
    for (const [at, token] of (await Promise.all(signed)).entries()) {
      const answer = await send(one, token)
      assert.ok([400, 422].includes(answer.status), `${at}: ${answer.status} ${answer.text}`)
    }
  } finally {
    await evil.close()
  }
  assert.is(
    (
      await one.call('POST', '/api/auth/providers/none/logout', {
        body: 'logout_token=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    ).status,
    404,
  )
  assert.is((await browser.me())?.email, PERSON.email)
})

test.run()
