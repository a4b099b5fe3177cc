/** The pages for signing in and for one's own account: a second factor, a passkey, keys and sessions, in every light. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeAt, stepAt } from '../../plugins/auth/factors/totp.ts'
import type { TestApplication } from '../support/application.ts'
import { ADMIN, barriers, openBrowser, openPage, withAccounts } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { bytesOf } from '../support/totp.ts'

interface State {
  app: TestApplication
  base: string
}

const test = suite<State>('pages of accounts in a browser')
const browser = await openBrowser()

/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

test.before(async (state) => {
  if (browser === undefined) return
  Object.assign(state, await withAccounts('{ magic_link: { for: [{ role: admin }] } }'))
})
test.after(async ({ app }) => {
  await browser?.close()
  await app?.close()
})

async function byPassword(page: Page, password = ADMIN.password): Promise<void> {
  await page.getByLabel('E-mail').fill(ADMIN.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Where screenshots go, for people who look at them; nowhere usually. */
const SHOTS = process.env.SCREENSHOTS

/** Looks at a page in light and dark, wide and narrow: nobody is kept out, and nothing is wider than the screen. */
async function looks(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      assert.equal(await barriers(page), [], `${name} ${colorScheme} ${width}`)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(wide <= width, `${name} is ${wide} wide at ${width}`)
      if (SHOTS !== undefined)
        await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true })
    }
  }
}

