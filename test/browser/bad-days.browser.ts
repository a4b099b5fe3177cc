/** Bad days: rights that go while a screen is open, a server that restarts, and two windows of one person. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { barriers } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { MANAGER, openRental, type Rental } from './world.ts'

const test = suite<Rental>('bad days in the console')
const rental = await openRental()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(() => rental?.close())

/** The same person without any right. */
const NOBODY = '1:manager:'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

it('a right that is taken away refuses the form, which keeps what was typed until it is back', async ({ on, read }) => {
  await on('/bookings/1?do=edit', async (page) => {
    await page.getByLabel('Customer').fill('Typed')
    await page.setExtraHTTPHeaders(bearer(NOBODY))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.summary').getByText('What you typed is still here.').waitFor()
    assert.equal(await barriers(page), [])
    await page.setExtraHTTPHeaders(bearer(MANAGER))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/bookings\/1$/)
    assert.is((await read(1)).customer, 'Typed')
  })
})

it('a move that is refused says why, although its button goes with the right', async ({ app, on, read }) => {
  const refused = await app.call('PATCH', '/rental/bookings/4', { token: NOBODY, body: { status: 'confirmed' } })
  assert.is(refused.status, 403)
  await on('/bookings/4', async (page) => {
    const move = page.locator('.moves').getByRole('button').first()
    await move.waitFor()
    await page.setExtraHTTPHeaders(bearer(NOBODY))
    await move.click()
    const said = page.getByRole('alert').getByText(refused.body.message).first()
    await said.waitFor()
    await move.waitFor({ state: 'detached' })
    assert.ok(await said.isVisible())
    assert.equal(await barriers(page), [])
  })
  assert.is((await read(4)).status, 'requested')
})

it('a server that restarts while a form is sent is waited for, and the form is sent once', async ({ on, read }) => {
  await on('/bookings/2?do=edit', async (page) => {
    const seen: number[] = []
    await page.route('**/rental/bookings/2', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      seen.push(seen.length)
      if (seen.length > 2) return route.continue()
      return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { success: false } })
    })
    await page.getByLabel('Customer').fill('Patient')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Trying again in 1 seconds').waitFor()
    await page.waitForURL(/\/bookings\/2$/)
    assert.is(seen.length, 3)
  })
  assert.is((await read(2)).customer, 'Patient')
})

it('two windows of one person keep what each of them changed, and the first one shows what the second one did', async ({
  app,
  on,
  read,
}) => {
  await on('/bookings/3?do=edit', async (page) => {
    await page.getByLabel('Customer').fill('From the first')
    const other = await page.context().newPage()
    await other.goto(`${app.address}/console/bookings/3`)
    await other.getByRole('link', { name: 'Edit' }).click()
    await other.getByLabel('Quantity').fill('4')
    await other.getByRole('button', { name: 'Save' }).click()
    await other.waitForURL(/\/bookings\/3$/)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/bookings\/3$/)
    await page.locator('.notices').getByText('both changes are kept').waitFor()
    await other.getByText('From the first').first().waitFor()
    await other.close()
  })
  const { customer, quantity } = await read(3)
  assert.equal([customer, quantity], ['From the first', 4])
})

it('somebody is told what another one does right after a change of their own, and never of the own one', async ({
  app,
  change,
  on,
}) => {
  await on('/bookings/5', async (page) => {
    let reads = 0
    page.on('response', (response) => {
      if (response.request().method() === 'GET' && response.url().endsWith('/rental/bookings/5')) reads += 1
    })
    const told = page.locator('.meanwhile')
    const moves = page.getByRole('group', { name: /Status/ })
    await moves.getByRole('button', { name: /Cancelled/ }).click()
    await page.locator('.notices').getByText('Status: Cancelled').waitFor()
    // Once because it was moved, and once because the stream says so.
    await until(() => reads > 2)
    assert.is(await told.count(), 0)
    await change(5, { customer: 'By somebody else' })
    await told.getByText('Somebody changed this record just now.').waitFor()
    await page.goto(`${app.address}/console/bookings/6`)
    await moves.getByRole('button', { name: /Cancelled/ }).click()
    await page.locator('.notices').getByText('Status: Cancelled').waitFor()
    await app.call('DELETE', '/rental/bookings/6', { token: MANAGER })
    await told.getByText('This record is not there any more').waitFor()
  })
})

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
