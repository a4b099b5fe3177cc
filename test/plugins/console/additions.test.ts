/** What plugins add to the console: what is said of mistakes in it, and what each reader is told of it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderDiagnostics } from '../../../engine/text/render.ts'
import { application as onDisk } from '../../plugin/application.ts'
import { application, type TestApplication } from '../../support/application.ts'

const INDEX = `export default {
  name: 'rota', description: 'Who works when.', console: new URL('./console.tsx', import.meta.url),
  permissions: { 'rota.view': 'May see the rota.' },
}
`
const CONSOLE = `import { type EditorProps, type BlockProps, Button, defineConsole, useRecords } from 'plinth/console'
import { useState } from 'react'
import './rota.css'

function Rota() {
  const { records } = useRecords('shifts')
  const [isOpen, setOpen] = useState(false)
  return <section><h1>Rota</h1><p>{records.length} shifts</p><Button onPress={() => setOpen(!isOpen)}>{isOpen ? 'Less' : 'More'}</Button></section>
}

const Hearts = ({ control, onChange, value }: EditorProps) => <input {...control} onChange={(event) => onChange(event.target.value.length)} value={'♥'.repeat(Number(value))} />

export default defineConsole({
  pages: { rota: { label: 'Rota', path: '/rota', permission: 'rota.view', component: Rota } },
  editors: { hearts: { types: ['integer'], editor: Hearts, cell: ({ value }) => <b>{String(value)} ♥</b> } },
  blocks: { timer: ({ record }: BlockProps) => <p>Timer of {String(record.name)}</p> },
  views: { gantt: ({ named }) => <h1>Gantt of {named.name}</h1> },
})
`
const APP = 'name: Shop\nprefix: /api\nplugins: { console: {}, rota: {} }\n'
const SHIFTS = `resource: shifts
fields:
  name: { type: string, required: true }
  joy: { type: integer, widget: hearts }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
views:
  plan: { as: gantt, columns: [name], sort: name }
layout: { record: { main: [name, timer] } }
`

function files(changed: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    'resources/app.yaml': APP,
    'resources/shifts.yaml': SHIFTS,
    'plugins/rota/index.js': INDEX,
    'plugins/rota/console.tsx': CONSOLE,
    'plugins/rota/rota.css': '.rota { color: green }',
    'package.json': '{ "type": "module" }',
    ...changed,
  }
}

/** What a start says, as people read it. */
async function said(changed: Readonly<Record<string, string>>): Promise<string> {
  const app = onDisk(files(changed))
  const { diagnostics } = await app.boot()
  app.remove()
  return renderDiagnostics(diagnostics.filter(({ severity }) => severity !== 'warning')).replaceAll(
    /\S*plinth-app-\w+\//g,
    '',
  )
}

const mistakes = suite('mistakes in what plugins add to the console')

mistakes('a page without mistakes is bundled, without React next to it', async () => {
  assert.is(await said({}), '')
})

mistakes('a mistake of its text is shown at its place', async () => {
  const text = await said({ 'plugins/rota/console.tsx': CONSOLE.replace('<h1>Rota</h1>', '<h1>Rota</h2>') })
  assert.match(text, /plugins\/rota\/console\.tsx:8:\d+/)
  assert.match(text, /\^/)
  assert.match(text, /closing "h2" tag/)
})

mistakes(
  'an import that leads nowhere, and a module that the console does not share, are shown at their places',
  async () => {
    const missing = await said({ 'plugins/rota/console.tsx': CONSOLE.replace('./rota.css', './rotta.css') })
    assert.match(missing, /Could not resolve "\.\/rotta\.css"/)
    assert.match(missing, /console\.tsx:3:8/)
    const other = await said({
      'plugins/rota/console.tsx': `import { createPortal } from 'react-dom'\nconsole.log(createPortal)\n${CONSOLE}`,
    })
    assert.match(other, 'cannot import "react-dom"; the console shares react, react/jsx-runtime, plinth/console')
  },
)