it('somebody signs in, sets up an app and a passkey, and signs in by each', async ({ app, base }) => {
  const { page, close, problems } = await openPage(browser!, {})
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  try {
    await page.goto(`${base}/account`)
    await page.waitForURL(/sign-in\?next=%2Faccount$/)
    await looks(page, 'sign-in')
    await byPassword(page, 'wrong')
    await page.getByText('Invalid credentials.').waitFor()
    await byPassword(page)
    await page.waitForURL(`${base}/account`)
    await page.getByText('First Admin, boss@people.example').waitFor()

    const { knex } = app.engine.database
    await page.getByRole('button', { name: 'Add an app' }).click()
    await page.locator('#app').waitFor()
    const letters = (await page.locator('#app code').innerText()).replaceAll(' ', '')
    const secret = bytesOf(letters)
    await page.locator('#app input').fill(codeAt(secret, stepAt(new Date()) - 1))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    assert.is(await page.locator('.codes code').count(), 10)
    await looks(page, 'account-codes')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${base}/sign-in`)
    await byPassword(page)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    assert.is(await page.getByRole('link').innerText(), 'Begin again')
    await looks(page, 'second-step')
    await page.getByLabel(/Code of your app/).fill('000000')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The code is wrong').waitFor()
    await page.getByLabel(/Code of your app/).fill(codeAt(secret, stepAt(new Date()) + 1))
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.waitForURL(`${base}/account`)

    await knex('access_tokens').update({ fresh_at: new Date(Date.now() - 660_000) })
    await knex('factors').update({ last_step: 0 })
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').waitFor()
    await looks(page, 'proof')
    await page
      .getByRole('dialog')
      .getByLabel(/Code of your app/)
      .fill(codeAt(secret, stepAt(new Date())))
    await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The passkey is set up.').waitFor()
    assert.is(await page.locator('#factors li').count(), 2)
    await looks(page, 'account')

    const touches = (enabled: boolean) =>
      cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    await touches(false)
    const options = `${base}/api/auth/passkey/options`
    const asked = page.waitForResponse(options)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${base}/sign-in`)
    await asked
    // What a device was asked while nobody touched it stays without an answer, so it is touched before the button asks.
    await page.route(options, (route) => touches(true).then(() => route.continue()), { times: 1 })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${base}/account`, { timeout: 120_000 })
    await page.getByText('First Admin, boss@people.example').waitFor()

    // The browser offers the passkey in the field of the name, and this device takes the offer.
    const offered = page.waitForResponse(`${base}/api/auth/passkey`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    assert.is((await offered).status(), 200)
    await page.waitForURL(`${base}/account`)
    await page.getByText('First Admin, boss@people.example').waitFor()
    assert.equal(problems, [])
  } finally {
    await close()
  }
})

it('somebody signs in by the code of a mail, and in another browser by the link and the code', async ({
  app,
  base,
}) => {
  await app.engine.database.knex('factors').delete()
  const first = await openPage(browser!, {})
  const other = await openPage(browser!, {})
  try {
    await first.page.goto(`${base}/sign-in`)
    await first.page.getByLabel('E-mail').fill(ADMIN.email)
    await first.page.getByRole('button', { name: 'Mail me a link to sign in' }).click()
    await first.page.getByLabel('Code of the mail').waitFor()
    await looks(first.page, 'link-code')
    const { code, link } = await lastLink(app)
    await other.page.goto(link)
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByText('type the code of the mail').waitFor()
    await looks(other.page, 'link')
    await first.page.getByLabel('Code of the mail').fill(code)
    await first.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await first.page.waitForURL(`${base}/account`)
    await other.page.getByLabel('Code of the mail').fill(code)
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByText('not valid any more').waitFor()
    assert.equal([...first.problems, ...other.problems], [])
  } finally {
    await first.close()
    await other.close()
  }
})

/** The newest link and code that were mailed. */
async function lastLink({ dataDir }: TestApplication): Promise<{ readonly code: string; readonly link: string }> {
  let found: { code: string; link: string } | undefined
  await until(async () => {
    const names = await readdir(join(dataDir, 'outbox')).catch(() => [])
    for (const name of names.filter((one) => one.endsWith('.eml'))) {
      const mail = (await readFile(join(dataDir, 'outbox', name), 'utf8')).replace(/=\r?\n/g, '')
      const [, link] = /(http:\/\/localhost:\d+\/sign-in\/link\/[\w-]{43})/.exec(mail) ?? []
      const [, code] = /this code there: (\d{8})/.exec(mail) ?? []
      if (link !== undefined && code !== undefined) found = { code, link }
    }
    return found !== undefined
  })
  return found!
}

it('somebody makes a key for a service account, and one of their own', async ({ app, base }) => {
  await app.engine.database.knex('factors').delete()
  const token = String((await app.call('POST', '/api/auth/login', { body: ADMIN })).at('data.token'))
  const me = await app.call('GET', '/api/auth/me', { token })
  const program = { kind: 'service', first_name: 'Nightly', last_name: 'Import', email: 'import@programs.example' }
  const body = { ...program, role_id: me.at('data.role_id'), responsible_id: me.at('data.id') }
  assert.is((await app.call('POST', '/api/users', { token, body })).status, 201)
  const { page, close, problems } = await openPage(browser!, {})
  try {
    await page.goto(`${base}/account/keys`)
    await page.waitForURL(/sign-in\?next=%2Faccount%2Fkeys$/)
    await byPassword(page)
    await page.waitForURL(`${base}/account/keys`)
    await page.locator('select').selectOption('Nightly Import')
    await page.getByLabel('Name').fill('Nightly')
    await page.getByRole('group', { name: 'users' }).getByLabel('view').check()
    await page.getByLabel('Networks').fill('127.0.0.0/8, 10.1.0.0')
    await looks(page, 'keys')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByText('The network must be written like 10.1.0.0/16.').waitFor()
    await page.getByLabel('Networks').fill('127.0.0.0/8')
    await page.getByLabel('Days until it ends').fill('30')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByRole('heading', { name: 'The new key' }).waitFor()
    const key = await page.locator('#made code').innerText()
    await looks(page, 'keys-made')
    const users = await app.call('GET', '/api/users', { token: key })
    assert.is(users.status, 200, users.text)
    const [made] = (await app.call('GET', '/api/settings/keys', { token })).list
    const days = (Date.parse(String(made?.expires_at)) - Date.now()) / 86_400_000
    assert.equal([(made?.user as { name: string } | undefined)?.name, Math.round(days)], ['Nightly Import', 30])
    assert.is((await app.call('GET', '/api/settings/roles', { token: key })).status, 403)

    await page.getByLabel('Name').fill('Mine')
    await page.getByLabel('Everything that the account may do').check()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByText('Copy the key of Mine now').waitFor()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.locator('#keys li').getByText('Mine').waitFor()
    await page.getByRole('link', { name: 'Make a key' }).waitFor()
    assert.equal(problems, [])
  } finally {
    await close()
  }
})

it('the page leads on to paths of this application alone', async ({ app }) => {
  const nextIn = async (next: string) => {
    const { text } = await app.call('GET', `/sign-in?next=${encodeURIComponent(next)}`)
    return /data-next="([^"]*)"/.exec(text)?.[1]
  }
  assert.is(await nextIn('/account?tab=1'), '/account?tab=1')
  for (const bad of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\nb', ''])
    assert.is(await nextIn(bad), '/account', bad)
})

test.run()
