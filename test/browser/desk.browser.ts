/** The console over the support desk: signing in, what each role sees, moves, and a session that ends in a form. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { TestApplication } from '../support/application.ts'
import { barriers, openPage } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { ACCOUNT, deskSuite, signedInTo, signIn } from './desk.ts'

const { browser, it, test } = await deskSuite('the desk in the console')

const signedIn = (app: TestApplication, path: string, work: (page: Page) => Promise<void>): Promise<void> =>
  signedInTo(browser, app, path, work)

it('a wrong password says so, and the right one shows what the account may see', async ({ app }) => {
  const { close, page, problems } = await openPage(browser, {})
  await page.goto(`${app.address}/console`)
  await page.getByLabel('E-mail').fill(ACCOUNT.email)
  await page.getByLabel('Password').fill('wrong')
  assert.equal(await barriers(page), [])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: /./ }).waitFor()
  await signIn(page)
  await page.getByRole('heading', { name: 'Queue' }).waitFor()
  for (const name of ['Tickets', 'Users', 'Statuses', 'Board', 'Figures'])
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password').waitFor()
  assert.equal(problems, [])
  await close()
})

it('a session lasts over a reload and a new tab, without a token that a script could read, and ends in both', async ({
  app,
}) => {
  await signedIn(app, '/tickets', async (page) => {
    await page.getByRole('grid').waitFor()
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.getByTitle(/^Signed in as First Admin/).waitFor()
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    assert.is(kept, '[{"plinth.cookie":"1"},{},""]')
    const other = await page.context().newPage()
    await other.goto(`${app.address}/console/statuses`)
    await other.getByRole('grid').waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByLabel('Password').waitFor()
    await other.close()
    await page.reload()
    await page.getByLabel('Password').waitFor()
  })
})

it('a move is a button, and the record shows what came of it', async ({ app }) => {
  await signedIn(app, '/tickets/1', async (page) => {
    await page.getByRole('heading', { name: /Printer on fire/ }).waitFor()
    const moves = page.getByRole('group', { name: /Status/ })
    await moves.getByRole('button', { name: /Resolved/ }).click()
    await page.getByRole('region', { name: 'Work' }).getByRole('link', { name: 'Resolved' }).waitFor()
    assert.equal(await barriers(page), [])
  })
})

it('an agent takes a ticket, answers and solves it by one press, and finds it on the board', async ({ app }) => {
  await signedIn(app, '/tickets/2', async (page) => {
    await page.getByRole('button', { name: /Take it/ }).click()
    await page.getByRole('region', { name: 'Work' }).getByRole('link', { name: 'First Admin' }).waitFor()
    await page.keyboard.press('s')
    const box = page.getByRole('dialog', { name: 'Answer and solve' })
    await box.getByRole('textbox', { name: /Comment/ }).fill('The switch was off.')
    await box.getByRole('button', { name: 'Answer and solve' }).click()
    await box.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Conversation' }).getByText('The switch was off.').waitFor()
    await page.getByRole('region', { name: 'Work' }).getByRole('link', { name: 'Resolved' }).waitFor()
    assert.equal(await barriers(page), [])
    await page.goto(`${app.address}/console/tickets?view=board`)
    await page.getByRole('grid', { name: 'Resolved' }).getByText('No network').waitFor()
  })
})

it('a macro is applied from the menu of a ticket, and a button takes the chosen rows', async ({ app, token }) => {
  const call = async (path: string, body: JsonObject) => {
    const answer = await app.call('POST', `/api/v1${path}`, { token, body })
    assert.is(answer.status, 201, answer.text)
    return answer.body.data as { readonly id: number }
  }
  await call('/macros', { name: 'Hurry', resource: 'tickets', set: { priority_id: 1 } })
  const { id } = await call('/tickets', { subject: 'Slow mail', details: 'For hours.', priority_id: 3 })
  await signedIn(app, `/tickets/${id}`, async (page) => {
    await page.getByRole('button', { name: /^Macros/ }).click()
    await page.getByRole('menuitem', { name: 'Hurry' }).click()
    await page.getByText('Hurry: done').waitFor()
    await page.goto(`${app.address}/console/tickets?view=unassigned`)
    const row = page.locator('[role=row]').filter({ hasText: 'Slow mail' })
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Take it' }).click()
    await row.waitFor({ state: 'detached' })
    const record = await app.call('GET', `/api/v1/tickets/${id}`, { token })
    const { assigned_to, priority } = record.body.data as JsonObject
    assert.ok(assigned_to !== null)
    assert.is((priority as JsonObject).id, 1)
  })
})

it('a session that ends in the middle of a form keeps what was typed', async ({ app }) => {
  await signedIn(app, '/tickets/2?do=edit', async (page) => {
    await page.getByLabel('Subject').fill('No network at all')
    const token = await app.call('POST', '/api/v1/auth/login', { body: ACCOUNT })
    const sessions = await app.call('GET', '/api/v1/auth/sessions?per_page=50', { token: token.body.data.token })
    for (const { current, id } of sessions.list)
      if (!current) await app.call('DELETE', `/api/v1/auth/sessions/${id}`, { token: token.body.data.token })
    await page.getByRole('button', { name: 'Save' }).click()
    const box = page.getByRole('dialog', { name: 'Sign in again' })
    await box.waitFor()
    assert.equal(await barriers(page), [])
    await signIn(page)
    await box.waitFor({ state: 'detached' })
    assert.is(await page.getByLabel('Subject').inputValue(), 'No network at all')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/tickets\/2$/)
    await page.getByRole('heading', { name: /No network at all/ }).waitFor()
  })
})

it('what is typed below a record is there after a reload and after signing in again, and goes by signing out', async ({
  app,
}) => {
  const { token } = (await app.call('POST', '/api/v1/auth/login', { body: ACCOUNT })).body.data
  const { body } = await app.call('POST', '/api/v1/tickets', { token, body: { subject: 'Half', details: 'Written.' } })
  await signedIn(app, `/tickets/${body.data.id}`, async (page) => {
    const write = page.getByRole('region', { name: 'Conversation' }).getByRole('textbox', { name: /Comment/ })
    await write.fill('Half an answer')
    await page.getByRole('button', { name: /Answer and solve/ }).click()
    const box = page.getByRole('dialog', { name: 'Answer and solve' })
    await box.getByRole('textbox', { name: /Comment/ }).fill('Half a solution')
    await page.keyboard.press('Escape')
    await page.reload()
    await write.waitFor()
    assert.is(await write.inputValue(), 'Half an answer')
    await write.press('End')
    await page.keyboard.type(', and more')
    await page.context().clearCookies()
    // Another request may be refused first, and the dialog is over the button then.
    await page.getByRole('button', { name: 'Send' }).first().dispatchEvent('click')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await page.reload()
    await signIn(page)
    await write.waitFor()
    assert.is(await write.inputValue(), 'Half an answer, and more')
    await page.keyboard.press('s')
    assert.is(await box.getByRole('textbox', { name: /Comment/ }).inputValue(), 'Half a solution')
    await page.keyboard.press('Escape')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Send' }).first().click()
    await page.getByText('The server does not answer. Nothing is lost').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Send' }).first().click()
    await page.locator('.thread li').getByText('Half an answer, and more').waitFor()
    assert.is(await write.inputValue(), '')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    assert.equal(await page.evaluate('Object.keys(localStorage)'), [])
  })
})

it('a list is kept as a view, opened from the menu, changed, shared and removed', async ({ app }) => {
  await signedIn(app, '/tickets?search=network&sort=-id', async (page) => {
    await page.getByRole('grid').waitFor()
    const menu = page.getByRole('list', { name: 'Saved views' })
    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'View', exact: true }).press('Enter')
      await page.getByRole('menuitem', { name }).press('Enter')
    }
    await act('Save as a view')
    const box = page.getByRole('dialog', { name: 'Save as a view' })
    await box.getByRole('textbox', { name: 'Name' }).fill('Networks')
    await box.getByRole('combobox', { name: 'Who has it' }).selectOption({ label: 'Everybody with my role' })
    assert.equal(await barriers(page), [])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Networks', level: 1 }).waitFor()
    await page.goto(`${app.address}/console`)
    await menu.getByRole('link', { name: 'Networks' }).click()
    await page.waitForURL(/search=network&sort=-id&saved=\d+/)
    await page.getByText('1 of 1').waitFor()
    await page.goto(`${page.url()}&priority_id=1`)
    await page.getByRole('grid').or(page.locator('.empty')).waitFor()
    await act('Keep in “Networks”')
    await page.locator('.notices').getByText('Saved').waitFor()
    await menu.getByRole('link', { name: 'Networks' }).click()
    await page.getByRole('button', { name: /^Priority is/ }).waitFor()
    await act('Rename or share')
    await page.getByRole('textbox', { name: 'Name' }).fill('Cables')
    await page.keyboard.press('Enter')
    await menu.getByRole('link', { name: 'Cables' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cabl')
    await page.getByRole('option', { name: 'Tickets: Cables' }).waitFor()
    // The first one empties the line.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await barriers(page), [])
    await act('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await menu.waitFor({ state: 'detached' })
  })
})

it('six tabs share one connection, and each sees what others change, also when the first one goes', async ({ app }) => {
  await signedIn(app, '/tickets?sort=-id', async (page) => {
    await page.getByRole('grid').waitFor()
    const streams: string[] = []
    page.context().on('request', (request) => request.url().includes('/stream?') && streams.push(request.url()))
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => page.context().newPage()))
    for (const other of others) {
      await other.goto(`${app.address}/console/tickets?sort=-id`)
      await other.getByRole('grid').waitFor()
    }
    const { token } = (await app.call('POST', '/api/v1/auth/login', { body: ACCOUNT })).body.data
    const make = async (subject: string): Promise<void> => {
      const body = { subject, details: 'Since Monday.' }
      assert.is((await app.call('POST', '/api/v1/tickets', { token, body })).status, 201)
    }
    await make('Seen by all')
    for (const one of [page, ...others]) await one.getByText('Seen by all').waitFor()
    assert.equal(streams, [], 'the first tab has the connection, and the others open none')
    await page.goto('about:blank')
    await until(() => streams.length > 0)
    await make('Seen by those that are left')
    for (const one of others) await one.getByText('Seen by those that are left').waitFor()
    assert.is(streams.length, 1)
    for (const other of others) await other.close()
  })
})

it('a role gets its permissions by choosing, and a list is counted by groups', async ({ app }) => {
  await signedIn(app, '/roles', async (page) => {
    await page.getByRole('link', { name: 'Agent', exact: true }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    const choices = page.getByRole('group', { name: 'Permissions' })
    await choices.getByRole('checkbox', { name: 'jobs.view' }).check()
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('dl.parts').getByText('jobs.view').waitFor()
    await page.goto(`${app.address}/console/tickets?group=status_id`)
    await page.getByRole('list', { name: 'By Status' }).getByRole('button').first().waitFor()
    assert.equal(await barriers(page), [])
    await page.goto(`${app.address}/console/background_jobs`)
    await page.locator('[role=grid], .empty').first().waitFor()
    assert.equal(await barriers(page), [])
  })
})

it('names are written as people write them, and what a row says fits into it', async ({ app }) => {
  await signedIn(app, '/tickets?columns=subject,uid,sla_state,status,updated_at', async (page) => {
    const headings = page.getByRole('columnheader')
    await headings.filter({ hasText: 'SLA state' }).waitFor()
    assert.equal(await headings.allInnerTexts(), ['', 'Subject', 'UID', 'SLA state', 'Status', 'Updated at'])
    const cut = await page
      .locator('[data-at="0"] .cell')
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      )
    assert.equal(cut, [])
  })
})

it('the diagram of the desk is read without scrolling sideways: what most others lead to has no lines, and is named in boxes', async ({
  app,
}) => {
  await signedIn(app, '/schema', async (page) => {
    const room = page.locator('.schema-diagram')
    await room.waitFor()
    const view = (await room.boundingBox())!
    const boxes = await page.locator('[data-box] rect').all()
    assert.ok(boxes.length > 40, `${boxes.length} boxes`)
    for (const box of boxes) {
      const { height, width, x } = (await box.boundingBox())!
      assert.ok(height >= 24 && x >= view.x && x + width <= view.x + view.width, `${x} ${width} ${height}`)
    }
    const letters = (await page.locator('[data-box="tickets"] text').first().boundingBox())!
    assert.ok(letters.height >= 11, `${letters.height} px`)
    await page.locator('[data-box="macros"]', { hasText: '→ Users' }).waitFor()
    await page.locator('[data-box="tickets"]').hover()
    await room.locator('.line.near').first().waitFor({ state: 'attached' })
  })
})

it('every list, every form and the diagram of the desk open, and axe finds nothing', async ({ app }) => {
  await signedIn(app, '', async (page) => {
    const links = page.getByRole('navigation', { name: 'Menu' }).getByRole('link')
    const shown = page.locator('[role=grid], .empty, .calendar, .figures, .timeline, .schema-diagram').first()
    await links.nth(1).waitFor()
    const count = await links.count()
    assert.ok(count > 15)
    for (let at = 0; at < count; at += 1) {
      await links.nth(at).click()
      await shown.waitFor()
      assert.equal(await barriers(page), [], page.url())
      const create = page.getByRole('link', { name: /^New: / })
      if ((await create.count()) === 0) continue
      await create.click()
      await page.locator('form').waitFor()
      assert.equal(await barriers(page), [], page.url())
      await page.goBack()
      await shown.waitFor()
    }
  })
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
