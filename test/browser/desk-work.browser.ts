/** What an agent does with a ticket: texts that are kept, files, and tickets that become one or two. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { barriers } from '../support/browser.ts'
import { deskSuite, makeIn, signedInTo, type World } from './desk.ts'

const { browser, it, test } = await deskSuite('work on tickets in the console')

const on = (world: World, path: string, work: (page: Page) => Promise<void>): Promise<void> =>
  signedInTo(browser, world.app, path, work)

const ticket = (world: World, subject: string) => makeIn(world, '/tickets', { subject, details: 'Since Monday.' })

async function read({ app, token }: World, path: string) {
  const answer = await app.call('GET', `/api/v1${path}`, { token })
  assert.is(answer.status, 200, answer.text)
  return answer.body.data
}

/** A picture of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** Gives a part of the screen a picture, as dropping it or pasting it does. */
function give(page: Page, selector: string, event: 'drop' | 'paste', name: string): Promise<void> {
  return page.locator(selector).evaluate(
    (node, [type, text, file]) => {
      const view = node.ownerDocument.defaultView!
      const bytes = Uint8Array.from(view.atob(text!), (character) => String(character).charCodeAt(0))
      const data = new view.DataTransfer()
      data.items.add(new view.File([bytes], file!, { type: 'image/png' }))
      const more = { bubbles: true, cancelable: true }
      node.dispatchEvent(
        type === 'drop'
          ? new view.DragEvent('drop', { ...more, dataTransfer: data })
          : new view.ClipboardEvent('paste', { ...more, clipboardData: data }),
      )
    },
    [event, PICTURE, name],
  )
}

it('a text that is kept is found by a slash and put in where the cursor is', async (world) => {
  await makeIn(world, '/replies', { title: 'How to restart', text: 'Hold the button for ten seconds.' })
  const { id } = await ticket(world, 'It does not start')
  await on(world, `/tickets/${id}`, async (page) => {
    const write = page.getByRole('region', { name: 'Conversation' }).getByRole('textbox', { name: /Comment/ })
    await write.fill('and/or ')
    await write.press('End')
    await page.keyboard.type('/')
    const box = page.getByRole('dialog', { name: 'Put in a text' })
    await box.waitFor()
    assert.equal(await barriers(page), [])
    await box.getByRole('combobox').fill('restart')
    await page.getByRole('option', { name: 'How to restart' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await box.waitFor({ state: 'detached' })
    assert.is(await write.inputValue(), 'and/or Hold the button for ten seconds.')
    await page
      .getByRole('button', { name: /^Put in a text/ })
      .first()
      .click()
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await write.press('End')
    await page.keyboard.type(' /')
    await box.waitFor()
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    assert.is(await write.inputValue(), 'and/or Hold the button for ten seconds. /')
  })
})

it('files are dropped, pasted and chosen, shown before they are sent, and saved again', async (world) => {
  const { id } = await ticket(world, 'Look at this')
  await on(world, `/tickets/${id}`, async (page) => {
    const composer = page.locator('form.composer').first()
    await composer.waitFor()
    await give(page, 'form.composer', 'drop', 'dropped.png')
    await give(page, 'form.composer', 'paste', 'pasted.png')
    await composer.locator('canvas:visible').nth(1).waitFor()
    await composer.getByRole('button', { name: 'Leave out pasted.png' }).click()
    await composer
      .getByLabel('Attach files')
      .setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('a log') })
    assert.equal(await barriers(page), [])
    await composer.getByRole('textbox', { name: /Comment/ }).fill('Two files.')
    await composer.getByRole('button', { name: 'Send' }).click()
    await page.locator('.thread li').getByText('Two files.').waitFor()
    assert.is(await composer.locator('.token').count(), 0)
    await page.getByRole('link', { name: 'dropped.png' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download a file' }).click()
    assert.is((await saved).suggestedFilename(), 'dropped.png')
  })
  const { attachments } = await read(world, `/tickets/${id}`)
  assert.equal(
    (attachments as { name: string }[]).map(({ name }) => name),
    ['dropped.png', 'log.txt'],
  )
})

it('a form takes files along, and says which one was refused', async (world) => {
  await on(world, '/tickets?do=create', async (page) => {
    await page.getByLabel('Subject').fill('With a picture')
    await page.getByLabel('Details').fill('Below.')
    await give(page, 'form.form', 'drop', 'screen.png')
    await page.getByLabel('Attach files').setInputFiles({ name: 'tool.exe', mimeType: '', buffer: Buffer.from('MZ') })
    await page.locator('.files canvas:visible').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/tickets\/\d+$/)
    await page
      .locator('.notices')
      .getByText(/^Saved\. \S/)
      .waitFor()
    await page.getByRole('link', { name: 'screen.png' }).waitFor()
  })
})

it('an answer that was written before its button failed is not written again, and covers nothing that nobody saw', async (world) => {
  const { app, token } = world
  const made = await app.call('POST', '/api/v1/tickets', { token, body: { subject: 'Lost keys', details: 'Both.' } })
  const path = `/api/v1/tickets/${made.at('data.id')}`
  const comments = async () => (await app.call('GET', `${path}/comments`, { token })).list.map(({ comment }) => comment)
  await on(world, `/tickets/${made.at('data.id')}`, async (page) => {
    let isCut = true
    await page.route(`**${path}`, (route) =>
      isCut && route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: /Answer and solve/ }).click()
    const box = page.getByRole('dialog', { name: 'Answer and solve' })
    await box.getByRole('textbox', { name: /Comment/ }).fill('New ones are on their way.')
    const send = box.getByRole('button', { name: 'Answer and solve' })
    await send.click()
    await box.getByRole('alert').getByText('The server does not answer').waitFor()
    isCut = false
    await send.click()
    await box.waitFor({ state: 'detached' })
    assert.equal(await comments(), ['New ones are on their way.'])
    await page.getByRole('region', { name: 'Work' }).getByRole('link', { name: 'Resolved' }).waitFor()
    // Somebody else moves another one while the stream says nothing.
    await page.route(/\/stream\?/, (route) => route.abort())
    const { id: other } = await ticket(world, 'No keys at all')
    await page.goto(`${app.address}/console/tickets/${other}`)
    await page.getByRole('button', { name: /Answer and solve/ }).click()
    await box.getByRole('textbox', { name: /Comment/ }).fill('Are they there?')
    const statuses = await app.call('GET', '/api/v1/settings/statuses?per_page=50', { token })
    const pending = statuses.list.find(({ category }) => category === 'pending')?.id
    const moved = await app.call('PATCH', `/api/v1/tickets/${other}`, { token, body: { status_id: pending } })
    assert.is(moved.status, 200, moved.text)
    await send.click()
    await box.getByRole('alert').waitFor()
    assert.equal((await app.call('GET', `/api/v1/tickets/${other}/comments`, { token })).list, [])
  })
})

