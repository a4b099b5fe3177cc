/** The console in Firefox: somebody signs in, looks at a list and a record, and saves, under the policy of its pages. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { ADMIN } from '../support/browser.ts'
import { freePort } from '../support/port.ts'
import { openNamed, violationsOf, watchedPage } from '../support/two-browsers.ts'

const APP = `
name: Notes
prefix: /api
plugins: { timestamps: {}, soft_delete: {}, mail: {}, console: {}, auth: {} }
`

const NOTES = `
resource: notes
title: subject
fields:
  subject: { type: string, required: true }
  text: { type: text }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
`

const test = suite<{ app: TestApplication; base: string }>('the console in Firefox')
const browser = await openNamed('firefox')
const it = browser === undefined ? test.skip : test

test.before(async (state) => {
  if (browser === undefined) return
  const port = await freePort()
  state.base = `http://localhost:${port}`
  const env = { PORT: String(port), BASE_URL: state.base, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  state.app = await application({ resources: { 'app.yaml': APP, 'notes.yaml': NOTES }, env })
  const inside = await state.app.call('POST', '/api/auth/login', { body: ADMIN })
  const token = String(inside.at('data.token'))
  for (const subject of ['First note', 'Second note'])
    assert.is((await state.app.call('POST', '/api/notes', { token, body: { subject } })).status, 201)
})
test.after(async ({ app }) => {
  await browser?.close()
  await app?.close()
})

it('somebody signs in, opens a list and a record, and saves a change', async ({ app, base }) => {
  const { page, problems } = await watchedPage(browser!)
  const violations: string[] = []
  const looked = async (): Promise<void> => void violations.push(...(await violationsOf(page)))
  page.setDefaultTimeout(60_000)
  await page.goto(`${base}/sign-in?next=/console/notes`)
  await page.type('input[name=name_]', ADMIN.email)
  await page.type('input[name=password]', ADMIN.password)
  await looked()
  await page.click('form button')
  await page.waitForSelector('[role=row][data-at="1"]')
  await looked()
  await page.goto(`${base}/console/notes/1`)
  await page.waitForFunction("document.querySelector('dl.parts')?.innerText.includes('First note')")
  await looked()
  await page.goto(`${base}/console/notes/1?do=edit`)
  const field = await page.waitForSelector('[data-name=subject]')
  await field!.click({ count: 3 })
  await page.keyboard.type('Changed in Firefox')
  await page.locator('::-p-xpath(//button[normalize-space()="Save"])').click()
  await page.waitForFunction("document.querySelector('dl.parts')?.innerText.includes('Changed in Firefox')")
  await looked()
  assert.equal([violations, problems], [[], []])
  const [row] = await app.engine.database.adhoc.run({ text: 'select subject from notes where id = 1' }, [])
  assert.equal(row, ['Changed in Firefox'])
})

test.run()
