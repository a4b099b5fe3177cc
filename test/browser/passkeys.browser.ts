/** Passkeys with a virtual authenticator of Chromium: set up, signed in with, and refused where they must be. */
import type { CDPSession, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { ADMIN, openBrowser, openPage, withAccounts } from '../support/browser.ts'

interface State {
  app: TestApplication
  base: string
  token: string
}

const test = suite<State>('passkeys in a browser')
const browser = await openBrowser()

/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

test.before(async (state) => {
  if (browser === undefined) return
  Object.assign(state, await withAccounts())
  const inside = await state.app.call('POST', '/api/auth/login', { body: ADMIN })
  state.token = String(inside.at('data.token'))
})
test.after(async ({ app }) => {
  await browser?.close()
  await app?.close()
})

/** A page of the application with a device that holds passkeys; `verifies` is whether it asks for its owner. */
async function withDevice(
  { base }: State,
  work: (page: Page, device: { readonly cdp: CDPSession; readonly id: string }) => Promise<void>,
  verifies = true,
): Promise<void> {
  const { page, close, problems } = await openPage(browser!, {})
  try {
    await page.goto(`${base}/password/reset`)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: verifies,
        automaticPresenceSimulation: true,
      },
    })
    await work(page, { cdp, id })
    assert.equal(problems, [])
  } finally {
    await close()
  }
}

interface Sent {
  readonly status: number
  readonly body: { readonly data: Readonly<Record<string, unknown>>; readonly errors?: object }
}

/** Runs in the page: sends a body, perhaps with what the device makes of the options. */
const SEND = `async ({ body, options, to, token }) => {
  const make = ({ user }) => user
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  const given = options ? { ...body, credential: (await make(options)).toJSON() } : body
  const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) }
  const sent = Object.keys(given).length === 0 ? {} : { body: JSON.stringify(given) }
  const answer = await fetch('/api' + to, { method: 'POST', headers, ...sent })
  return { status: answer.status, body: await answer.json() }
}`

function inPage(page: Page, to: string, token: string | undefined, body: object, options?: object): Promise<Sent> {
  return page.evaluate<Sent>(`(${SEND})(${JSON.stringify({ body, options, to, token })})`)
}

async function setUp(page: Page, token: string): Promise<Sent> {
  const options = await inPage(page, '/auth/factors/passkey/options', token, {})
  assert.is(options.status, 200, JSON.stringify(options.body))
  return inPage(page, '/auth/factors/passkey', token, { name: 'Laptop' }, options.body.data)
}

async function signIn(page: Page): Promise<Sent> {
  const options = await inPage(page, '/auth/passkey/options', undefined, {})
  return inPage(page, '/auth/passkey', undefined, {}, options.body.data)
}

it('a passkey is set up, signs in without a name, and is a second factor after the password', async (state) => {
  await withDevice(state, async (page) => {
    const made = await setUp(page, state.token)
    assert.is(made.status, 201, JSON.stringify(made.body))
    assert.equal([made.body.data.kind, made.body.data.name], ['passkey', 'Laptop'])
    assert.is((made.body.data.recovery_codes as string[]).length, 10)
    const inside = await signIn(page)
    assert.is(inside.status, 200, JSON.stringify(inside.body))
    const sessions = await state.app.call('GET', '/api/auth/sessions', { token: String(inside.body.data.token) })
    assert.equal(sessions.list.find(({ current }) => current === true)?.factors, ['passkey'])
    const first = await inPage(page, '/auth/login', undefined, ADMIN)
    assert.equal([first.status, first.body.data.factors], [202, ['passkey', 'recovery_code']])
    const { challenge, passkey } = first.body.data
    const second = await inPage(page, '/auth/second-factor', undefined, { challenge }, passkey as object)
    assert.is(second.status, 200, JSON.stringify(second.body))
    await state.app.engine.database.knex('access_tokens').update({ fresh_at: new Date(Date.now() - 660_000) })
    const token = String(second.body.data.token)
    assert.is((await inPage(page, '/auth/factors/passkey/options', token, {})).status, 403)
    const options = await inPage(page, '/auth/passkey/options', undefined, {})
    assert.is((await inPage(page, '/auth/again', token, {}, options.body.data)).status, 200)
    state.token = token
  })
})

it('a wrong challenge, one that was answered, and a device that does not ask for its owner are refused', async (state) => {
  await withDevice(state, async (page, { cdp, id }) => {
    await state.app.engine.database.knex('factors').delete()
    assert.is((await setUp(page, state.token)).status, 201)
    const options = (await inPage(page, '/auth/passkey/options', undefined, {})).body.data
    const forged = { ...options, challenge: Buffer.alloc(32).toString('base64url') }
    assert.is((await inPage(page, '/auth/passkey', undefined, {}, forged)).status, 422)
    assert.is((await inPage(page, '/auth/passkey', undefined, {}, options)).status, 200)
    assert.is((await inPage(page, '/auth/passkey', undefined, {}, options)).status, 422)
    for (const credential of [null, 'x', {}, { id: 'x', response: { clientDataJSON: 'e30' } }])
      assert.is((await inPage(page, '/auth/passkey', undefined, { credential })).status, 422)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false })
    const unasked = (await inPage(page, '/auth/passkey/options', undefined, {})).body.data
    const lax = { ...unasked, userVerification: 'discouraged' }
    assert.is((await inPage(page, '/auth/passkey', undefined, {}, lax)).status, 401)
  })
})

it('a passkey of another host is not offered and does not count', async (state) => {
  await withDevice(state, async (page) => {
    const { knex } = state.app.engine.database
    await knex('factors').delete()
    assert.is((await setUp(page, state.token)).status, 201)
    await knex('factors').update({ rp_id: 'elsewhere.example' })
    const first = await inPage(page, '/auth/login', undefined, ADMIN)
    assert.equal((first.body.data.passkey as { readonly allowCredentials?: unknown }).allowCredentials, undefined)
    assert.is((await signIn(page)).status, 401)
  })
})

test.run()
