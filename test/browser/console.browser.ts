/** The console over an application that it has never seen: people look, create, change, disagree and take back. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { barriers, openBrowser, visited, WIDE, withConsole } from '../support/browser.ts'
import { counting } from '../support/counting.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const BOOKS = 120
/** What the application has asked its database; work that has its own time does not count. */
const statements: string[] = []
const BESIDE = /plinth_(job|listener|deferred_change|fact|change)/

const test = suite<{ app: TestApplication; database: TestDatabase }>('console in a browser')
const browser = await openBrowser()

/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

test.before(async (context) => {
  if (browser === undefined) return
  context.database = await testDatabase()
  const database = counting(context.database.database, (text) => BESIDE.test(text) || statements.push(text))
  context.app = await withConsole('test/library/resources', { database })
  const make = makerOf(context.app)
  const author = await make('/authors', { first_name: 'Ursula', last_name: 'Le Guin' })
  await make('/authors', { first_name: 'Agatha', last_name: 'Christie' })
  const create = Array.from({ length: BOOKS }, (_, at) => ({
    isbn: `978-${1_000_000_000 + at}`,
    title: `Volume ${at}`,
    pages: 100 + at,
    published_on: '1974-05-01',
    author_id: author.id,
    genre_ids: [1, 2],
  }))
  await make('/books/batch', { create }, 200)
  await make('/books/1/reviews', { rating: 5, body: 'Wonderful' })
})
test.after(async ({ app, database }) => {
  await browser?.close()
  await app?.close()
  await database?.close()
})

function makerOf(app: TestApplication) {
  return async (path: string, body: object, status = 201) => {
    const answer = await app.call('POST', `/library${path}`, { body })
    assert.is(answer.status, status, answer.text)
    return answer.body.data
  }
}

const on = (app: TestApplication, path: string, work: (page: Page) => Promise<void>, options = WIDE): Promise<void> =>
  visited(browser!, `${app.address}/console${path}`, work, options)

const ROW = '[role=row][data-at]'

/** Scrolls to the end of what is there, until that is the row. */
async function scrolledTo(page: Page, row: string): Promise<void> {
  await until(async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    return (await page.locator(row).count()) > 0
  })
}

it('a list shows what its address says, reads on by its cursor, and keeps few rows in the page', async ({ app }) => {
  await on(app, '/books?pages[gte]=110&sort=-pages', async (page) => {
    await page.locator(ROW).first().waitFor()
    assert.match(await page.locator(ROW).first().innerText(), 'Volume 119')
    assert.match(await page.locator('.tools').innerText(), 'Pages is at least 110')
    await scrolledTo(page, '[data-at="109"]')
    assert.match(await page.locator('[data-at="109"]').innerText(), 'Volume 10')
    assert.ok((await page.locator(ROW).count()) < 60)
    assert.is(await page.locator('output').innerText(), '110 of 110')
    await page.getByRole('button', { name: 'Remove the filter Pages is at least 110' }).click()
    await page.waitForURL((url) => !url.search.includes('pages='))
    await page.goBack()
    await page.waitForURL(/pages%5Bgte%5D|pages\[gte\]/)
  })
})

it('the next page of a list is one request, which costs the database at most two statements', async ({ app }) => {
  await on(app, '/books?sort=-pages', async (page) => {
    await page.locator(ROW).first().waitFor()
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    statements.length = 0
    await scrolledTo(page, `[data-at="${BOOKS - 1}"]`)
    assert.equal(asked, ['/library/books', '/library/books'])
    assert.ok(statements.length > 0 && statements.length <= 4, statements.join('\n'))
  })
})

