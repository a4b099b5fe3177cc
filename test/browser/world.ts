/** The rental of test/bookings with the console, with lists that are told while they change, and with items and bookings. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { openBrowser, visited, WIDE } from '../support/browser.ts'

/** Who may do everything in the rental. */
export const MANAGER = '1:manager:rental.book,rental.manage,views.share'

/** The files of the rental, with the console. */
export function rentalFiles(): Readonly<Record<string, string>> {
  const folder = 'test/bookings/resources'
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]))
  const followed = 'stream: true\nfilters:\n  id: id\n'
  return {
    ...texts,
    'app.yaml': texts['app.yaml']!.replace(/^plugins:$/m, 'plugins:\n  console: {}'),
    'items.yaml': `${texts['items.yaml']}filters: { daily: daily }\n`,
    'bookings.yaml': texts['bookings.yaml']!.replace(
      /^filters:\n/m,
      `${followed}  status: status\n  customer: customer\n`,
    ),
  }
}

export interface Rental {
  readonly app: TestApplication
  /** Creates a record and gives its id. */
  make(path: string, body: JsonObject): Promise<number>
  /** A booking of an item by a customer of the same number. */
  book(at: number): Promise<number>
  read(id: number): Promise<JsonObject>
  change(id: number, body: JsonObject): Promise<void>
  /** Opens a screen as the manager. */
  on(path: string, work: (page: Page) => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** The rental with 40 tents and 12 bookings, and the browser of this machine; undefined where there is none. */
export async function openRental(): Promise<Rental | undefined> {
  const browser = await openBrowser()
  if (browser === undefined) return undefined
  const app = await application({ resources: rentalFiles(), plugins: 'test/support/plugins' })
  const make: Rental['make'] = async (path, body) => {
    const answer = await app.call('POST', `/rental${path}`, { token: MANAGER, body })
    assert.is(answer.status, 201, answer.text)
    return Number(answer.body.data.id)
  }
  const rental: Rental = {
    app,
    make,
    book: (at) => {
      const days = { starts_on: '2031-05-01', ends_on: '2031-05-03' }
      return make('/bookings', { customer: `Customer ${at}`, ...days, item_id: at, branch_id: 1 })
    },
    read: async (id) => (await app.call('GET', `/rental/bookings/${id}`, { token: MANAGER })).body.data,
    change: async (id, body) => {
      const answer = await app.call('PATCH', `/rental/bookings/${id}`, { token: MANAGER, body })
      assert.is(answer.status, 200, answer.text)
    },
    on: (path, work) =>
      visited(browser, `${app.address}/console${path}`, work, {
        ...WIDE,
        extraHTTPHeaders: { authorization: `Bearer ${MANAGER}` },
      }),
    close: async () => {
      await browser.close()
      await app.close()
    },
  }
  await make('/branches', { name: 'North' })
  for (let at = 1; at <= 40; at += 1)
    await make('/items', { name: `Tent ${at}`, daily: '12.50', branch_id: 1, is_default: at === 1 })
  for (let at = 1; at <= 12; at += 1) await rental.book(at)
  return rental
}

/** A row of a list by its place. */
export const row = (page: Page, at: number) => page.locator(`[data-at="${at}"]`)
