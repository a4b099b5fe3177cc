/** The support desk with two tickets, and the console of it in a browser. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { openBrowser, openPage, WIDE } from '../support/browser.ts'

export const ACCOUNT = { email: 'admin@desk.example', password: 'a long enough secret 9' }

export interface World {
  readonly app: TestApplication
  readonly token: string
}

/** Tests of the desk in a browser, each of which is skipped without one. */
export async function deskSuite(name: string) {
  const test = suite<World>(name)
  const browser = await openBrowser()
  test.before(async (context) => {
    if (browser !== undefined) Object.assign(context, await openDesk())
  })
  test.after(async ({ app }) => {
    await browser?.close()
    await app?.close()
  })
  return { test, it: browser === undefined ? test.skip : test, browser: browser! }
}

/** The desk, with the token of its administrator. */
async function openDesk(): Promise<World> {
  // A browser keeps a cookie of this machine alone without https.
  const env = { BASE_URL: 'http://localhost:3000', ADMIN_EMAIL: ACCOUNT.email, ADMIN_PASSWORD: ACCOUNT.password }
  const app = await application({ resources: 'resources', env })
  const { body } = await app.call('POST', '/api/v1/auth/login', { body: ACCOUNT })
  const { token } = body.data as { readonly token: string }
  for (const subject of ['Printer on fire', 'No network'])
    await makeIn({ app, token }, '/tickets', { subject, details: 'Since Monday.' })
  return { app, token }
}

/** Creates a record as the administrator. */
export async function makeIn(
  { app, token }: World,
  path: string,
  body: JsonObject,
): Promise<JsonObject & { readonly id: number }> {
  const answer = await app.call('POST', `/api/v1${path}`, { token, body })
  assert.is(answer.status, 201, answer.text)
  return answer.body.data
}

export async function signIn(page: Page, account = ACCOUNT): Promise<void> {
  await page.getByLabel('E-mail').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a screen and signs in; finds no violation of the policy and no error. */
export async function signedInTo(
  browser: Browser,
  app: TestApplication,
  path: string,
  work: (page: Page) => Promise<void>,
  { account = ACCOUNT, ...options }: BrowserContextOptions & { readonly account?: typeof ACCOUNT } = WIDE,
): Promise<void> {
  const { close, page, problems } = await openPage(browser, options)
  try {
    await page.goto(`${app.address}/console${path}`)
    await signIn(page, account)
    await work(page)
    assert.equal(problems, [])
  } finally {
    await close()
  }
}
