/** A day of a rental in the console: many rows at once, values in their place, what would follow, and what others do meanwhile. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { barriers } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { MANAGER, openRental, type Rental, row } from './world.ts'

const test = suite<Rental>('a rental in the console')
const rental = await openRental()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(() => rental?.close())

it('a form says what is wrong and what would follow when a field is left, and comes back after a reload', async ({
  app,
  on,
}) => {
  await on('/bookings?do=create', async (page) => {
    await page.getByLabel('Customer').fill('Ann')
    await page.getByLabel('Starts on').fill('2031-05-01')
    await page.getByLabel('Ends on').fill('2031-05-02')
    await page.getByRole('combobox', { name: /^Branch/ }).fill('North')
    await page.getByRole('option', { name: 'North' }).click()
    await page.getByRole('combobox', { name: /^Item/ }).fill('Tent 1')
    await page.getByRole('option', { name: 'Tent 1', exact: true }).click()
    await page.getByLabel('Quantity').fill('2')
    await page.keyboard.press('Tab')
    await page.getByText('The item is booked on one of these days').first().waitFor()
    await page.getByLabel('Starts on').fill('2031-06-01')
    await page.getByLabel('Ends on').fill('2031-06-02')
    await page.keyboard.press('Tab')
    await page.locator('.follows').getByText('25').waitFor()
    assert.match(await page.locator('.follows').innerText(), 'Tent 1 for Ann')
    assert.equal(await barriers(page), [])
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('What you typed before is back.').waitFor()
    assert.is(await page.getByLabel('Customer').inputValue(), 'Ann')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/console\/bookings\/\d+$/)
    await page.getByText('Tent 1 for Ann').first().waitFor()
    await page.goto(`${app.address}/console/bookings?do=create`)
    assert.is(await page.getByLabel('Customer').inputValue(), '')
  })
})

it('rows are chosen by keys, changed at once, refused by name, and taken back', async ({ change, on, read }) => {
  await change(3, { status: 'confirmed' })
  await on('/bookings?sort=id', async (page) => {
    await row(page, 1).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.locator('.bulk').getByText('2 chosen').waitFor()
    assert.equal(await barriers(page), [])
    await page.locator('.bulk').getByRole('button', { name: 'Change' }).click()
    const box = page.getByRole('dialog')
    await box.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Status' })
    await box.locator('[data-name=status]').selectOption('confirmed')
    await box.getByText('2 records would be reached.').waitFor()
    assert.equal(await barriers(page), [])
    await box.getByRole('button', { name: 'Change' }).click()
    await page.locator('.notices').getByText('2 done').waitFor()
    assert.equal([(await read(2)).status, (await read(3)).status], ['confirmed', 'confirmed'])
    await page.locator('.notices').getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await read(2)).status === 'requested' || (await page.getByText('1 not').count()) > 0)
  })
})

it('all that match are changed by the query of the list, and those that are refused are named', async ({
  change,
  on,
  read,
}) => {
  await on('/bookings?customer[in]=Customer+4,Customer+5&sort=id', async (page) => {
    await row(page, 0).waitFor()
    await change(5, { status: 'cancelled' })
    await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
    await page.locator('.bulk').getByRole('button', { name: 'Change' }).click()
    const box = page.getByRole('dialog')
    await box.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Status' })
    await box.locator('[data-name=status]').selectOption('confirmed')
    await box.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog', { name: '1 done, 1 not' }).getByText('Customer 5').waitFor()
    assert.equal([(await read(4)).status, (await read(5)).status], ['confirmed', 'cancelled'])
  })
})

it('a value is changed in its place, and what somebody else changed meanwhile is shown first', async ({
  change,
  on,
  read,
}) => {
  await on('/bookings?sort=id&columns=id,customer,status', async (page) => {
    await row(page, 5).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.locator('[data-at="5"] [data-cell="1"]:focus').waitFor()
    await page.keyboard.press('F2')
    const editor = page.getByRole('dialog', { name: 'Customer' })
    await editor.getByRole('textbox').fill('Somebody')
    await page.keyboard.press('Enter')
    await editor.waitFor({ state: 'detached' })
    await row(page, 5).getByText('Somebody').waitFor()
    await page.locator('[data-at="5"] [data-cell="1"]:focus').waitFor()
    await page.keyboard.press('F2')
    await editor.getByRole('textbox').fill('Me')
    await change(6, { customer: 'Them' })
    await page.keyboard.press('Enter')
    await editor.getByText('Somebody else changed it to: Them').waitFor()
    assert.equal(await barriers(page), [])
    await page.keyboard.press('Enter')
    await editor.waitFor({ state: 'detached' })
    assert.is((await read(6)).customer, 'Me')
    await page.keyboard.press('F2')
    await editor.getByRole('textbox').fill('Taken back')
    await page.keyboard.press('Escape')
    await editor.waitFor({ state: 'detached' })
    assert.is((await read(6)).customer, 'Me')
  })
})

it('rows change while they are looked at, and newcomers wait while a row has the focus', async ({
  change,
  make,
  on,
}) => {
  await on('/bookings?customer[starts_with]=Live&sort=-id&columns=customer,status', async (page) => {
    await page.getByText('No record matches').waitFor()
    const first = await make('/bookings', {
      ...{ customer: 'Live 1', starts_on: '2032-01-01', ends_on: '2032-01-02', item_id: 20, branch_id: 1 },
    })
    await row(page, 0).getByText('Live 1').waitFor()
    await change(first, { status: 'confirmed' })
    await row(page, 0).getByText('Confirmed').waitFor()
    await row(page, 0).focus()
    await make('/bookings', {
      ...{ customer: 'Live 2', starts_on: '2032-02-01', ends_on: '2032-02-02', item_id: 20, branch_id: 1 },
    })
    const fresh = page.getByRole('button', { name: 'Show 1 new' })
    await fresh.waitFor()
    assert.match(await row(page, 0).innerText(), 'Live 1')
    await fresh.click()
    await row(page, 0).getByText('Live 2').waitFor()
  })
})

it('people walk from record to record, are told what others do to it, and look at pages', async ({
  app,
  change,
  on,
}) => {
  await on('/bookings?sort=id', async (page) => {
    await row(page, 7).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/bookings\/8$/)
    await page.getByText('Tent 8 for Customer 8').first().waitFor()
    await page.keyboard.press('j')
    await page.waitForURL(/\/bookings\/9$/)
    await page.keyboard.press('k')
    await page.waitForURL(/\/bookings\/8$/)
    await page.getByText('Tent 8 for Customer 8').first().waitFor()
    await change(8, { customer: 'Renamed' })
    await page.getByText('Somebody changed this record just now.').waitFor()
    await page.getByText('Tent 8 for Renamed').first().waitFor()
    await page.goto(`${app.address}/console/items?sort=id`)
    await page.getByRole('button', { name: 'Pages' }).click()
    await page.waitForURL(/pages=yes/)
    await page.getByText('Page 1 of 1').waitFor()
  })
})

it('columns get another order and width by buttons, and the address keeps them', async ({ on }) => {
  await on('/bookings?columns=customer,status', async (page) => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Arrange columns' }).click()
    const box = page.getByRole('dialog', { name: 'Arrange columns' })
    await box.getByRole('button', { name: 'Status one place forward' }).click()
    await box.getByRole('combobox', { name: 'Width of Status' }).selectOption('Wide')
    await page.waitForURL(/columns=status%402%2Ccustomer/)
    assert.equal(await barriers(page), [])
    await box.getByRole('button', { name: 'Close' }).click()
    assert.equal(
      (await page.getByRole('columnheader').allInnerTexts()).filter((text) => text !== ''),
      ['Status', 'Customer'],
    )
  })
})

it('a file is tried before its rows become records, and each row that is refused says why', async ({ app, on }) => {
  const lines = [
    'Customer,Item,Branch,From,To',
    'Imported,Tent 30,North,2033-01-01,2033-01-02',
    'Late,Tent 31,North,soon,2033-01-02',
  ]
  await on('/bookings', async (page) => {
    await page.getByRole('link', { name: 'Import' }).click()
    const buffer = Buffer.from(lines.join('\n'))
    await page.getByLabel('File').setInputFiles({ name: 'bookings.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Try the file' }).click()
    await page.getByText('1 rows would be imported, 0 are there already, 1 would be refused.').waitFor()
    assert.match(await page.locator('.refused').innerText(), /^Row 3: /)
    assert.equal(await barriers(page), [])
    const count = async (): Promise<number> =>
      (await app.call('GET', '/rental/bookings?customer=Imported', { token: MANAGER })).list.length
    assert.is(await count(), 0)
    await page.getByRole('button', { name: 'Import 1 rows' }).click()
    await page.getByText('1 rows are imported, 0 were there already, 1 were refused.').waitFor()
    assert.is(await count(), 1)
  })
})

it('bad days: a record that goes, a server that is out, and a right that is gone lose nothing that was typed', async ({
  app,
  on,
  read,
}) => {
  await on('/bookings/10?do=edit', async (page) => {
    await page.getByLabel('Customer').fill('Typed')
    const out = (url: URL) => url.pathname === '/rental/bookings/10'
    await page.route(out, (route) => route.abort())
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.summary').getByText('The server does not answer. Nothing is lost').waitFor()
    await page.unroute(out)
    assert.is((await app.call('DELETE', '/rental/bookings/10', { token: MANAGER })).status, 204)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.summary').getByText('What you typed is still here.').waitFor()
    assert.is(await page.getByLabel('Customer').inputValue(), 'Typed')
    await app.call('POST', '/rental/bookings/10/restore', { token: MANAGER })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/bookings\/10$/)
  })
  assert.is((await read(10)).customer, 'Typed')
})

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
