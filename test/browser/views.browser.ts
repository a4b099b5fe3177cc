/** Views, layouts and buttons of an application that the console has never seen, each worked with and looked at by axe. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { barriers, openBrowser, overflow, visited, WIDE } from '../support/browser.ts'

const test = suite<{ app: TestApplication }>('views in a browser')
const browser = await openBrowser()

/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

const OPEN = 'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }'
const RESOURCES = {
  'app.yaml': `name: Workshop
plugins: { timestamps: {}, console: {} }
console:
  home: { any: repairs/queue }
  menu: { Work: [repairs/queue, repairs/board, repairs/due, repairs/figures], More: [bikes, repairs] }
  accent: "#0f766e"
`,
  'bikes.yaml': `resource: bikes
icon: gear
fields: { name: { type: string, required: true }, color: { type: color } }
${OPEN}
seeds: { key: name, rows: [{ name: Red one, color: "#cc0000" }, { name: Blue one, color: "#0000cc" }] }
`,
  'repairs.yaml': `resource: repairs
icon: tool
title: name
fields:
  name: { type: string, required: true, help: In a few words }
  state: { type: enum, values: [open, doing, done], default: open }
  urgent: { type: boolean, default: false, nullable: false, widget: switch }
  why: { type: string, when: { urgent: true } }
  content: { type: integer, min: 1, max: 5, widget: stars }
  due: { type: date }
  price: { type: integer }
relations:
  bike: { belongs_to: bikes, embed: [id, name, color] }
  notes: { has_many: notes, embed: [id, text, is_secret, created_at], show: single, order: id }
filters: [state, due, urgent]
sort: { keys: [due, name] }
summary: true
moves:
  state: { allow: [{ from: open, to: doing }, { from: doing, to: [open, done] }] }
views:
  queue: { where: { state: [open, doing] }, columns: [name, bike.name, state, due], sort: due, count: true }
  board: { as: board, by: state, card: [bike, due] }
  due: { as: calendar, at: due, title: name, color: bike.color }
  figures:
    as: figures
    tiles: [{ number: count, label: All }, { number: sum of price, where: { state: open } }, { bars: count, by: state }, { line: count, by: day of due }, { table: count, by: [state, bike] }]
layout:
  form: [name, [urgent, why], bike]
  record:
    main: [name, { thread: [notes], label: Talk, write: { notes: [text, is_secret] } }]
    side: [{ label: Work, fields: [state, bike, due, content] }, { label: Ended, fields: [price], when: { state: done } }]
buttons:
  begin: { label: Begin, key: b, icon: check, when: { state: open }, set: { state: doing } }
  finish: { label: Finish, when: { state: doing }, create: { notes: [text] }, set: { state: done } }
${OPEN}
actions: [list, get, create, update]
`,
  'notes.yaml': `resource: notes
fields: { text: { type: text, required: true }, is_secret: { type: boolean, default: false, nullable: false } }
relations: { repair: { belongs_to: repairs, required: true } }
nested: { repair: { path: notes, actions: [list, create] } }
actions: [get]
${OPEN}
`,
}

/** The day so many days from today, in the time of the browser. */
function day(later: number): string {
  const at = new Date(Date.now() + later * 86_400_000)
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(at)
}

test.before(async (context) => {
  if (browser === undefined) return
  const app = await application({ resources: RESOURCES })
  const make = async (body: object): Promise<void> => {
    const answer = await app.call('POST', '/repairs', { body })
    assert.is(answer.status, 201, answer.text)
  }
  await make({ name: 'Brake', bike_id: 1, due: day(0), price: 30 })
  await make({ name: 'Chain', bike_id: 2, due: day(1), price: 12 })
  await make({ name: 'Light', bike_id: 2, state: 'doing', due: day(2) })
  await make({ name: 'Bell', state: 'done', price: 5 })
  context.app = app
})
test.after(async ({ app }) => {
  await browser?.close()
  await app?.close()
})

const on = (app: TestApplication, path: string, work: (page: Page) => Promise<void>, options = WIDE): Promise<void> =>
  visited(browser!, `${app.address}/console${path}`, work, options)

async function stateOf(app: TestApplication, id: number): Promise<unknown> {
  return (await app.call('GET', `/repairs/${id}`)).body.data.state
}

