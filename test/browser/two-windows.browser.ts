/** Two windows that change one record in drawn orders: no value is lost that the window which wrote over it had not shown. */
import fc from 'fast-check'
import type { Locator, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { openBrowser, openPage, type WatchedPage, WIDE } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { MANAGER, openRental, type Rental } from './world.ts'

/** A longer search: `DRAWN_WINDOWS=500 npm run test:browser -- --timeout 3600000 test/browser/two-windows`. */
const RUNS = Number(process.env.DRAWN_WINDOWS ?? 4)
const SEED = process.env.DRAWN_SEED

const test = suite<Rental>('two windows')
const rental = await openRental()
const browser = rental === undefined ? undefined : await openBrowser()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(async () => {
  await browser?.close()
  await rental?.close()
})

/**
 * Runs in the page before its own scripts: notes which drawn values were ever shown, what was written while which were,
 * and how many answers are on their way.
 */
const NOTE = `(() => {
  const shown = new Set()
  const look = () => {
    const typed = [...document.querySelectorAll('input, textarea')].map(({ value }) => value)
    const text = [document.body?.innerText ?? '', ...typed].join(' ').replace(/(\\d),(?=\\d)/g, '$1')
    for (const [word] of text.matchAll(/\\b(?:name\\d+x|9\\d{5})\\b/g)) shown.add(word)
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  addEventListener('input', look, true)
  window.written = []
  window.versions = {}
  window.busy = 0
  const { fetch } = window
  window.fetch = async (address, init = {}) => {
    look()
    const before = [...shown]
    busy += 1
    try {
      const answer = await fetch(address, init)
      if (!answer.ok || !/\\/rental\\/bookings\\/\\d+$/.test(address)) return answer
      const etag = answer.headers.get('etag')
      versions[etag] = (await answer.clone().json()).data
      if (init.method !== 'PATCH') return answer
      written.push({ body: JSON.parse(init.body), over: init.headers.get('if-match'), left: etag, shown: before })
      return answer
    } finally {
      busy -= 1
    }
  }
})()`

/** One change of the record that was taken. */
interface Written {
  readonly body: JsonObject
  /** The version that it was sent for. */
  readonly over: string | null
  readonly left: string
  /** The drawn values that its window had shown by then. */
  readonly shown: readonly string[]
}

/** Each value is drawn once, so that one on the screen says which one it is. */
let drawn = 0
const next = (): number => {
  drawn += 1
  return drawn
}
const FIELDS = {
  customer: { label: 'Customer', draw: () => `name${next()}x` },
  quantity: { label: 'Quantity', draw: () => String(900_000 + next()) },
}
type Name = keyof typeof FIELDS

interface Window extends WatchedPage {
  /** By field, what is typed and neither stored nor given up. */
  readonly typed: Map<Name, string>
  /** What the window said was stored. */
  readonly stored: string[]
}

const headers = { authorization: `Bearer ${MANAGER}` }

/** A window of somebody else, or with `beside` another one of the same person. */
async function openWindow(beside?: Window): Promise<Window> {
  const opened =
    beside === undefined
      ? await openPage(browser!, { ...WIDE, extraHTTPHeaders: headers })
      : { ...beside, page: await beside.page.context().newPage() }
  await opened.page.addInitScript(NOTE)
  return { ...opened, typed: new Map(), stored: [] }
}

const isThere = async (one: Locator): Promise<boolean> => (await one.count()) > 0 && (await one.first().isVisible())
const sender = (page: Page) => page.locator('main form, [role=dialog] form').getByRole('button', { name: 'Save' })

/** Waits until every answer is there. */
async function settled({ page }: Window): Promise<void> {
  let quiet = 0
  await until(async () => {
    quiet = (await page.evaluate<number>('busy')) === 0 ? quiet + 1 : 0
    return quiet > 2
  })
}

/** Goes to an address as a link does. */
async function follow({ page }: Window, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

type Act = (window: Window, name: Name, path: string) => Promise<void>

/** What people do in a window; an act does nothing where the window shows something else. */
const ACTS: Readonly<Record<string, Act>> = {
  edit: async ({ page }) => {
    const edit = page.getByRole('main').getByRole('link', { name: 'Edit' })
    if (await isThere(edit)) await edit.click()
  },
  type: async ({ page, typed }, name) => {
    const line = page.locator(`main form [data-name=${name}]`)
    if (!(await isThere(line))) return
    typed.set(name, FIELDS[name].draw())
    await line.fill(typed.get(name)!)
  },
  cell: async ({ page, typed }, name, path) => {
    if (!(await isThere(page.getByRole('grid'))) || (await isThere(sender(page)))) return
    const row = page.locator('[role=row]', { has: page.locator(`a[href="${path}"]`) })
    await row
      .locator('[data-cell]')
      .nth(name === 'customer' ? 1 : 2)
      .dblclick()
    const line = page.locator(`[role=dialog] [data-name=${name}]`)
    await line.waitFor()
    typed.set(name, FIELDS[name].draw())
    await line.fill(typed.get(name)!)
  },
  save: async (window) => {
    const { page, stored, typed } = window
    if (!(await isThere(sender(page)))) return
    await sender(page).click()
    await settled(window)
    if (await isThere(sender(page))) return
    stored.push(...typed.values())
    typed.clear()
  },
  take: async ({ page, typed }) => {
    const theirs = page.locator('.conflict').getByRole('radio', { name: /^Theirs/ })
    if (!(await isThere(theirs))) return
    const of = await theirs.first().getAttribute('name')
    await theirs.first().check()
    typed.delete(of?.replace('clash-', '') as Name)
  },
  leave: async ({ page, typed }) => {
    const cancel = page.locator('main form, [role=dialog] form').getByRole('button', { name: 'Cancel' })
    if (!(await isThere(cancel))) return
    await cancel.click()
    const really = page.getByRole('alertdialog').getByRole('button', { name: 'Leave' })
    await until(async () => !(await isThere(cancel)) || (await isThere(really)))
    if (await isThere(really)) await really.click()
    typed.clear()
  },
  move: async ({ page }) => {
    const next = page.getByRole('group', { name: /Status/ }).getByRole('button')
    if (await isThere(next)) await next.last().click()
  },
  undo: async ({ page }) => {
    const undo = page.locator('.notices').getByRole('button', { name: 'Undo' })
    if (await isThere(undo)) await undo.last().click()
  },
  list: async (window, _, path) => {
    if (await isThere(sender(window.page))) return
    await follow(window, `${path.replace(/\/\d+$/, '')}?columns=id,customer,quantity&sort=-id`)
    await window.page.getByRole('grid').waitFor()
  },
  open: async ({ page }, _, path) => {
    if (!(await isThere(page.getByRole('grid'))) || (await isThere(sender(page)))) return
    await page.locator(`[role=row] a[href="${path}"]`).click()
  },
}

/** Acts that lead somewhere are drawn more often. */
const act = fc.constantFrom('edit', 'edit', 'type', 'type', 'type', 'save', 'save', 'save', ...Object.keys(ACTS))
const step = fc.record({
  who: fc.constantFrom('first', 'second', 'both'),
  act,
  other: act,
  name: fc.constantFrom(...(Object.keys(FIELDS) as Name[])),
})
const drawnSteps = fc.record({ isOnePerson: fc.boolean(), steps: fc.array(step, { minLength: 8, maxLength: 20 }) })

/** Sends what is still typed, so that each window comes to an end. */
async function finished(window: Window, path: string): Promise<void> {
  for (let tries = 0; tries < 8 && (await isThere(sender(window.page))); tries += 1)
    await ACTS.save!(window, 'customer', path)
  assert.equal([...window.typed], [], `a form cannot be saved: ${await window.page.locator('main').innerText()}`)
}

it('whatever they do, each shows what it writes over, what it says is stored was stored, and both end with the same', async ({
  app,
  make,
}) => {
  const first = await openWindow()
  const pairs = { true: [first, await openWindow(first)], false: [first, await openWindow()] } as const
  let at = 0
  const holds = async ({
    isOnePerson,
    steps,
  }: typeof drawnSteps extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
    at += 1
    const days = { starts_on: `${2031 + at}-07-01`, ends_on: `${2031 + at}-07-02` }
    const values = { customer: FIELDS.customer.draw(), quantity: Number(FIELDS.quantity.draw()) }
    const id = await make('/bookings', { ...values, ...days, item_id: 40, branch_id: 1 })
    const path = `/console/bookings/${id}`
    const windows = pairs[`${isOnePerson}`]
    for (const { page, stored, typed } of windows) {
      stored.length = 0
      typed.clear()
      await page.goto(app.address + path)
      await page.locator('dl.parts').waitFor()
    }
    for (const { act: drawnAct, name, other, who } of steps) {
      const [one, two] = windows
      const acts = [
        who === 'second' ? undefined : ([one, drawnAct] as const),
        who === 'first' ? undefined : ([two, who === 'both' ? other : drawnAct] as const),
      ]
      await Promise.all(acts.map((each) => each && ACTS[each[1]]!(each[0], name, path)))
      for (const window of windows) await settled(window)
    }
    for (const window of windows) await finished(window, path)
    await judge(windows)
    const { customer, quantity } = (await app.call('GET', `/rental/bookings/${id}`, { token: MANAGER })).body.data
    for (const { page } of windows)
      await until(async () => {
        const text = (await page.locator('main').innerText()).replaceAll(',', '')
        return text.includes(String(customer)) && text.includes(String(quantity))
      }, 10_000)
  }
  await fc.assert(fc.asyncProperty(drawnSteps, holds), {
    numRuns: RUNS,
    endOnFailure: true,
    includeErrorInReport: true,
    ...(SEED === undefined && RUNS > 20 ? {} : { seed: Number(SEED ?? 36) }),
  })
  await first.close()
})

async function judge(windows: readonly Window[]): Promise<void> {
  const versions: Record<string, JsonObject> = {}
  const written: (readonly Written[])[] = []
  for (const { page } of windows) {
    Object.assign(versions, await page.evaluate('versions'))
    written.push(await page.evaluate<readonly Written[]>('written'))
  }
  for (const [at, mine] of written.entries()) {
    for (const { body, over, shown } of mine) {
      assert.ok(over !== null, `a change of any version was sent: ${JSON.stringify(body)}`)
      for (const name of Object.keys(FIELDS)) {
        const before = String(versions[over]?.[name])
        if (name in body && before !== String(body[name]))
          assert.ok(shown.includes(before), `${before} was never shown where ${body[name]} was written over it`)
      }
    }
    const values = mine.flatMap(({ body }) => Object.values(body).map(String))
    for (const value of windows[at]!.stored) assert.ok(values.includes(value), `${value} was said to be stored`)
  }
}

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
