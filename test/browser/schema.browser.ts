/** The schema in the console: the diagram, a resource, who may do what, why not, what is going on, and editing the files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FILES, inBase, NOTES, notesWorld, type World } from '../plugins/schema/world.ts'
import { openReceiver } from '../plugins/webhooks/world.ts'
import { barriers, openBrowser, seen, visited, WIDE } from '../support/browser.ts'
import { until } from '../support/wait.ts'

const test = suite<{ world: World }>('the schema in the console')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

/** The notes with plugins that they do not have elsewhere. */
const filesWith = (plugins: string): Readonly<Record<string, string>> => ({
  ...FILES,
  'app.yaml': FILES['app.yaml']!.replace('schema: {} }', `schema: {}, ${plugins} }`),
})

test.before(async (context) => {
  if (browser === undefined) return
  context.world = await notesWorld({
    files: filesWith('console: {}'),
    watched: true,
    people: ['reader', 'writer'],
  })
  for (const [who, title] of [
    ['admin', 'Of the admin'],
    ['writer', 'Of the writer'],
  ] as const)
    assert.is((await context.world.call(who, 'POST /api/notes', { title, secret: 'twelve' })).status, 201)
})
test.after(async ({ world }) => {
  await browser?.close()
  await world?.close()
})

/** Opens a screen as somebody. */
function on(
  { app, tokens }: World,
  who: string,
  path: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = WIDE,
): Promise<void> {
  return visited(browser!, `${app.address}/console${path}`, work, {
    ...options,
    extraHTTPHeaders: { authorization: `Bearer ${tokens[who]}` },
  })
}

const SCREENS = [
  ['', 'Diagram'],
  ['/resource/notes', 'Fields'],
  ['/access', 'Who may do what'],
  ['/why?path=/api/notes/1&as=writer@notes.example', 'Outcome'],
  ['/state', 'The plan of the files'],
  ['/edit?resource=notes', 'Changes'],
] as const

it('the menu leads there for those who may ask why, and for nobody else', async ({ world }) => {
  await on(world, 'reader', '', async (page) => {
    await page.getByRole('link', { name: 'Schema' }).click()
    await page.getByRole('heading', { name: 'Schema' }).waitFor()
  })
  await on(world, 'writer', '/schema', async (page) => {
    await page.getByText('Notes').first().waitFor()
    assert.is(await page.getByRole('link', { name: 'Schema' }).count(), 0)
    assert.is(await page.getByRole('heading', { name: 'Schema' }).count(), 0)
  })
})

it('the diagram is walked by arrow keys along relations, and each box opens its resource', async ({ world }) => {
  await on(world, 'admin', '/schema', async (page) => {
    const box = (name: string) => page.locator(`[data-box="${name}"]`)
    await box('notes').focus()
    await page.keyboard.press('ArrowRight')
    await until(() => box('users').evaluate((node) => node === node.ownerDocument.activeElement))
    await page.keyboard.press('ArrowLeft')
    await until(() => box('notes').evaluate((node) => node === node.ownerDocument.activeElement))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Notes' }).waitFor()
    assert.match(page.url(), /\/console\/schema\/resource\/notes$/)
    await page.goBack()
    await page.getByRole('button', { name: 'As a table' }).click()
    await page.getByRole('table', { name: 'Resources' }).getByRole('link', { name: 'Notes' }).click()
    await page.getByRole('heading', { name: 'Notes' }).waitFor()
  })
})

it('a resource has its fields with guards and places, its rules as sentences and its moves as a matrix', async ({
  world,
}) => {
  await on(world, 'reader', '/schema/resource/notes', async (page) => {
    const fields = page.getByRole('table', { name: 'Fields' })
    await fields.waitFor()
    const secret = fields.getByRole('row', { name: /^secret/ })
    assert.match((await secret.textContent()) ?? '', /the role admin/)
    assert.match((await secret.textContent()) ?? '', /notes\.yaml:8:3/)
    await page.getByText('A note has a title', { exact: true }).waitFor()
    const moves = page.getByRole('table', { name: 'Moves of kind' })
    assert.match((await moves.getByRole('row', { name: /^done/ }).textContent()) ?? '', /the role admin/)
  })
})

