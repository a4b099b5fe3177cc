/** Pages in a real browser: the system's Chromium, and what must never happen in any of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { type ApplicationOptions, application, type TestApplication } from './application.ts'
import { freePort } from './port.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Runs in the page: hands each violation of its policy to the test. */
const REPORT = `addEventListener('securitypolicyviolation', (event) => {
  reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber)
})`

/**
 * Runs in the page: axe by the rules of WCAG 2.2 AA and its own good practice; each finding as a line. What React Aria has
 * said aloud names, for some seconds, buttons that may be gone.
 */
const CHECK = `axe
  .run({ exclude: ['[data-live-announcer]'] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html + ' ' + node.failureSummary)))`

/** The browser of this machine; undefined where there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined) return undefined
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** A page whose mistakes are collected. */
export interface WatchedPage {
  readonly page: Page
  /** Violations of the policy, errors of scripts, and what the page itself reports as an error. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

/** Opens a page of its own, without cookies of others. */
export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Berlin', ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`))
  page.on('console', (message) => {
    // Refusals and lost connections are what some tests ask for; the browser reports each of them as an error of its own.
    const isAnswer = /^Failed to load resource: (the server responded with a status of (4|503)|net::)/.test(
      message.text(),
    )
    if (message.type() === 'error' && !isAnswer) problems.push(`console: ${message.text()}`)
  })
  await page.exposeFunction('reportViolation', (text: string) => problems.push(`policy: ${text}`))
  await page.addInitScript(REPORT)
  return { page, problems, close: () => context.close() }
}

export const WIDE: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }

/** Opens an address in a page of its own, does the work there, and finds no violation of the policy and no error. */
export async function visited(
  browser: Browser,
  address: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = WIDE,
): Promise<void> {
  const { close, page, problems } = await openPage(browser, options)
  try {
    await page.goto(address)
    await work(page)
    assert.equal(problems, [])
  } finally {
    await close()
  }
}

/** What axe-core finds on the page, by the rules of WCAG 2.2 AA. */
export async function barriers(page: Page): Promise<readonly string[]> {
  // By the protocol of the browser, because the policy of the page takes no script from elsewhere.
  await page.evaluate(axe)
  return page.evaluate<readonly string[]>(CHECK)
}

/** By how many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Where pictures are kept, for people who look at them. */
const PICTURES = process.env.PICTURES

/** A screen is no wider than its window, and axe finds nothing on it; PICTURES names a folder for its picture. */
export async function seen(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  const wider = await overflow(page)
  assert.ok(wider <= 0, `${name} is ${wider} px wider than the window`)
  assert.equal(await barriers(page), [], name)
}

/** An application of the tests with the console, from the files of a folder. */
export async function withConsole(
  folder: string,
  options: Omit<ApplicationOptions, 'resources'> = {},
): Promise<TestApplication> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  const texts = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const app = texts['app.yaml'] ?? ''
  return application({
    ...options,
    resources: { ...texts, 'app.yaml': app.replace(/^plugins:$/m, 'plugins:\n  console: {}') },
  })
}

/** The administrator of `withAccounts`. */
export const ADMIN = { email: 'boss@people.example', password: 'a very long secret' }

/** An application with accounts at an address that browsers take for safe, which passkeys and cookies need. */
export async function withAccounts(auth = '{}'): Promise<{ readonly app: TestApplication; readonly base: string }> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const app = await application({
    resources: {
      'app.yaml': `name: Keys\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: ${auth} }\n`,
    },
    env: { PORT: String(port), BASE_URL: base, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
  })
  return { app, base }
}
