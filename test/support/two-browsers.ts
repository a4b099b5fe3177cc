/** The system's Chromium and Firefox by one interface: WebDriver BiDi for Firefox, which Playwright drives only in builds of its own. */
import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'

const PLACES = {
  chromium: [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
} as const

export type BrowserName = keyof typeof PLACES

/** A browser of this machine; undefined where there is none, which is said. */
export async function openNamed(name: BrowserName): Promise<Browser | undefined> {
  const executablePath = PLACES[name].find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined) {
    console.log(`There is no ${name} here, so its tests are skipped.`)
    return undefined
  }
  const shared = { executablePath, headless: true, timeout: 120_000 }
  return name === 'firefox'
    ? puppeteer.launch({ ...shared, browser: 'firefox' })
    : puppeteer.launch({ ...shared, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** Runs in the page before its own scripts: keeps each violation of its policy. */
const WATCH = `window.violations = []; addEventListener('securitypolicyviolation', (event) => {
  violations.push(event.violatedDirective + ' ' + event.blockedURI)
})`

/** A page whose mistakes are collected; each new document begins the list of violations anew. */
export async function watchedPage(browser: Browser): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`script: ${String(error)}`))
  await page.evaluateOnNewDocument(WATCH)
  return { page, problems }
}

/** The violations of the policy of the present document. */
export function violationsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate('window.violations') as Promise<readonly string[]>
}
