/** Cards of a board by pointer, by keyboard and by their menu, and what others do to them meanwhile. */
import type { Locator, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { barriers, openBrowser, visited } from '../support/browser.ts'
import { keyboardOf } from './keyboard.ts'

const test = suite<{ app: TestApplication }>('a board')
const browser = await openBrowser()

/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

const OPEN = 'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }'
const RESOURCES = {
  'app.yaml': 'name: Workshop\nplugins: { timestamps: {}, console: {} }\n',
  'repairs.yaml': `resource: repairs
title: name
fields:
  name: { type: string, required: true }
  state: { type: enum, values: [open, doing, waiting, done], default: open, nullable: false }
filters: [state]
sort: { keys: [name], default: name }
summary: true
stream: true
moves: { state: { allow: [{ from: open, to: [doing, waiting] }, { from: [doing, waiting], to: [open, done] }] } }
views: { board: { as: board, by: state } }
${OPEN}
actions: [list, get, create, update]
`,
}

test.before(async (context) => {
  if (browser !== undefined) context.app = await application({ resources: RESOURCES })
})
test.after(async ({ app }) => {
  await browser?.close()
  await app?.close()
})

interface Board {
  readonly page: Page
  readonly id: number
  column(name: string): Locator
  card(): Locator
}

/** A board with one card, whose stream has begun. */
async function onBoard(app: TestApplication, name: string, work: (board: Board) => Promise<void>): Promise<void> {
  const made = await app.call('POST', '/repairs', { body: { name } })
  const look = async (page: Page): Promise<void> => {
    const column = (label: string) => page.locator('.board-column', { has: page.getByRole('heading', { name: label }) })
    const card = () => page.locator('.board-card', { hasText: name })
    await column('Open').locator('.board-card', { hasText: name }).waitFor()
    await work({ page, id: Number(made.body.data.id), column, card })
  }
  await visited(browser!, `${app.address}/console/repairs?view=board`, look, {
    viewport: { width: 1280, height: 1400 },
  })
}

async function stateOf(app: TestApplication, id: number): Promise<unknown> {
  return (await app.call('GET', `/repairs/${id}`)).body.data.state
}

/** Takes a card by the pointer and holds it over a column. */
async function hold(page: Page, card: Locator, over: Locator): Promise<void> {
  const from = (await card.boundingBox())!
  const to = (await over.boundingBox())!
  await page.mouse.move(from.x + from.width / 2, from.y + from.height - 6)
  await page.mouse.down()
  await page.mouse.move(from.x + from.width / 2 + 10, from.y + from.height, { steps: 3 })
  await page.locator('.board-column.refused').first().waitFor()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 })
}

it('a card is dragged to a column, and falls back from one that is greyed', async ({ app }) => {
  await onBoard(app, 'Brake', async ({ card, column, id, page }) => {
    await hold(page, card(), column('Done').locator('.board-cards'))
    assert.equal(
      await page
        .locator('.board-column.refused h2')
        .allInnerTexts()
        .then((all) => all.map((text) => text.split(' ')[0])),
      ['Done'],
    )
    await page.mouse.up()
    await page.locator('.board-column.refused').waitFor({ state: 'detached' })
    assert.is(await stateOf(app, id), 'open')
    await column('Open').getByRole('link', { name: 'Brake' }).waitFor()
    await hold(page, card(), column('Doing').locator('.board-cards'))
    await page.mouse.up()
    await page.getByText('“Brake” is in Doing').waitFor()
    await column('Doing').getByRole('link', { name: 'Brake' }).waitFor()
    assert.is(await stateOf(app, id), 'doing')
    assert.equal(await barriers(page), [])
  })
})

it('the same by the keyboard and by the menu of the card, with a focus that is seen', async ({ app }) => {
  await onBoard(app, 'Chain', async ({ card, column, id, page }) => {
    const { press, tabTo, walkTo } = keyboardOf(page)
    await tabTo(card())
    await walkTo('ArrowRight', page.getByRole('button', { name: 'Move Chain' }))
    await press('Enter')
    await page.locator('[role=menuitem][aria-disabled=true]').filter({ hasText: 'Done' }).waitFor()
    await walkTo('ArrowDown', page.getByRole('menuitem', { name: 'Move to Doing' }))
    await press('Enter')
    await page.getByText('“Chain” is in Doing').waitFor()
    assert.is(await stateOf(app, id), 'doing')
    await page.locator('.notices').getByRole('button', { name: 'Dismiss' }).press('Enter')
    await tabTo(card(), 'back')
    await walkTo('ArrowRight', page.getByRole('button', { name: 'Drag Chain' }))
    await press('Enter')
    await column('Waiting').and(page.locator('.refused')).waitFor()
    const isOver = () => column('Done').locator('[data-drop-target]').count()
    for (let tabs = 0; (await isOver()) === 0 && tabs < 6; tabs += 1) await press('Tab')
    await press('Enter')
    await page.getByText('“Chain” is in Done').waitFor()
    assert.is(await stateOf(app, id), 'done')
  })
})

it('a card that somebody else has moved since is shown where it is, and not moved over that', async ({ app }) => {
  await onBoard(app, 'Pedal', async ({ column, id, page }) => {
    // Without the stream, as on a bad line: the board does not know yet.
    await page.route('**/stream?**', (route) => route.abort())
    await page.reload()
    await column('Open').getByRole('link', { name: 'Pedal' }).waitFor()
    assert.is((await app.call('PATCH', `/repairs/${id}`, { body: { state: 'waiting' } })).status, 200)
    await page.getByRole('button', { name: 'Move Pedal' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Move to Done' }).press('Enter')
    await page.locator('.notices').getByText('Somebody else has changed it since.').waitFor()
    await column('Waiting').getByRole('link', { name: 'Pedal' }).waitFor()
    assert.is(await stateOf(app, id), 'waiting')
  })
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