it('a ticket is merged into one that is found by its words, and the merge is undone', async (world) => {
  const [one, into] = [await ticket(world, 'Twice the same'), await ticket(world, 'The first of them')]
  await on(world, `/tickets/${one.id}`, async (page) => {
    const box = page.getByRole('dialog', { name: /^Merge into/ })
    await page.getByRole('button', { name: /^Merge into/ }).click()
    await box.getByRole('button', { name: /^Merge into/ }).click()
    await box.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
    await box.getByRole('combobox', { name: /^Into/ }).fill('first of them')
    await page.getByRole('option', { name: /The first of them/ }).click()
    assert.equal(await barriers(page), [])
    await box.getByRole('button', { name: /^Merge into/ }).click()
    await page.waitForURL(new RegExp(`/tickets/${into.id}$`))
    await page
      .locator('.notices')
      .getByText(/was merged into/)
      .waitFor()
    await page.goto(`${world.app.address}/console/tickets/${one.id}`)
    await page.getByRole('button', { name: 'Undo the merge' }).click()
    await page.getByRole('button', { name: /^Merge into/ }).waitFor()
    assert.is(await page.getByRole('button', { name: 'Undo the merge' }).count(), 0)
  })
  assert.is((await read(world, `/tickets/${one.id}`)).merged_into, null)
})

it('comments are chosen by what they say and split off', async (world) => {
  const { id } = await ticket(world, 'Two things')
  await on(world, `/tickets/${id}`, async (page) => {
    await page.getByRole('button', { name: /^Merge into/ }).waitFor()
    assert.is(await page.getByRole('button', { name: /^Split off/ }).count(), 0, 'there is nothing to split off')
    for (const comment of ['About the printer', 'About the chair'])
      await makeIn(world, `/tickets/${id}/comments`, { comment })
    await page.getByRole('button', { name: /^Split off/ }).click()
    const box = page.getByRole('dialog', { name: /^Split off/ })
    await box.getByRole('checkbox', { name: 'About the chair' }).check()
    await box.getByRole('textbox', { name: /^Subject/ }).fill('The chair')
    assert.equal(await barriers(page), [])
    await box.getByRole('button', { name: /^Split off/ }).click()
    await page.getByRole('heading', { name: /The chair/ }).waitFor()
    await page.locator('.thread li').getByText('About the chair').waitFor()
  })
  const { comments } = await read(world, `/tickets/${id}`)
  assert.equal(
    (comments as { comment: string }[]).map(({ comment }) => comment),
    ['About the printer'],
  )
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