it('search and columns are in the address', async ({ app }) => {
  await on(app, '/books', async (page) => {
    await page.getByRole('searchbox', { name: 'Search' }).fill('volume 77')
    await page.waitForURL(/search=volume\+77/)
    await page.getByText('1 of 1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Genres' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Genres' }).waitFor()
    assert.match(page.url(), /columns=/)
    assert.match(await page.locator(ROW).first().innerText(), 'Crime')
  })
})

it('a form says at each field what the server does not take, and creates the record', async ({ app }) => {
  await on(app, '/books?do=create', async (page) => {
    await page.getByLabel('Title').fill('The Dispossessed')
    await page.getByRole('button', { name: 'Save' }).click()
    const summary = page.locator('.summary')
    await summary.waitFor()
    await page.locator('.summary:focus').waitFor()
    await summary.getByRole('button', { name: /^ISBN/ }).click()
    assert.is(await page.locator('[data-name=isbn]').getAttribute('aria-invalid'), 'true')
    await page.keyboard.type('978-0061054884')
    await page.getByRole('combobox', { name: /Author/ }).fill('Agatha')
    await page.getByRole('option', { name: /Agatha/ }).click()
    await page.getByRole('combobox', { name: 'Genres' }).fill('Poe')
    await page.getByRole('option', { name: 'Poetry' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/console\/books\/\d+$/)
    await page.locator('dl.parts').waitFor()
    assert.match(await page.locator('dl.parts').innerText(), /The Dispossessed[\s\S]*Poetry/)
  })
  const { body } = await app.call('GET', '/library/books/978-0061054884')
  assert.is(body.data.author.name, 'Agatha Christie')
})

it('changes of others to other fields are kept, and those to the same are shown before they are overwritten', async ({
  app,
}) => {
  const change = (body: object) => app.call('PATCH', '/library/books/3', { body })
  await on(app, '/books/3?do=edit', async (page) => {
    await page.getByLabel('Title').fill('Mine')
    await change({ pages: 999 })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/books\/3$/)
    assert.match(await page.locator('.notices').innerText(), 'both changes are kept')
  })
  await on(app, '/books/3?do=edit', async (page) => {
    await page.getByLabel('Title').fill('Mine again')
    await change({ title: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    const conflict = page.locator('.conflict')
    await conflict.waitFor()
    for (const text of ['Before: Mine', 'Yours: Mine again', 'Theirs: Theirs'])
      assert.match(await conflict.innerText(), text)
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/books\/3$/)
  })
  const { body } = await app.call('GET', '/library/books/3')
  assert.equal([body.data.title, body.data.pages], ['Mine again', 999])
})

it('a busy server is waited for, and nothing that was typed is lost', async ({ app }) => {
  await on(app, '/books/4?do=edit', async (page) => {
    let refused = 0
    await page.route('**/library/books/4', async (route) => {
      if (route.request().method() !== 'PATCH' || refused > 0) return route.continue()
      refused += 1
      return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { success: false } })
    })
    await page.getByLabel('Title').fill('Patience')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Trying again in 1 seconds').waitFor()
    await page.waitForURL(/\/books\/4$/)
    assert.is(refused, 1)
  })
  assert.is((await app.call('GET', '/library/books/4')).body.data.title, 'Patience')
})

it('leaving a changed form asks, by a link and by the back button', async ({ app }) => {
  await on(app, '/books/5', async (page) => {
    const box = page.getByRole('alertdialog')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Title').fill('Lost?')
    await page.getByRole('link', { name: 'Members' }).click()
    await box.getByRole('button', { name: 'Stay' }).click()
    await page.goBack()
    await box.getByRole('button', { name: 'Stay' }).click()
    assert.is(await page.getByLabel('Title').inputValue(), 'Lost?')
    await page.getByRole('link', { name: 'Members' }).click()
    await box.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
  })
})

