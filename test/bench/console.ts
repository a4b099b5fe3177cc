/**
 * The console over a hundred thousand tickets: how soon the first rows and a record are there, and what a list costs that
 * is read page after page: rows in the page, memory, long tasks, and statements of the database.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { application } from '../support/application.ts'
import { openBrowser, openPage } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { dataSql, TICKETS } from './data.ts'
import { recorded } from './recorded.ts'
import { DATABASE_OPTION } from './scratch.ts'

const { values } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    tickets: { type: 'string', default: String(TICKETS) },
    pages: { type: 'string', default: '200' },
  },
})
const ACCOUNT = { email: 'admin@desk.example', password: 'a long enough secret 9' }

/** Runs in the page: notes the longest task. */
const WATCH = `longest = 0; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
}).observe({ entryTypes: ['longtask'] })`

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return Math.round(performance.now() - began)
}

/** Scrolls down until so many pages of rows are there; gives how many rows that are. */
async function readOn(page: Page, pages: number): Promise<number> {
  let rows = 0
  await until(async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    rows = await page.evaluate<number>(
      "+(document.querySelector('output.count').textContent.split(' of ')[0].replace(/\\D/g, '') || 0)",
    )
    return rows >= pages * 50
  }, 600_000)
  return rows
}

process.env.TEST_DATABASE_URL = values.database
const env = {
  ...{ BASE_URL: 'http://localhost:3000', ADMIN_EMAIL: ACCOUNT.email, ADMIN_PASSWORD: ACCOUNT.password },
  ...{ RATE_LIMIT: '1000000000', AUTH_RATE_LIMIT: '1000000000' },
}
const app = await application({ resources: 'resources', env })
const [named] = await app.engine.database.adhoc.run({ text: 'select current_database()' }, [])
const address = new URL(values.database)
address.pathname = `/${named?.[0]}`
// A connection of its own, because the engine gives up what takes so long.
const client = new pg.Client(address.href)
await client.connect()
for (const sql of dataSql(0, Number(values.tickets))) await client.query(sql)
await client.query('analyze')
await client.end()

const browser = await openBrowser()
if (browser === undefined) throw new Error('There is no Chromium: apt-get install -y --no-install-recommends chromium')
const { page } = await openPage(browser, { viewport: { width: 1280, height: 800 } })
await page.goto(`${app.address}/console/tickets?sort=-id`)
await page.getByLabel('E-mail').fill(ACCOUNT.email)
await page.getByLabel('Password').fill(ACCOUNT.password)
const row = page.locator('[data-at="0"]')
const say = (what: string, is: string): void => void process.stdout.write(`${what.padEnd(40)} ${is}\n`)
const first = await milliseconds(async () => {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await row.waitFor()
})
say('first rows after signing in', `${first} ms`)
await page.reload()
await row.waitFor()
const opened = await milliseconds(async () => {
  await row.getByRole('link').click()
  await page.locator('.laid, dl.parts').waitFor()
})
say('record, from its row', `${opened} ms`)
await page.goto(`${app.address}/console/tickets?sort=-id`)
await row.waitFor()
await page.evaluate(WATCH)
let rows = 0
const pages = Math.min(Number(values.pages), Math.floor(Number(values.tickets) / 50))
const statements = await recorded(async () => {
  rows = await readOn(page, pages)
})
const read = statements.filter(({ text }) => /\bfrom "?tickets"? /.test(text)).length
const session = await page.context().newCDPSession(page)
await session.send('HeapProfiler.collectGarbage')
const { usedSize } = await session.send('Runtime.getHeapUsage')
say('rows that were read', String(rows))
say('rows in the page', String(await page.locator('[role=row][data-at]').count()))
say('memory of scripts', `${(usedSize / 1_000_000).toFixed(1)} MB`)
say('longest task', `${Math.round(await page.evaluate<number>('longest'))} ms`)
say('statements about tickets for each page', (read / (rows / 50 - 1)).toFixed(2))
await browser.close()
await app.close()