mistakes('what is added in a wrong form is one sentence for each part', async () => {
  const changed = (from: string, to: string) => said({ 'plugins/rota/console.tsx': CONSOLE.replace(from, to) })
  assert.match(await changed('blocks:', 'block:'), /nothing can be added under "block"[\s\S]*did you mean "blocks"/)
  assert.match(await changed("path: '/rota'", "path: 'rota here'"), 'the page "rota" has no path of one word')
  assert.match(await changed("permission: 'rota.view'", "permision: 'rota.view'"), 'the page "rota" has no "permision"')
  assert.match(
    await changed("types: ['integer']", "types: ['integr']"),
    /the type "integr"[\s\S]*did you mean "integer"/,
  )
  assert.match(await changed('editor: Hearts, ', ''), 'the editor "hearts" has no editor')
  assert.match(await changed('export default ', 'export const page = '), 'it has no default export that adds something')
  assert.match(
    await changed('function Rota', 'throw new Error("No time")\nfunction Rota'),
    'failed while it was read: No time',
  )
})

mistakes('words of the YAML that no plugin adds are refused with the nearest', async () => {
  const changed = (from: string, to: string) => said({ 'resources/shifts.yaml': SHIFTS.replace(from, to) })
  assert.match(await changed('widget: hearts', 'widget: heart'), /Unknown widget "heart"[\s\S]*did you mean "hearts"/)
  assert.match(await changed('as: gantt', 'as: gant'), /did you mean "gantt"/)
  assert.match(await changed('name, timer', 'name, timr'), /did you mean "timer"/)
  assert.match(
    await said({ 'resources/shifts.yaml': SHIFTS.replace('type: integer, widget', 'type: string, widget') }),
    'The widget "hearts" is not for a field of the type string',
  )
  assert.match(
    await said({ 'resources/app.yaml': `${APP}console: { home: { any: rot } }\n` }),
    'Unknown resource "rot"',
  )
})

mistakes('two plugins with the same word, and a page at the address of a resource, clash', async () => {
  const second = {
    'resources/app.yaml': APP.replace('rota: {}', 'rota: {}, zeal: {}'),
    'plugins/zeal/index.js': INDEX.replaceAll("'rota'", "'zeal'").replace(/ {2}permissions.*\n/, ''),
    'plugins/zeal/console.tsx': CONSOLE.replace("import './rota.css'\n", ''),
  }
  const text = await said(second)
  for (const word of ['page "rota"', 'editor "hearts"', 'block "timer"', 'view "gantt"'])
    assert.match(text, `both give the ${word}`)
  const page = await said({ 'plugins/rota/console.tsx': CONSOLE.replace("path: '/rota'", "path: '/shifts'") })
  assert.match(page, 'has the address of the resource "shifts"')
  const own = await said({ 'plugins/rota/console.tsx': CONSOLE.replace('gantt:', 'board:') })
  assert.match(own, 'The plugins "console" and "rota" both give the view "board"')
})

mistakes.run()

const told = suite<{ app: TestApplication }>('what readers are told of additions')
told.before(async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-rota-'))
  for (const [path, text] of Object.entries(files())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  context.app = await application({ resources: join(folder, 'resources'), plugins: join(folder, 'plugins') })
})
told.after(({ app }) => app.close())

told('the catalog names what the screens of the reader use, and no page that it may not open', async ({ app }) => {
  const { text } = await app.call('GET', '/catalog.json')
  const [addition, ...others] = JSON.parse(text).additions
  assert.is(others.length, 0)
  const { version, ...rest } = addition
  assert.match(version, /^[0-9a-f]{12}$/)
  assert.equal(rest, {
    plugin: 'rota',
    styled: true,
    editors: ['hearts'],
    cells: ['hearts'],
    blocks: ['timer'],
    views: ['gantt'],
  })
  assert.not.match(text, 'Rota')
})

told('its script and its style are files of the console, which browsers keep for good', async ({ app }) => {
  const { version } = JSON.parse((await app.call('GET', '/catalog.json')).text).additions[0]
  const script = await app.call('GET', `/console/${version}/rota.js`)
  assert.is(script.status, 200)
  assert.is(script.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(script.headers['cache-control'] ?? '', 'immutable')
  assert.match(script.text, /from"\.\.\/[0-9a-f]{12}\/react-\w+\.js"/)
  assert.not.match(script.text, 'plinth-shared')
  const style = await app.call('GET', `/console/${version}/rota.css`)
  assert.match(style.text, /\.rota\{color:green\}/)
  assert.is((await app.call('GET', `/console/${version}/other.js`)).status, 404)
})

told.run()
