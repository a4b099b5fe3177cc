/** A page, an editor, a block and a view of a plugin in TypeScript, in an application that has the packed package and no React. */
import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { install, packed } from '../cli/install.ts'
import { bare, build, type Server, startServer } from '../cli/server.ts'
import { type Folder, folder } from '../cli/world.ts'
import { barriers, openBrowser, openPage, WIDE } from '../support/browser.ts'
import { until } from '../support/wait.ts'

interface World {
  app: Folder
  server: Server
}
const test = suite<World>('additions of a plugin in a browser')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

const PAGE = `import { type BlockProps, Button, type CellProps, Card, defineConsole, type EditorProps, Link, type PageProps, Table, useAct, useCatalog, useRecords, useWords, type ViewProps, ViewHead } from 'plinth/console'
import { useState } from 'react'
import './shifts.css'

const WORDS = { en: { title: 'Rota', swap: 'Add a shift' }, de: { title: 'Dienstplan', swap: 'Schicht dazu' } }

function Rota({ parts }: PageProps) {
  const words = useWords(WORDS)
  const { records, total } = useRecords('shifts', { sort: 'name' })
  const { failure, isBusy, run } = useAct()
  const { name } = useCatalog()
  return (
    <>
      <h1>{words.title}</h1>
      <p className="rota">{name}: {total} shifts {parts.join('/')}</p>
      <Table caption={words.title} head={['Name']} rows={records.map(({ id, name }) => ({ key: String(id), cells: [<Link to={['shifts', String(id)]}>{String(name)}</Link>] }))} />
      <Button isDisabled={isBusy} onPress={() => run(async (acts) => void (await acts.create('shifts', { name: 'Night' })))}>{words.swap}</Button>
      {failure}
    </>
  )
}

function Hearts({ control, label, onChange, value }: EditorProps) {
  return <input {...control} aria-label={label} onChange={(event) => onChange(event.target.value.length)} value={'♥'.repeat(Number(value ?? 0))} />
}
const Heart = ({ value }: CellProps) => <b>{String(value)} hearts</b>

function Timer({ record }: BlockProps) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) throw new Error('The timer has stopped')
  return <Card title="Timer"><p>Since {String(record.name)}</p><Button onPress={() => setBroken(true)}>Break</Button></Card>
}

function Gantt({ named, view }: ViewProps) {
  const { records } = useRecords(named.name, { view })
  return <><ViewHead catalog={useCatalog()} named={named} title={view.label} /><p>Bars: {records.map(({ name }) => String(name)).join(', ')}</p></>
}

export default defineConsole({
  pages: { rota: { label: 'Rota', path: '/rota', icon: 'calendar', who: 'anyone', component: Rota } },
  editors: { hearts: { types: ['integer'], editor: Hearts, cell: Heart } },
  blocks: { timer: Timer },
  views: { gantt: Gantt },
})
`
const FILES = {
  'package.json': '{ "name": "works", "type": "module", "dependencies": { "plinth": "*" } }\n',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'NodeNext',
      target: 'ES2022',
      jsx: 'react-jsx',
      lib: ['ES2023', 'DOM'],
      types: [],
      skipLibCheck: true,
      noUncheckedSideEffectImports: false,
    },
    include: ['plugins/rota/console.tsx'],
  }),
  'plugins/rota/index.ts': `import { definePlugin } from 'plinth'
export default definePlugin({ name: 'rota', description: 'Who works when.', console: new URL('./console.tsx', import.meta.url) })
`,
  'plugins/rota/console.tsx': PAGE,
  'plugins/rota/shifts.css': '.rota { letter-spacing: 3px }\n',
  'resources/app.yaml': 'name: Works\nprefix: /api\nplugins: { timestamps: {}, console: {}, rota: {} }\n',
  'resources/shifts.yaml': `resource: shifts
fields:
  name: { type: string, required: true }
  joy: { type: integer, widget: hearts }
sort: { keys: [name] }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
actions: [list, get, create, update]
views: { plan: { as: gantt, where: { joy: { gte: 2 } }, sort: name } }
layout: { record: { main: [[name, joy], timer] } }
filters: [joy]
seeds: { key: name, rows: [{ name: Early, joy: 1 }, { name: Late, joy: 3 }] }
`,
}

