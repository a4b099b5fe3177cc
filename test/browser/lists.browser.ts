/** What people do with the records that a list finds: conditions that they build, and all that match at once. */
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { barriers } from '../support/browser.ts'
import { MANAGER, openRental, type Rental, row } from './world.ts'

const test = suite<Rental>('lists in the console')
const rental = await openRental()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(() => rental?.close())

/** The first words of the rows that are there. */
async function firstCells(page: Page): Promise<readonly string[]> {
  return page.locator('[role=row][data-at] [data-cell="0"]').allInnerTexts()
}

/** Chooses all records that match, with a preview of their number. */
async function chooseAll(page: Page, count: number): Promise<void> {
  await row(page, 0).waitFor()
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page.getByRole('button', { name: `Choose all ${count} that match` }).click()
}

it('a condition of several parts is built by the keyboard, kept by the address, read as a sentence, and changed', async ({
  on,
}) => {
  await on('/bookings?columns=customer,status&sort=id', async (page) => {
    await row(page, 0).waitFor()
    await page.keyboard.press('f')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    const box = page.getByRole('dialog', { name: 'Several conditions' })
    await box.waitFor()
    assert.not(await page.evaluate<boolean>('document.activeElement === document.body'))
    await box.getByRole('combobox', { name: 'Field' }).first().selectOption({ label: 'Customer' })
    await box.getByRole('textbox', { name: 'Value' }).fill('Customer 2')
    await box.getByRole('button', { name: '+ Group' }).press('Enter')
    const group = box.locator('fieldset fieldset')
    await group.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Customer' })
    await group.getByRole('combobox', { name: 'Comparison' }).selectOption({ label: 'begins with' })
    await group.getByRole('textbox', { name: 'Value' }).fill('Customer 1')
    await group.getByRole('button', { name: '+ Comparison' }).press('Enter')
    await group.getByRole('combobox', { name: 'Field' }).last().selectOption({ label: 'Customer' })
    await group.getByRole('combobox', { name: 'Comparison' }).last().selectOption({ label: 'ends with' })
    await group.getByRole('textbox', { name: 'Value' }).last().fill('2')
    assert.equal(await barriers(page), [])
    await page.keyboard.press('Enter')
    const token = page.getByRole('button', {
      name: 'Customer is Customer 2 or (Customer begins with Customer 1 and Customer ends with 2)',
      exact: true,
    })
    await token.waitFor()
    await page.getByText('2 of 2').waitFor()
    assert.equal(await firstCells(page), ['Customer 2', 'Customer 12'])
    await page.reload()
    await page.getByText('2 of 2').waitFor()
    await token.press('Enter')
    await box.getByRole('combobox', { name: 'How these are joined' }).first().selectOption('None of these')
    await box.getByRole('button', { name: 'Apply' }).press('Enter')
    await page.getByText('10 of 10').waitFor()
    await page.goBack()
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('button', { name: /^Remove the filter Customer is/ }).press('Enter')
    await page.getByText('12 of 12').waitFor()
  })
})

it('a condition that cannot be built is shown and changed as it is written', async ({ on }) => {
  const where = JSON.stringify({ not: { not: { not: { customer: 'Customer 3' } } } })
  await on(`/bookings?sort=id&${new URLSearchParams({ where })}`, async (page) => {
    await page.getByText('11 of 11').waitFor()
    await page.getByRole('button', { name: where, exact: true }).click()
    const box = page.getByRole('dialog', { name: 'Several conditions' })
    await box.getByRole('textbox', { name: 'JSON' }).fill('{"customer":"Customer 3"}')
    await box.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('1 of 1').waitFor()
    await page.getByRole('button', { name: 'Customer is Customer 3', exact: true }).waitFor()
  })
})

it('a condition by what is no filter is said in words of the server, and the screen lives on', async ({ on }) => {
  const gone = JSON.stringify({ nothing: 'is so', any: [{ status: 'open' }, { nothing: { deep: {} } }] })
  for (const where of [gone, JSON.stringify({ nothing: 1 }), 'no JSON', '["a list"]', '7'])
    await on(`/bookings?sort=id&${new URLSearchParams({ where })}`, async (page) => {
      await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
      assert.equal(await barriers(page), [], where)
      await page.getByRole('button', { name: where, exact: true }).click()
      const box = page.getByRole('dialog', { name: 'Several conditions' })
      await box.getByRole('textbox', { name: 'JSON' }).fill('{"customer":"Customer 3"}')
      await box.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('1 of 1').waitFor()
      assert.is(await page.getByRole('alert').filter({ hasText: /\S/ }).count(), 0)
    })
})

it('more records than one request takes are changed by the query, and one that came since the preview stops it', async ({
  app,
  make,
  on,
}) => {
  const create = Array.from({ length: 600 }, (_, at) => ({ name: `Lamp ${at}`, daily: '1.00', branch_id: 1 }))
  for (const part of [create.slice(0, 300), create.slice(300)])
    assert.is((await app.call('POST', '/rental/items/batch', { token: MANAGER, body: { create: part } })).status, 200)
  const priced = async (daily: string): Promise<number> => {
    const query = new URLSearchParams({ where: JSON.stringify({ daily }) })
    const { body } = await app.call('GET', `/rental/items?${query}`, { token: MANAGER })
    return Number((body.meta as { pagination: { total: number } }).pagination.total)
  }
  const where = JSON.stringify({ daily: '1.00' })
  await on(`/items?${new URLSearchParams({ where })}`, async (page) => {
    await chooseAll(page, 600)
    await page.locator('.bulk').getByRole('button', { name: 'Change' }).click()
    const box = page.getByRole('dialog')
    await box.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Price of a day' })
    await box.locator('[data-name=daily]').fill('2.00')
    await box.getByRole('button', { name: 'Preview' }).click()
    await box.getByText('600 records would be reached.').waitFor()
    await make('/items', { name: 'One more', daily: '1.00', branch_id: 1 })
    await box.getByRole('button', { name: 'Change' }).click()
    await box.getByText('Another number of records matches by now. Nothing is changed').waitFor()
    assert.is(await priced('1.00'), 601)
    await box.getByRole('button', { name: 'Preview' }).click()
    await box.getByText('601 records would be reached.').waitFor()
    await box.getByRole('button', { name: 'Change' }).click()
    await page.locator('.notices').getByText('601 done').waitFor()
    assert.is(await priced('2.00'), 601)
    await page.locator('.notices').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.notices').getByText('601 done').waitFor()
    assert.is(await priced('1.00'), 601)
  })
})

it('without a filter all are meant, and those that are refused are named and stay chosen', async ({ app, on }) => {
  await on('/items', async (page) => {
    await chooseAll(page, 641)
    await page.locator('.bulk').getByRole('button', { name: 'Change' }).click()
    const box = page.getByRole('dialog')
    await box.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Is default' })
    await box.getByRole('button', { name: 'Preview' }).click()
    await box.getByText('641 records would be reached.').waitFor()
    await box.getByRole('button', { name: 'Change' }).click()
    const refused = page.getByRole('dialog', { name: '640 done, 1 not' })
    await refused.getByText('Tent 1: Make another item the default first').waitFor()
    assert.equal(await barriers(page), [])
    await refused.getByRole('button', { name: 'Close' }).click()
    await page.locator('.bulk').getByText('1 chosen').waitFor()
  })
  assert.is((await app.call('GET', '/rental/items/1', { token: MANAGER })).body.data.is_default, true)
})

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
