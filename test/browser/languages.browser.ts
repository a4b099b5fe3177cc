/** The console in a language whose every word is marked: no text of the application is left in that of its YAML. */
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { textsOf } from '../../engine/catalog/words.ts'
import { application, type TestApplication } from '../support/application.ts'
import { openBrowser, visited, WIDE } from '../support/browser.ts'
import { MANAGER, rentalFiles } from './world.ts'

const test = suite('languages in a browser')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

let app: TestApplication
let texts: readonly string[] = []

/** The rental with words in which each text is between brackets. */
async function marked(): Promise<TestApplication> {
  const files = rentalFiles()
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
  texts = said.flatMap(({ text }) => [text, text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ')])
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
  return parts.map((part) => part.replaceAll(/⟦[^⟧]*⟧/g, '').trim()).filter((part) => texts.includes(part))
}

/** The address of each screen, and what it has last. */
const SCREENS: Readonly<Record<string, readonly [path: string, last: string]>> = {
  'the overview': ['', '⟦'],
  'a list': ['/bookings', 'C1'],
  'a record': ['/bookings/1', 'C1'],
  'a form': ['/bookings/new', '⟦'],
}

for (const [name, [path, last]] of Object.entries(SCREENS))
  it(`${name} has no text of the YAML left`, async () => {
    await visited(
      browser!,
      `${app.address}/console${path}`,
      async (page) => {
        await page.getByText('⟦').first().waitFor()
        await page.getByText(last).first().waitFor()
        assert.is(await page.locator('html').getAttribute('lang'), 'de')
        assert.equal(await unmarked(page), [])
      },
      { ...WIDE, locale: 'de-DE', extraHTTPHeaders: { authorization: `Bearer ${MANAGER}` } },
    )
  })

test.run()