it('a delete asks, says why it is refused, and is taken back', async ({ app }) => {
  await on(app, '/books/6', async (page) => {
    const box = page.getByRole('alertdialog')
    await page.getByRole('button', { name: 'Delete' }).click()
    await app.call('PATCH', '/library/books/6', { body: { is_reference: true } })
    await box.getByRole('button', { name: 'Delete' }).click()
    await box.locator('.bad').waitFor()
    await box.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await page.locator('dl.parts').waitFor()
    assert.is(await page.getByRole('button', { name: 'Delete' }).count(), 0)
    await page.goto(`${app.address}/console/books/7`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await box.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/console\/books$/)
    assert.is((await app.call('GET', '/library/books/7')).status, 404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.waitForURL(/\/console\/books\/7$/)
    await page.locator('dl.parts').waitFor()
  })
  assert.is((await app.call('GET', '/library/books/7')).status, 200)
})

it('a list below a record takes a new one, and an address that leads nowhere says so', async ({ app }) => {
  await on(app, '/books/1', async (page) => {
    await page.getByText('Wonderful').waitFor()
    await page.getByRole('link', { name: 'Add: Review' }).click()
    await page.getByLabel('Rating').fill('4')
    await page.getByLabel('Body').fill('Read it twice')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/books\/1$/)
    await page.getByRole('link', { name: 'Read it twice' }).waitFor()
    for (const path of ['/no_such', '/books/1/no_such', '/__proto__']) {
      await page.goto(`${app.address}/console${path}`)
      await page.getByText('There is no such screen').waitFor()
    }
    await page.goto(`${app.address}/console/books/99999`)
    await page.getByRole('alert').waitFor()
  })
})

it('a morning by keyboard: find, open, change, save, walk through a list, and the keys themselves', async ({ app }) => {
  await on(app, '', async (page) => {
    const isLost = () => page.evaluate<boolean>('document.activeElement === document.body')
    await page.getByRole('heading', { name: 'Town Library' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('volume 88')
    await page.getByRole('option', { name: '978-1000000088' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/books\/\d+$/)
    await page.locator('dl.parts').waitFor()
    assert.not(await isLost())
    await page.keyboard.press('e')
    await page.getByLabel('Title').focus()
    await page.keyboard.press('End')
    await page.keyboard.type(', revised')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: '978-1000000088', exact: true }).waitFor()
    await page.getByText('Volume 88, revised').waitFor()
    await page.goto(`${app.address}/console/books`)
    await page.locator(ROW).first().focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('[data-at="1"]:focus').waitFor()
    await page.keyboard.press('j')
    await page.locator('[data-at="2"]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/books\/\d+$/)
    await page.locator('dl.parts').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.getByRole('checkbox').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('e')
    assert.not.match(page.url(), /do=edit/)
  })
})

const MODES: Readonly<Record<string, BrowserContextOptions>> = {
  light: { ...WIDE, colorScheme: 'light' },
  dark: { ...WIDE, colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 780 } },
  narrow: { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
}
const SCREENS: Readonly<Record<string, string>> = {
  '': '.tiles',
  '/books?pages[gte]=101&sort=-pages': ROW,
  '/books/1': 'dl.parts',
  '/books/1?do=edit': 'form',
  '/members?do=create': 'form',
  '/books/1/reviews': ROW,
}

for (const [mode, options] of Object.entries(MODES)) {
  it(`axe finds nothing on any screen, and nothing is wider than the page: ${mode}`, async ({ app }) => {
    const look = async (page: Page): Promise<void> => {
      for (const [path, ready] of Object.entries(SCREENS)) {
        await page.goto(`${app.address}/console${path}`)
        await page.locator(ready).first().waitFor()
        assert.equal(await barriers(page), [], path)
        for (const direction of ['rtl', 'ltr']) {
          await page.evaluate(`document.documentElement.dir = '${direction}'`)
          const spare = await page.evaluate<number>('innerWidth - document.documentElement.scrollWidth')
          assert.ok(spare >= 0, `${path} ${direction}: ${spare}`)
        }
      }
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      assert.equal(await barriers(page), [], 'palette')
    }
    await on(app, '', look, options)
  })
}

it('the words of the page are those of its reader', async ({ app }) => {
  const look = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Speichern' }).waitFor()
    assert.is(await page.locator('html').getAttribute('lang'), 'de')
  }
  await on(app, '/books?do=create', look, { ...WIDE, locale: 'de-DE' })
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
