/** The way back: what was changed at once or by a move is taken back, except where somebody else has been since. */
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { barriers } from '../support/browser.ts'
import { openRental, type Rental, row } from './world.ts'

const test = suite<Rental>('undo in the console')
const rental = await openRental()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(() => rental?.close())

const notices = (page: Page) => page.locator('.notices')
const undo = (page: Page) => notices(page).getByRole('button', { name: 'Undo' }).click()

it('rows that were changed at once get their values back, except those that somebody else has changed since', async ({
  change,
  on,
  read,
}) => {
  await change(2, { quantity: 2 })
  await on('/bookings?sort=id&columns=customer,quantity', async (page) => {
    for (const at of [0, 1, 2]) await row(page, at).getByRole('checkbox').check()
    await page.locator('.bulk').getByRole('button', { name: 'Change' }).click()
    const box = page.getByRole('dialog')
    await box.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Quantity' })
    await box.locator('[data-name=quantity]').fill('5')
    await box.getByRole('button', { name: 'Change' }).click()
    await notices(page).getByText('3 done').waitFor()
    await change(1, { quantity: 7 })
    await change(3, { customer: 'Renamed' })
    await undo(page)
    await notices(page)
      .getByText(/2 done, 1 not.*Customer 1: Somebody else has changed it since\./)
      .waitFor()
    assert.equal(await barriers(page), [])
    const left = await Promise.all([1, 2, 3].map(read))
    assert.equal(
      left.map(({ customer, quantity }) => [customer, quantity]),
      [
        ['Customer 1', 7],
        ['Customer 2', 2],
        ['Renamed', 1],
      ],
    )
  })
})

it('a move is taken back, unless the record was moved on or may not go back', async ({ change, on, read }) => {
  await on('/bookings/4', async (page) => {
    const moves = page.getByRole('group', { name: /Status/ })
    await moves.getByRole('button', { name: /Cancelled/ }).click()
    await notices(page).getByText('Status: Cancelled').waitFor()
    await change(4, { customer: 'Renamed, and still cancelled' })
    await undo(page)
    await notices(page).getByText('Taken back').waitFor()
    await moves.getByRole('button', { name: /Confirmed/ }).waitFor()
    assert.is((await read(4)).status, 'requested')
    await moves.getByRole('button', { name: /Cancelled/ }).click()
    await notices(page).getByText('Status: Cancelled').waitFor()
    await change(4, { status: 'requested' })
    await change(4, { status: 'confirmed' })
    await undo(page)
    await notices(page).getByText('Not taken back. Somebody else has changed it since.').waitFor()
    assert.is((await read(4)).status, 'confirmed')
    await moves.getByRole('button', { name: /Out/ }).click()
    await notices(page).getByText('Status: Out').waitFor()
    await undo(page)
    await notices(page)
      .getByText(/Not taken back\. .+/)
      .waitFor()
    assert.is((await read(4)).status, 'out')
  })
})

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
