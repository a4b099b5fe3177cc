/** The console in a language whose every word is marked: no text of the application is left in that of its YAML. */
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { textsOf } from '../../engine/catalog/words.ts'
import { de } from '../../plugins/console/page/words/de.ts'
import { en } from '../../plugins/console/page/words/en.ts'
import { WORDS } from '../../plugins/schema/page/words.ts'
import { application, type TestApplication } from '../support/application.ts'
import { openBrowser, visited, WIDE } from '../support/browser.ts'
import { MANAGER, rentalFiles } from './world.ts'

const test = suite('languages in a browser')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

let app: TestApplication
let texts: ReadonlySet<string> = new Set()

/** What a book of words says, without what differs from time to time. */
function saidBy(words: unknown): readonly string[] {
  if (typeof words === 'string') return [words]
  if (typeof words === 'function') return saidBy(words('', '', '', ''))
  return Object.values(Object(words)).flatMap(saidBy)
}

/** What the console and its pages say in German. */
const GERMAN = new Set([...saidBy(de), ...saidBy(WORDS.de)])

/** What they say in English. */
const ENGLISH = [...saidBy(en), ...saidBy(WORDS.en)].filter((text) => /[a-z]{3}/.test(text))

const VIEWS = `
views:
  queue:   { label: Waiting, where: { status: [requested, confirmed] }, columns: [customer, item.name, status, starts_on], count: true }
  board:   { label: Board, as: board, by: status, card: [item, starts_on] }
  stay:    { label: Stays, as: calendar, from: starts_on, until: ends_on, title: customer, rows: item }
  figures:
    label: Figures
    as: figures
    over: last 30 days of created_at
    tiles:
      - { number: count, label: New bookings }
      - { bars: count, label: Bookings by status, by: status }
      - { line: count, label: Bookings by day, by: day of created_at }
      - { table: count, label: Bookings by branch, by: [branch, status] }
`

/** The rental with a view of each kind, a menu, and the pages about its schema. */
function wholeRental(): Readonly<Record<string, string>> {
  const files = rentalFiles()
  const menu =
    'console: { menu: { Work: [bookings/queue, bookings/board, bookings/stay, bookings/figures, bookings] } }'
  const app = files['app.yaml']!.replace('  console: {}', '  console: {}\n  schema: {}')
  return {
    ...files,
    'app.yaml': `${app}\nexplain: { permission: rental.manage }\n${menu}\n`,
    'bookings.yaml': `${files['bookings.yaml']!.replace(/^filters:\n/m, 'filters:\n  starts_on: starts_on\n  ends_on: ends_on\n')}\nsummary: true\n${VIEWS}`,
  }
}

/** The rental with words in which each text is between brackets. */
async function marked(): Promise<TestApplication> {
  const files = wholeRental()
  const open = { resources: files, plugins: 'test/support/plugins' }
  const plain = await application(open)
  const words: Record<string, unknown> = {}
  const said = textsOf(plain.engine.app.catalog)
  await plain.close()
  for (const { path, text } of said) {
    let at = words
    for (const key of path.slice(0, -1)) {
      at[key] ??= {}
      at = at[key] as Record<string, unknown>
    }
    at[path.at(-1)!] = `⟦${text}⟧`
  }
  const own = said.flatMap(({ text }) => [text, text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ')])
  texts = new Set([...own, ...ENGLISH].filter((text) => !GERMAN.has(text)))
  return application({
    ...open,
    resources: {
      ...files,
      'app.yaml': `languages: [en, de]\n${files['app.yaml']}`,
      'de.words.yaml': JSON.stringify(words),
    },
  })
}

test.before(async () => {
  if (browser === undefined) return
  app = await marked()
  const make = async (path: string, body: object) => {
    const answer = await app.call('POST', `/rental${path}`, { token: MANAGER, body })
    assert.is(answer.status, 201, answer.text)
  }
  await make('/branches', { name: 'N1' })
  await make('/items', { name: 'T1', daily: '12.50', branch_id: 1, is_default: true })
  const days = { starts_on: '2031-05-01', ends_on: '2031-05-03' }
  await make('/bookings', { customer: 'C1', ...days, item_id: 1, branch_id: 1 })
})
test.after(async () => {
  await browser?.close()
  await app?.close()
})

/** What the page shows, and what it says to screen readers, without the marked texts. */
async function unmarked(page: Page): Promise<readonly string[]> {
  const shown = await page.locator('body').innerText()
  const labels = await page.locator('[aria-label]').evaluateAll((all) => all.map((one) => one.ariaLabel ?? ''))
  const parts = [...shown.split('\n'), ...labels]
  return parts.map((part) => part.replaceAll(/⟦[^⟧]*⟧/g, '').trim()).filter((part) => texts.has(part))
}

/** The address of each screen, and what it has last. */
const SCREENS: Readonly<Record<string, readonly [path: string, last: string]>> = {
  'the overview': ['', '⟦'],
  'a list': ['/bookings', 'C1'],
  'a record': ['/bookings/1', 'C1'],
  'a form': ['/bookings?do=create', '⟦'],
  'an import': ['/bookings?do=import', 'CSV'],
  'a view': ['/bookings?view=queue', 'C1'],
  'a board': ['/bookings?view=board', 'C1'],
  'a calendar': ['/bookings?view=stay', '⟦Stays⟧'],
  figures: ['/bookings?view=figures', '⟦Bookings by branch⟧'],
  'the diagram of the schema': ['/schema', '⟦'],
  'a resource of the schema': ['/schema/resource/bookings', '⟦'],
  'who may do what': ['/schema/access', '⟦'],
  'why not': ['/schema/why', '⟦'],
  'what is going on': ['/schema/state', '⟦'],
}

/** What is opened on a list, by its key or its button. */
const OPENED: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'the palette': (page) => page.keyboard.press('Control+k'),
  'the list of keys': (page) => page.keyboard.press('?'),
}

/** Opens a screen as a German. */
function on(path: string, work: (page: Page) => Promise<void>): Promise<void> {
  const reader = { ...WIDE, locale: 'de-DE', extraHTTPHeaders: { authorization: `Bearer ${MANAGER}` } }
  return visited(browser!, `${app.address}/console${path}`, work, reader)
}

for (const [name, [path, last]] of Object.entries(SCREENS))
  it(`${name} has no text of the YAML left, and no English`, () =>
    on(path, async (page) => {
      await page.getByText('⟦').first().waitFor()
      await page.getByText(last).first().waitFor()
      assert.is(await page.locator('html').getAttribute('lang'), 'de')
      assert.equal(await unmarked(page), [])
    }))

for (const [name, open] of Object.entries(OPENED))
  it(`${name} has none either`, () =>
    on('/bookings', async (page) => {
      await page.getByText('C1').first().waitFor()
      await open(page)
      await page.getByRole('dialog').waitFor()
      assert.equal(await unmarked(page), [])
    }))

it('what an import says of a file with an unknown column has none either', () =>
  on('/bookings?do=import', async (page) => {
    const file = { name: 'bookings.csv', mimeType: 'text/csv', buffer: Buffer.from('Customer,Clor\nC9,red\n') }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.locator('form button[type=submit]').click()
    await page.getByText('Die Datei hat eine unbekannte Spalte „Clor“').waitFor()
    assert.not.match(await page.locator('main').innerText(), /\b(?:the|known|column)\b/i)
    assert.equal(await unmarked(page), [])
  }))

test.run()
