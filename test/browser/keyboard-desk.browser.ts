/** An agent's morning without a pointer: sign in, the queue, a filter, a ticket, a macro, a solution, the next one, a view, and a search. */
import * as assert from 'uvu/assert'
import { openPage, WIDE } from '../support/browser.ts'
import { deskSuite, makeIn } from './desk.ts'
import { keyboardOf } from './keyboard.ts'

const { browser, it, test } = await deskSuite("an agent's morning by keyboard")

const AGENT = { email: 'agent@desk.example', password: 'another long secret 7' }

it('everything is done by keys, and the focus is always seen', async (world) => {
  const { app, token } = world
  const { list: roles } = await app.call('GET', '/api/v1/settings/roles', { token })
  const role = roles.find(({ name }) => name === 'Agent')
  await makeIn(world, '/users', {
    ...AGENT,
    password_confirmation: AGENT.password,
    first_name: 'Ann',
    last_name: 'Agent',
    role_id: Number(role?.id),
    email_verified: true,
  })
  await makeIn(world, '/macros', {
    name: 'Ask for the serial number',
    resource: 'tickets',
    is_shared: true,
    set: { priority_id: 1 },
    create: { comments: { comment: 'Please send the serial number.' } },
  })
  const tickets: number[] = []
  for (const subject of ['Scanner is slow', 'Scanner is loud', 'Scanner is hot'])
    tickets.push((await makeIn(world, '/tickets', { subject, details: 'Since Monday.', priority_id: 3 })).id)
  const { close, page, problems } = await openPage(browser, WIDE)
  const { press, tabTo, type, walkTo } = keyboardOf(page)

  await page.goto(`${app.address}/console`)
  await page.getByLabel('E-mail').waitFor()
  await tabTo(page.getByLabel('E-mail'))
  await type(AGENT.email)
  await tabTo(page.getByLabel('Password'))
  await type(AGENT.password)
  await press('Enter')
  await page.getByRole('heading', { name: 'Queue' }).waitFor()
  await page.locator('[data-at="0"]').waitFor()

  // The queue is narrowed by a filter.
  await press('f')
  await walkTo('ArrowDown', page.getByRole('menuitem', { name: 'Priority', exact: true }))
  await press('Enter')
  const filter = page.getByRole('dialog')
  await tabTo(filter.getByRole('combobox').last())
  await press('ArrowDown')
  const { body } = await app.call('GET', '/api/v1/settings/priorities/3', { token })
  await walkTo('ArrowDown', page.getByRole('option', { name: String(body.data.name), exact: true }))
  await press('Enter')
  await tabTo(filter.getByRole('button', { name: 'Apply' }))
  await press('Enter')
  await filter.waitFor({ state: 'detached' })
  await page.getByText('3 of 3').waitFor()

  // A ticket is opened, and answered by a macro.
  await tabTo(page.locator('[role=row][tabindex="0"]'))
  await press('Home', 'Enter')
  await page.waitForURL(/\/tickets\/\d+$/)
  const heading = page.getByRole('heading', { level: 1, name: /Scanner/ })
  const opened = await heading.innerText()
  await tabTo(page.getByRole('button', { name: /^Macros/ }))
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Ask for the serial number' }).waitFor()
  await walkTo('ArrowDown', page.getByRole('menuitem', { name: 'Ask for the serial number' }))
  await press('Enter')
  await page.locator('.thread li').getByText('Please send the serial number.').waitFor()

  // Another answer solves it, and the next one follows.
  await press('s')
  const box = page.getByRole('dialog', { name: 'Answer and solve' })
  await tabTo(box.getByRole('textbox', { name: /Comment/ }))
  await type('The lid was open.')
  await tabTo(box.getByRole('button', { name: 'Answer and solve' }))
  await press('Enter')
  await box.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Work' }).getByRole('link', { name: 'Resolved' }).waitFor()
  await press('j')
  await page
    .getByRole('heading', { level: 1, name: /Scanner/ })
    .filter({ hasNotText: opened })
    .waitFor()
  await press('a')
  await page.getByRole('region', { name: 'Work' }).getByRole('link', { name: 'Ann Agent' }).waitFor()

  // A list is kept as a view.
  await press('Control+k')
  await type('my tickets')
  await walkTo('ArrowDown', page.getByRole('option', { name: 'Tickets: My tickets' }))
  await press('Enter')
  await page.getByText('1 of 1').waitFor()
  await tabTo(page.getByRole('button', { name: 'View', exact: true }))
  await press('Enter')
  await walkTo('ArrowDown', page.getByRole('menuitem', { name: 'Save as a view' }))
  await press('Enter')
  const naming = page.getByRole('dialog', { name: 'Save as a view' })
  await tabTo(naming.getByRole('textbox', { name: 'Name' }))
  await type('This morning')
  await press('Enter')
  await page.getByRole('heading', { level: 1, name: 'This morning' }).waitFor()

  // A ticket is found by its words.
  await press('Control+k')
  await type('scanner hot')
  const hit = page.getByRole('option', { name: /Scanner is hot/ })
  await hit.waitFor()
  await walkTo('ArrowDown', hit)
  await press('Enter')
  await page.getByRole('heading', { level: 1, name: /Scanner is hot/ }).waitFor()
  await press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // Out again.
  await tabTo(page.getByRole('button', { name: 'Sign out' }), 'back')
  await press('Enter')
  await page.getByLabel('Password').waitFor()
  assert.equal(problems, [])
  await close()
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
