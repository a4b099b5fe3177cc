/** Bad days: rights that go while a screen is open, a server that restarts, and two windows of one person. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { barriers } from '../support/browser.ts'
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

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
