/** A day in a rental without a pointer: a booking is made, changed, moved and taken back, many are changed at once, and others interfere. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { keyboardOf } from './keyboard.ts'
import { openRental, type Rental, row } from './world.ts'

const test = suite<Rental>('a day in a rental by keyboard')
const rental = await openRental()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(() => rental?.close())

it('everything is done by keys, and the focus is always seen', async ({ change, on, read }) => {
  await on('', async (page) => {
    const { press, tabTo, type, walkTo } = keyboardOf(page)
    const notices = page.locator('.notices')
    await page.getByRole('heading', { name: 'Rental' }).waitFor()

    // The list of bookings, by the palette.
    await press('Control+k')
    await type('bookings')
    await page.getByRole('option', { name: 'Bookings', exact: true }).waitFor()
    await walkTo('ArrowDown', page.getByRole('option', { name: 'Bookings', exact: true }))
    await press('Enter')
    await page.waitForURL(/\/console\/bookings$/)
    await row(page, 0).waitFor()

    // A new one: what is refused is said in a summary that has the focus, and leads to its field.
    await press('c')
    await page.locator('form.form').waitFor()
    await tabTo(page.locator('[data-name=customer]'))
    await type('Ann')
    await tabTo(page.locator('[data-name=starts_on]'))
    await type('05012031')
    await tabTo(page.locator('[data-name=ends_on]'))
    await type('05022031')
    await tabTo(page.getByRole('combobox', { name: /^Item/ }))
    await type('Tent 1')
    await page.getByRole('option', { name: 'Tent 1', exact: true }).waitFor()
    await walkTo('ArrowDown', page.getByRole('option', { name: 'Tent 1', exact: true }))
    await press('Enter')
    await tabTo(page.getByRole('combobox', { name: /^Branch/ }))
    await type('North')
    await page.getByRole('option', { name: 'North' }).waitFor()
    await walkTo('ArrowDown', page.getByRole('option', { name: 'North' }))
    await press('Enter', 'Control+Enter')
    await page.locator('.summary:focus').getByText('The item is booked on one of these days').waitFor()
    await tabTo(page.locator('.summary').getByRole('button', { name: /^Starts on/ }))
    await press('Enter')
    await page.locator('[data-name=starts_on]:focus').waitFor()
    await type('06012031')
    await tabTo(page.locator('[data-name=ends_on]'))
    await type('06022031')
    await press('Control+Enter')
    await page.waitForURL(/\/bookings\/\d+$/)
    await page.getByText('Tent 1 for Ann').first().waitFor()
    const id = Number(page.url().split('/').at(-1))

    // It is changed, while somebody else changes the same.
    await press('e')
    await page.locator('form.form').waitFor()
    await tabTo(page.locator('[data-name=customer]'))
    await press('End')
    await type(' Smith')
    await change(id, { customer: 'Ann Jones' })
    await press('Control+Enter')
    await page.locator('.conflict').getByText('Theirs: Ann Jones').waitFor()
    await tabTo(page.getByRole('radio', { name: /^Yours/ }))
    await press('ArrowDown')
    await page
      .locator('.conflict')
      .getByRole('radio', { name: /^Theirs/, checked: true })
      .waitFor()
    await press('ArrowUp', 'Control+Enter')
    await page.waitForURL(/\/bookings\/\d+$/)
    await page.getByText('Tent 1 for Ann Smith').first().waitFor()

    // It is moved, and the move is taken back.
    await tabTo(page.getByRole('group', { name: /Status/ }).getByRole('button', { name: /Cancelled/ }))
    await press('Enter')
    await notices.getByText('Status: Cancelled').waitFor()
    assert.is((await read(id)).status, 'cancelled')
    await tabTo(notices.getByRole('button', { name: 'Undo' }))
    await press('Enter')
    await notices.getByText('Taken back', { exact: true }).waitFor()
    assert.is((await read(id)).status, 'requested')

    // Several rows at once, one of which is refused.
    for (const status of ['confirmed', 'out']) await change(2, { status })
    await press('Control+k')
    await type('bookings')
    await walkTo('ArrowDown', page.getByRole('option', { name: 'Bookings', exact: true }))
    await press('Enter')
    await page.waitForURL(/\/console\/bookings$/)
    await row(page, 0).waitFor()
    await tabTo(page.getByRole('grid').locator('[role=row][tabindex="0"]'))
    await walkTo('ArrowDown', page.locator('[role=row]', { has: page.getByText('Customer 2', { exact: true }) }))
    await press('Space', 'Shift+ArrowDown')
    await page.locator('.bulk').getByText('2 chosen').waitFor()
    await tabTo(page.locator('.bulk').getByRole('button', { name: 'Change' }))
    await press('Enter')
    const box = page.getByRole('dialog')
    await tabTo(box.getByRole('combobox', { name: 'Field' }))
    await type('Status')
    await tabTo(box.locator('[data-name=status]'))
    await type('Cancelled')
    await tabTo(box.getByRole('button', { name: 'Change' }))
    await press('Enter')
    const refused = page.getByRole('dialog', { name: '1 done, 1 not' })
    await refused.getByText('Customer 2').waitFor()
    await press('Escape')
    await refused.waitFor({ state: 'detached' })
    await press('Tab')
    await tabTo(notices.getByRole('button', { name: 'Undo' }))
    await press('Enter')
    await notices.getByText('1 done').waitFor()
    assert.is((await read(2)).status, 'out')
    await until(async () => (await read(3)).status === 'requested' || (await read(1)).status === 'requested')
  })
})

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
