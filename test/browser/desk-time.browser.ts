/** What the desk adds to the console: the clocks of a ticket, minutes as people say them, and tickets along time. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { seen, visited, WIDE } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { deskSuite, makeIn, type World } from './desk.ts'

const { browser, it, test } = await deskSuite('promised times in the console')

const on = (
  { app, token }: World,
  path: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = WIDE,
): Promise<void> =>
  visited(browser, `${app.address}/console${path}`, work, {
    ...options,
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  })

const GERMAN: BrowserContextOptions = { viewport: { width: 390, height: 800 }, locale: 'de-DE', colorScheme: 'dark' }

/** A ticket of a priority by its name. */
async function ticketOf(world: World, subject: string, priority: string) {
  const { body } = await world.app.call('GET', '/api/v1/settings/priorities', { token: world.token })
  const { id } = (body.data as readonly { readonly id: number; readonly name: string }[]).find(
    ({ name }) => name === priority,
  )!
  return makeIn(world, '/tickets', { subject, details: 'Now.', priority_id: id })
}

it('the clocks of a ticket run while it is looked at, and say what was kept', async (world) => {
  const { id } = await ticketOf(world, 'Urgent', 'Critical')
  await on(world, `/tickets/${id}`, async (page) => {
    const clocks = page.getByRole('region', { name: 'Promised' })
    const first = clocks.locator('div', { has: page.getByText('First response due at', { exact: true }) })
    await first.getByText(/^(29 min \d+ s|30 min) left/).waitFor()
    const before = await first.locator('dd').textContent()
    await until(async () => (await first.locator('dd').textContent()) !== before)
    await clocks.getByText(/^3 h 59 min left/).waitFor()
    await seen(page, 'clocks')
    const answer = await world.app.call('POST', `/api/v1/tickets/${id}/comments`, {
      token: world.token,
      body: { comment: 'We look at it.' },
    })
    assert.is(answer.status, 201, answer.text)
    await first.getByText(/^kept/).waitFor()
  })
  await on(
    world,
    `/tickets/${id}`,
    async (page) => {
      await page
        .getByRole('region', { name: 'Zugesagt' })
        .getByText(/^noch 3 Std\. 5\d Min\./)
        .waitFor()
      await seen(page, 'clocks-de')
    },
    GERMAN,
  )
})

it('a promise is written in hours and minutes, and what means nothing is refused with what was typed', async (world) => {
  await on(world, '/sla_targets', async (page) => {
    const high = page.getByRole('row', { name: /High/ })
    await high.getByText('16 h', { exact: true }).waitFor()
    await high.getByRole('link').first().click()
    await page.getByRole('link', { name: 'Edit' }).click()
    const field = page.getByLabel('First response minutes')
    assert.is(await field.inputValue(), '2 h')
    await field.fill('soon')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.summary').waitFor()
    assert.is(await field.inputValue(), 'soon')
    await field.fill('150')
    await page.getByText('= 2 h 30 min').waitFor()
    await seen(page, 'minutes')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 h 30 min', { exact: true }).waitFor()
  })
  const { body } = await world.app.call('GET', '/api/v1/settings/sla', { token: world.token })
  const minutes = (body.data as readonly Record<string, unknown>[]).map((one) => one.first_response_minutes)
  assert.ok(minutes.includes(150), JSON.stringify(minutes))
})

it('tickets lie along time in the groups of those who have them, and other times are a press away', async (world) => {
  await ticketOf(world, 'Along time', 'Low')
  await on(world, '/tickets?view=timeline', async (page) => {
    const group = page.getByRole('region', { name: 'Assigned to: –' })
    const entry = group.getByRole('listitem').filter({ hasText: 'Along time' })
    await entry.locator('.timeline-bar').waitFor()
    const wide = (await entry.locator('.timeline-bar').boundingBox())!.width
    await seen(page, 'timeline')
    await page.getByRole('button', { name: 'Four weeks' }).click()
    await until(async () => (await entry.locator('.timeline-bar').boundingBox())!.width < wide)
    assert.match(page.url(), /range=month/)
    await page.getByRole('button', { name: 'Earlier' }).click()
    await page.getByRole('button', { name: 'Earlier' }).click()
    await page.getByText('Nothing at this time.').waitFor()
    await page.getByRole('button', { name: 'Today' }).click()
    await makeIn(world, '/tickets', { subject: 'Just came', details: 'Now.' })
    await group.getByRole('link', { name: 'Just came' }).click()
    await page.getByRole('heading', { name: /Just came/ }).waitFor()
  })
  await on(
    world,
    '/tickets?view=timeline',
    async (page) => {
      await page.getByRole('heading', { name: 'Zeitleiste' }).waitFor()
      await page.getByRole('region', { name: 'Zugewiesen an: –' }).waitFor()
      await seen(page, 'timeline-de')
    },
    GERMAN,
  )
})

test.run()