it('a cell says none, some or all with the records, and opens its clauses with their lines', async ({ world }) => {
  await on(world, 'admin', '/schema/access', async (page) => {
    await page.getByRole('button', { name: 'Notes: reader, see: some (2)' }).click()
    const box = page.getByRole('dialog')
    await box.getByText('permission: notes.view').waitFor()
    await box.getByText(/notes\.yaml:\d+:7/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Compare', { exact: true }).selectOption('reader')
    await page.getByLabel('with', { exact: true }).selectOption('customer')
    await page.getByRole('button', { name: /^Notes: customer, see: none/ }).waitFor()
    assert.is(await page.getByRole('button', { name: /^Notes: .*, delete/ }).count(), 0)
  })
})

it('why a person may not see or change a record is answered, and asked from the refusal itself', async ({ world }) => {
  await on(world, 'admin', '/schema/why', async (page) => {
    await page.getByLabel('Person').fill('writer@notes.example')
    await page.getByLabel('Does').selectOption('DELETE')
    await page.getByLabel('Path').fill('/api/notes/1')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText(/^403 /).waitFor()
    await page.getByLabel('Does').selectOption('GET')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page
      .getByRole('row', { name: /role: writer/ })
      .getByText('yes')
      .waitFor()
  })
  const done = await world.call('admin', 'PATCH /api/notes/1', { kind: 'done' })
  assert.is(done.status, 200, done.text)
  await on(world, 'reader', '/notes/1', async (page) => {
    await page.getByRole('link', { name: 'Why?' }).click()
    await page.getByText(/^403 /).waitFor()
    assert.match(page.url(), /path=%2Fapi%2Fnotes%2F1/)
  })
})

it('what is going on has the plan, jobs and listeners', async ({ world }) => {
  await on(world, 'admin', '/schema/state', async (page) => {
    await page.getByText('The database is as the files say.').waitFor()
  })
})

it('deliveries that webhooks gave up are there with their last error, and each leads to its record', async () => {
  const files = {
    ...filesWith('console: {}, webhooks: { http: true, networks: [127.0.0.0/8] }'),
    'notes.yaml': `${NOTES}webhooks: true\n`,
  }
  const world = await notesWorld({ files, people: ['reader'] })
  const receiver = await openReceiver()
  try {
    receiver.behave((response) => void response.writeHead(500).end())
    const hook = { name: 'Archive', address: receiver.url, events: ['notes.create'] }
    const made = await world.call('admin', 'POST /api/webhooks', hook)
    assert.is(made.status, 201, made.text)
    assert.is((await world.call('admin', 'POST /api/notes', { title: 'One' })).status, 201)
    await receiver.until(1)
    // The next attempt is the last one.
    const last = `update webhook_deliveries set attempts_made = 7 where attempts_made = 1 and leased_until is null returning 1`
    await until(async () => (await world.app.engine.database.adhoc.run({ text: last }, [])).length === 1)
    const failed = 'GET /api/webhook-deliveries?status=failed'
    await until(async () => (await world.call('admin', failed)).list.length === 1, 30_000)
    await on(world, 'admin', '/schema/state', async (page) => {
      const given = page.getByRole('table', { name: 'Deliveries: Given up' })
      assert.match((await given.getByRole('row').nth(1).textContent()) ?? '', /^Archive.*8.*The receiver answered 500/)
      assert.equal(await barriers(page), [])
      await given.getByRole('link', { name: 'notes.create' }).click()
      await page.waitForURL(/\/console\/webhook_deliveries\/1$/)
      await page.getByText('The receiver answered 500').first().waitFor()
    })
    await on(world, 'reader', '/schema/state', async (page) => {
      await page.getByText('The database is as the files say.').waitFor()
      assert.is(await page.getByRole('table', { name: 'Deliveries: Given up' }).count(), 0)
    })
  } finally {
    await receiver.close()
    await world.close()
  }
})

it('a field is added by the form, shown side by side, written, and taken back', async ({ world }) => {
  const text = (): string => readFileSync(join(world.folder, 'notes.yaml'), 'utf8')
  await on(world, 'admin', '/schema/edit?resource=notes', async (page) => {
    const form = page.locator('form', { has: page.getByRole('heading', { name: 'Add a field' }) })
    await form.getByLabel('Name').fill('due')
    await form.getByLabel('Type').selectOption('date')
    await form.getByRole('button', { name: 'Add a field' }).click()
    await page.getByText('+  due:    { type: date }').waitFor()
    await page.getByText('add column notes.due (date)').waitFor()
    await page.getByText('For clients', { exact: true }).waitFor()
    assert.is(text(), NOTES)
    await page.getByRole('button', { name: 'Write the files' }).click()
    await page.getByText('Written: notes.yaml').waitFor()
    assert.match(text(), /due: {4}\{ type: date \}/)
    await world.app.engine.reload()
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(() => text() === NOTES)
    await world.app.engine.reload()
  })
})

it('a mistake in the text of a file is shown with its line, and nothing can be written', async ({ world }) => {
  await on(world, 'admin', '/schema/edit?resource=notes', async (page) => {
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByLabel('Text: notes.yaml').fill(NOTES.replace('type: enum', 'type: enun'))
    await page
      .getByRole('button', { name: /notes\.yaml:7/ })
      .first()
      .click()
    await page.getByText('line 7').first().waitFor()
    assert.ok(await page.getByRole('button', { name: 'Write the files' }).isDisabled())
  })
})

it('in an application on another the page offers its own files alone, and those below stay byte for byte', async () => {
  const own = {
    'app.yaml': 'name: Town\nextends: ../base\n',
    'notes.yaml': 'resource: notes\nlabel: Remark      # in town\n',
  }
  const base = inBase(filesWith('console: {}'))
  const world = await notesWorld({ files: { ...base, ...own }, watched: true })
  const text = (name: string): string => readFileSync(join(world.folder, name), 'utf8')
  try {
    await on(world, 'admin', '/schema/edit?resource=notes', async (page) => {
      await page.getByText(/3 files/).waitFor()
      assert.equal(await page.getByLabel('File').locator('option').allTextContents(), [
        'resources/app.yaml',
        'resources/notes.yaml',
      ])
      const form = page.locator('form', { has: page.getByRole('heading', { name: 'Add a field' }) })
      await form.getByLabel('Name').fill('due')
      await form.getByLabel('Type').selectOption('date')
      await form.getByRole('button', { name: 'Add a field' }).click()
      await page.getByRole('button', { name: 'Write the files' }).click()
      await page.getByText('Written: notes.yaml').waitFor()
    })
    assert.is(text('notes.yaml'), `${own['notes.yaml']}\nfields:\n  due: { type: date }\n`)
    assert.is(text('app.yaml'), own['app.yaml'])
    for (const [name, written] of Object.entries(base)) assert.is(text(name), written)
  } finally {
    await world.close()
  }
})

it('a step that loses data has a button of its own', async ({ world }) => {
  await on(world, 'admin', '/schema/edit?resource=notes', async (page) => {
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByLabel('Text: notes.yaml').fill(NOTES.replace('secret: { type: string', 'secret: { type: integer'))
    await page.getByRole('button', { name: 'Write, and take the step that loses data' }).waitFor()
    assert.is(await page.getByRole('button', { name: 'Write the files' }).count(), 0)
    await page.getByText('waits for the word of a person').waitFor()
  })
})

it('no screen has a barrier: light and wide, dark and narrow, from right to left', async ({ world }) => {
  const ways = [
    { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    { viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
  ] as const
  for (const [path, heading] of SCREENS)
    for (const way of ways)
      await on(
        world,
        'admin',
        `/schema${path}`,
        async (page) => {
          await page.getByText(heading, { exact: true }).first().waitFor()
          const { width } = way.viewport
          if (width === 390) await page.evaluate("document.documentElement.dir = 'rtl'")
          const name = `${path.replace(/\W+/g, '-') || 'diagram'}-${way.colorScheme}-${width}`
          await seen(page, name)
        },
        way,
      )
})

test.run()