/** Walks with Tab through the places where a card may go, and drops it in that column. */
async function dropOn(page: Page, column: string): Promise<void> {
  for (let at = 0; at < 6; at += 1) {
    const where = await page.evaluate("document.activeElement.closest('.board-column')?.querySelector('h2').innerText")
    if (String(where).startsWith(column)) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
}

it('the first screen, the menu with a count, and the columns and rows of a view are those of the YAML', async ({
  app,
}) => {
  await on(app, '', async (page) => {
    await page.waitForURL(/\/console\/repairs\?view=queue$/)
    await page.getByRole('grid').waitFor()
    const heads = await page.getByRole('columnheader').allInnerTexts()
    assert.equal(
      heads.filter((head) => head !== ''),
      ['Name', 'Bike', 'State', 'Due'],
    )
    const rows = await page.locator('[role=row][data-at]').allInnerTexts()
    assert.equal(
      rows.map((text) => text.split('\n')[0]),
      ['Brake', 'Chain', 'Light'],
    )
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.getByRole('link', { name: 'Queue 3' }).waitFor()
    assert.equal(await menu.getByRole('heading').allInnerTexts(), ['Work', 'More'])
    await menu.getByRole('link', { name: 'Board' }).click()
    await page.waitForURL(/view=board/)
  })
})

it('a card is moved by its menu and by the keyboard, and not to where no move leads', async ({ app }) => {
  await on(app, '/repairs?view=board', async (page) => {
    const column = (name: string) => page.getByRole('grid', { name })
    await column('Open').getByText('Brake').waitFor()
    await page.getByRole('button', { name: 'Move Brake' }).click()
    const done = page.getByRole('menuitem', { name: 'Move to Done' })
    await page.locator('[role=menuitem][aria-disabled=true]').filter({ hasText: 'Done' }).waitFor()
    await page.getByRole('menuitem', { name: 'Move to Doing' }).click()
    await done.waitFor({ state: 'detached' })
    await column('Doing').getByText('Brake').waitFor()
    await page.getByText('“Brake” is in Doing').waitFor()
    assert.is(await stateOf(app, 1), 'doing')
    await page.getByRole('button', { name: 'Drag Chain' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.board-column.refused').first().waitFor()
    await dropOn(page, 'Doing')
    await page.getByText('“Chain” is in Doing').waitFor()
    assert.is(await stateOf(app, 2), 'doing')
    assert.equal(await barriers(page), [])
  })
})

it('a move that the server refuses is taken back and said', async ({ app }) => {
  await on(app, '/repairs?view=board', async (page) => {
    await page.getByRole('grid', { name: 'Done' }).getByText('Bell').waitFor()
    await page.getByRole('button', { name: 'Move Bell' }).click()
    await page.locator('[role=menuitem][aria-disabled=true]').first().waitFor()
    assert.is(await page.locator('[role=menuitem][aria-disabled=true]').count(), 2)
    await page.keyboard.press('Escape')
    assert.is(await stateOf(app, 4), 'done')
  })
})

it('a calendar shows records on their days, as a month, a week and a list', async ({ app }) => {
  await on(app, '/repairs?view=due', async (page) => {
    const today = page.locator('td', { has: page.locator('[aria-current=date]') })
    await today.getByRole('link', { name: 'Brake' }).waitFor()
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Week' }).click()
    await page.waitForURL(/range=week/)
    await today.getByRole('link', { name: 'Brake' }).waitFor()
    await page.getByRole('button', { name: 'Agenda' }).click()
    await page.locator('.agenda').getByRole('link', { name: 'Chain' }).waitFor()
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Later', exact: true }).click()
    await page.getByText('Nothing in this time').waitFor()
    await page.goBack()
    await page.locator('.agenda').getByRole('link', { name: 'Light' }).click()
    await page.getByRole('heading', { name: 'Light' }).waitFor()
  })
})

it('figures are those of the summary', async ({ app }) => {
  await on(app, '/repairs?view=figures', async (page) => {
    const tile = (name: string) => page.getByRole('region', { name, exact: true })
    assert.is(await tile('All').locator('.number').innerText(), '4')
    await tile('Repairs · State').getByText('Done').waitFor()
    await page.getByRole('columnheader', { name: 'Bike' }).waitFor()
    assert.equal(await barriers(page), [])
  })
})

it('a record is laid out, its thread is written to, and buttons do what they say', async ({ app }) => {
  await on(app, '/repairs/3', async (page) => {
    await page.getByRole('heading', { name: 'Light' }).waitFor()
    const talk = page.getByRole('region', { name: 'Talk' })
    await talk.getByText('Nothing was written yet').waitFor()
    assert.is(await page.getByRole('region', { name: 'Ended' }).count(), 0, 'only when it is done')
    await talk.getByRole('textbox', { name: /Text/ }).fill('The cable is loose')
    await talk.getByRole('checkbox').check()
    await talk.getByRole('button', { name: 'Send' }).click()
    await talk.locator('li').filter({ hasText: 'The cable is loose' }).getByText('Is secret').waitFor()
    assert.is(await page.locator('.meanwhile').count(), 0, 'what one writes below a record is no news')
    assert.is(await talk.getByRole('textbox', { name: /Text/ }).inputValue(), '')
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Finish' }).click()
    const box = page.getByRole('dialog', { name: 'Finish' })
    await box.getByRole('textbox', { name: /Text/ }).fill('Soldered')
    await box.getByRole('button', { name: 'Finish' }).click()
    await box.waitFor({ state: 'detached' })
    await talk.getByText('Soldered').waitFor()
    await page.getByRole('region', { name: 'Ended' }).waitFor()
    assert.is(await stateOf(app, 3), 'done')
    assert.is(await page.getByRole('button', { name: 'Finish' }).count(), 0)
  })
})

it('a button has its key', async ({ app }) => {
  const made = await app.call('POST', '/repairs', { body: { name: 'Pedal' } })
  const { id } = made.body.data as { readonly id: number }
  await on(app, `/repairs/${id}`, async (page) => {
    await page.getByRole('button', { name: /Begin/ }).waitFor()
    await page.keyboard.press('b')
    await page.getByText('Begin: done').waitFor()
    assert.is(await stateOf(app, id), 'doing')
  })
})

it('a form asks in the order of its layout, with help, and what depends on an answer only then', async ({ app }) => {
  await on(app, '/repairs?do=create', async (page) => {
    await page.getByText('In a few words').waitFor()
    const labels = await page.locator('form .field label, form .field .react-aria-Label').allInnerTexts()
    assert.equal(
      labels.slice(0, 3).map((text) => text.replace(/ \(.*$/, '').trim()),
      ['Name', 'Urgent', 'Bike'],
    )
    assert.is(await page.getByLabel('Why').count(), 0)
    await page.getByRole('switch', { name: 'Urgent' }).check()
    await page.getByLabel('Why').fill('Race on Sunday')
    await page.getByLabel('Name').fill('Wheel')
    await page.getByRole('radio', { name: '4 of 5' }).check()
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Wheel' }).waitFor()
    await page.getByRole('img', { name: '4 of 5' }).waitFor()
  })
})

it('on a phone the views are one line, in which the chosen one is in sight', async ({ app }) => {
  const narrow = { viewport: { width: 320, height: 720 } }
  await on(
    app,
    '/repairs?view=figures',
    async (page) => {
      const chosen = page.getByRole('navigation', { name: 'Views' }).locator('[aria-current]')
      await chosen.waitFor()
      assert.is(await chosen.innerText(), 'Figures')
      const [line, box] = [await page.locator('.views').boundingBox(), await chosen.boundingBox()]
      assert.ok(line !== null && box !== null && line.height < 60, JSON.stringify(line))
      assert.ok(box.x >= line.x && box.x + box.width <= line.x + line.width + 1, JSON.stringify({ line, box }))
      assert.equal(await barriers(page), [])
      assert.is(await overflow(page), 0)
    },
    narrow,
  )
})

const LOOKS: readonly (readonly [name: string, options: BrowserContextOptions, direction: string])[] = [
  ['dark', { ...WIDE, colorScheme: 'dark' }, 'ltr'],
  ['on a phone', { viewport: { width: 390, height: 844 } }, 'ltr'],
  ['from right to left', WIDE, 'rtl'],
]
for (const [name, options, direction] of LOOKS)
  it(`axe finds nothing in any view ${name}, and none is wider than the page`, async ({ app }) => {
    await on(
      app,
      '/repairs?view=queue',
      async (page) => {
        await page.evaluate(`document.documentElement.dir = '${direction}'`)
        for (const view of ['queue', 'board', 'due', 'figures']) {
          await page.evaluate(
            `history.pushState(null, '', '?view=${view}'); dispatchEvent(new PopStateEvent('popstate'))`,
          )
          await page.getByRole('heading', { level: 1, name: new RegExp(view, 'i') }).waitFor()
          await page.waitForLoadState('networkidle')
          assert.equal(await barriers(page), [], view)
          assert.is(await overflow(page), 0, view)
        }
      },
      options,
    )
  })

test.run()