test.before(async (context) => {
  if (browser === undefined) return
  build()
  context.app = folder(FILES)
  install(context.app.path, packed(context.app.path))
  const program = join(context.app.path, 'node_modules/plinth/dist/engine/cli/main.js')
  context.server = await startServer(
    program,
    context.app.path,
    bare({ DATA_DIR: join(context.app.path, 'data'), RATE_LIMIT: '100000' }),
    ['--watch'],
  )
})
test.after(async ({ app, server }) => {
  await server?.stop('SIGTERM')
  app?.remove()
  await browser?.close()
})

/** Works in a page of its own; finds no violation of the policy, and no errors but those that are expected. */
async function at(
  server: Server,
  path: string,
  work: (page: Page) => Promise<void>,
  expected = /^$/,
  locale = 'en-US',
): Promise<void> {
  const { close, page, problems } = await openPage(browser!, { ...WIDE, locale })
  try {
    await page.goto(`${server.url}/console${path}`)
    await work(page)
    assert.equal(
      problems.filter((problem) => !expected.test(problem)),
      [],
    )
  } finally {
    await close()
  }
}

it('nothing of React lies next to the plugin, and its types fit those of the package', ({ app }) => {
  assert.not.ok(existsSync(join(app.path, 'node_modules/react')))
  for (const name of ['@types/react', 'csstype'])
    if (existsSync(resolve('node_modules', name))) {
      spawnSync('mkdir', ['-p', join(app.path, 'node_modules/@types')])
      symlinkSync(resolve('node_modules', name), join(app.path, 'node_modules', name))
    }
  const { status, stdout } = spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', app.path], {
    encoding: 'utf8',
  })
  assert.is(status, 0, stdout)
})

it('its page is in the menu, in the palette and at its address, reads and writes records, and speaks the language of its reader', async ({
  server,
}) => {
  await at(server, '', async (page) => {
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Rota' }).click()
    await page.getByRole('heading', { name: 'Rota' }).waitFor()
    await page.getByText('Works: 2 shifts').waitFor()
    assert.is(await page.title(), 'Rota · Works')
    assert.is(
      await page.locator('.rota').evaluate((one) => one.computedStyleMap().get('letter-spacing')?.toString()),
      '3px',
    )
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Add a shift' }).click()
    await page.getByRole('link', { name: 'Night' }).click()
    await page.getByRole('heading', { name: 'Night' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('rota')
    await page.getByRole('option', { name: 'Rota' }).click()
    await page.getByRole('heading', { name: 'Rota' }).waitFor()
  })
  await at(
    server,
    '/rota/2026',
    async (page) => {
      await page.getByRole('heading', { name: 'Dienstplan' }).waitFor()
      await page.getByText('shifts 2026').waitFor()
    },
    /^$/,
    'de-DE',
  )
})

it('its editor changes a value in a form, and draws it in lists and on records', async ({ server }) => {
  await at(server, '/shifts', async (page) => {
    await page.getByText('3 hearts').waitFor()
    await page.getByRole('link', { name: 'Early' }).click()
    await page.getByText('1 hearts').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Joy' }).fill('♥♥♥♥')
    assert.equal(await barriers(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('4 hearts').waitFor()
  })
})

it('its view draws the records of the view', async ({ server }) => {
  await at(server, '/shifts?view=plan', async (page) => {
    await page.getByText('Bars: Early, Late').waitFor()
    assert.equal(await barriers(page), [])
  })
})

it('a part that throws says whose it is, and the rest of the screen works', async ({ server }) => {
  await at(
    server,
    '/shifts/2',
    async (page) => {
      await page.getByText('Since Late').waitFor()
      await page.getByRole('button', { name: 'Break' }).click()
      await page.getByText('This part of the plugin “rota” has failed. Everything else works.').waitFor()
      await page.getByText('3 hearts').waitFor()
      assert.equal(await barriers(page), [])
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Since Late').waitFor()
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Latest')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Latest' }).waitFor()
    },
    /The timer has stopped|The above error occurred/,
  )
})

it('a saved change of the page is served, and one with a mistake is said with its place', async ({ app, server }) => {
  app.write('plugins/rota/console.tsx', PAGE.replace("title: 'Rota'", "title: 'New rota'"))
  await until(() => server.output().includes('The change is served.'), 30_000)
  await at(server, '/rota', (page) => page.getByRole('heading', { name: 'New rota' }).waitFor())
  app.write('plugins/rota/console.tsx', PAGE.replace('<h1>', '<h2>'))
  await until(() => server.output().includes('The last good version is still served.'), 30_000)
  assert.match(server.output(), /plugins\/rota\/console\.tsx:14:\d+[\s\S]*\^/)
  await at(server, '/rota', (page) => page.getByRole('heading', { name: 'New rota' }).waitFor())
})

test.run()
