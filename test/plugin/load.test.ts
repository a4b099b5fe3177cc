/** Where plugins are found, and what is said of those that are not, or are not plugins. */
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadPlugins } from '../../engine/plugin/load.ts'
import { application, saysAtBoot } from './application.ts'

const loading = suite('loadPlugins')

const NOWHERE = join(import.meta.dirname, 'nowhere')

loading('plugins shipped with Plinth are found whatever the folder', async () => {
  const { value, diagnostics } = await loadPlugins(['timestamps', 'soft_delete'], { pluginsDir: NOWHERE })
  assert.equal(diagnostics, [])
  assert.equal(
    value.map(({ name }) => name),
    ['timestamps', 'soft_delete'],
  )
})

loading("an application's own plugin comes first, in JavaScript or TypeScript", async () => {
  const app = application({
    'plugins/timestamps/index.js': "export default { name: 'timestamps', description: 'Mine.' }",
    'plugins/typed/index.ts': "const name: string = 'typed'\nexport default { name, description: 'Typed.' }",
    'package.json': '{ "type": "module" }',
  })
  const { value, diagnostics } = await loadPlugins(['timestamps', 'typed'], {
    pluginsDir: join(app.directory, 'plugins'),
  })
  app.remove()
  assert.equal(diagnostics, [])
  assert.equal(
    value.map(({ description }) => description),
    ['Mine.', 'Typed.'],
  )
  assert.ok(value.every((plugin) => Object.isFrozen(plugin)))
})

loading('a plugin for another version of Plinth is one sentence, before any of its code runs', async () => {
  const code = "throw new Error('its code ran')"
  const own = (range: string) => JSON.stringify({ peerDependencies: { plinth: range } })
  const app = application({
    'package.json': '{ "type": "module" }',
    'plugins/later/index.js': code,
    'plugins/later/package.json': own('>=9'),
    'plugins/fitting/index.js': "export default { name: 'fitting', description: 'Fits.' }",
    'plugins/fitting/package.json': `{ "type": "module", ${own('>=0.2 <9').slice(1)}`,
    'node_modules/packed/package.json':
      '{ "name": "packed", "main": "lib/index.js", "peerDependencies": { "plinth": "^0.1.0" } }',
    'node_modules/packed/lib/index.js': code,
    'node_modules/packed/lib/package.json': '{ "type": "commonjs" }',
  })
  const { value, diagnostics } = await loadPlugins(['later', 'fitting', 'packed'], {
    pluginsDir: join(app.directory, 'plugins'),
  })
  app.remove()
  assert.equal(
    value.map(({ name }) => name),
    ['fitting'],
  )
  assert.equal(
    diagnostics.map(({ code: kind, message }) => `${kind}: ${message.replace(/\d+\.\d+\.\d+$/, 'V')}`),
    [
      'wrong_plugin: The plugin "later" is for plinth >=9, and this is V',
      'wrong_plugin: The plugin "packed" is for plinth ^0.1.0, and this is V',
    ],
  )
})

loading('of an index.js and an index.ts the newer is loaded, and one that is stale is told', async () => {
  const saying = (word: string) => `export default { name: 'typed', description: '${word}' }`
  const app = application({
    'plugins/typed/index.js': saying('Compiled.'),
    'plugins/typed/index.ts': saying('Written.'),
    'package.json': '{ "type": "module" }',
  })
  const pluginsDir = join(app.directory, 'plugins')
  const changed = (file: string, at: number) => utimesSync(join(pluginsDir, 'typed', file), at, at)
  changed('index.js', 1_000)
  changed('index.ts', 2_000)
  const written = await loadPlugins(['typed'], { pluginsDir })
  changed('index.js', 3_000)
  const compiled = await loadPlugins(['typed'], { pluginsDir })
  app.remove()
  assert.is(written.value[0]?.description, 'Written.')
  assert.match(
    written.diagnostics.map(({ code, severity, message }) => `${code} ${severity}: ${message}`).join('\n'),
    /^stale_plugin warning: The plugin "typed" is loaded from \S*index\.ts, which is newer than \S*index\.js$/,
  )
  assert.is(compiled.value[0]?.description, 'Compiled.')
  assert.equal(compiled.diagnostics, [])
})

loading('a plugin that has changed is loaded anew, with the files that it imports', async () => {
  const entry = "import { word } from './word.ts'\nexport default { name: 'typed', description: word }"
  const app = application({
    'plugins/typed/index.ts': entry,
    'plugins/typed/word.ts': "export const word: string = 'Before.'",
    'package.json': '{ "type": "module" }',
  })
  const pluginsDir = join(app.directory, 'plugins')
  const load = async () => (await loadPlugins(['typed'], { pluginsDir })).value[0]
  const before = await load()
  assert.is(await load(), before)
  writeFileSync(join(pluginsDir, 'typed/word.ts'), "export const word: string = 'After, and longer.'")
  const after = await load()
  assert.is(await load(), after)
  app.remove()
  assert.equal([before?.description, after?.description], ['Before.', 'After, and longer.'])
})

for (const kind of ['ts', 'js'])
  loading(`a plugin may be a link to a folder elsewhere, and so may a group: ${kind}`, async () => {
    const entry = (name: string) =>
      `import { word } from '../shared/word.${kind}'\nexport default { name: '${name}', description: word }`
    const app = application({
      [`elsewhere/typed/index.${kind}`]: entry('typed'),
      [`elsewhere/shared/word.${kind}`]: "export const word = 'Before.'",
      [`group/loans/index.${kind}`]: entry('loans'),
      [`group/shared/word.${kind}`]: "export const word = 'Grouped.'",
      'plugins/.keep': '',
      'package.json': '{ "type": "module" }',
    })
    const pluginsDir = join(app.directory, 'plugins')
    symlinkSync('../elsewhere/typed', join(pluginsDir, 'typed'))
    symlinkSync(join(app.directory, 'group'), join(pluginsDir, 'shop'))
    symlinkSync('../nowhere', join(pluginsDir, 'gone'))
    symlinkSync('itself', join(pluginsDir, 'itself'))
    const load = async () => {
      const { diagnostics, value } = await loadPlugins(['typed', 'loans'], { pluginsDir })
      assert.equal(diagnostics, [])
      return value.map(({ description }) => description)
    }
    assert.equal(await load(), ['Before.', 'Grouped.'])
    const [missed] = (await loadPlugins(['gone'], { pluginsDir })).diagnostics
    assert.is(missed?.message, 'There is no plugin "gone"')
    writeFileSync(join(app.directory, `group/shared/word.${kind}`), "export const word = 'Grouped, and after.'")
    assert.equal(await load(), ['Before.', 'Grouped, and after.'])
    app.remove()
  })

loading('links in a circle below the folder of plugins are followed once', async () => {
  const app = application({
    'plugins/typed/index.js': "export default { name: 'typed', description: 'Once.' }",
    'plugins/typed/more/.keep': '',
    'package.json': '{ "type": "module" }',
  })
  const pluginsDir = join(app.directory, 'plugins')
  symlinkSync('../..', join(pluginsDir, 'typed/more/back'))
  const { value, diagnostics } = await loadPlugins(['typed'], { pluginsDir })
  app.remove()
  assert.equal(diagnostics, [])
  assert.is(value[0]?.description, 'Once.')
})

loading('an npm package of the name is a plugin too', async () => {
  const app = application({
    'node_modules/plinth-extra/package.json': '{ "name": "plinth-extra", "type": "module", "main": "main.js" }',
    'node_modules/plinth-extra/main.js': "export default { name: 'plinth-extra', description: 'From npm.' }",
    'plugins/.keep': '',
  })
  const { value } = await loadPlugins(['plinth-extra'], { pluginsDir: join(app.directory, 'plugins') })
  app.remove()
  assert.is(value[0]?.description, 'From npm.')
})

loading('a folder without an entry file groups the plugins in it', async () => {
  const app = application({
    'plugins/shop/loans/index.js': "export default { name: 'loans', description: 'Grouped.' }",
    'plugins/shop/prices.js': 'export const none = 1',
    'package.json': '{ "type": "module" }',
  })
  const { value, diagnostics } = await loadPlugins(['loans'], { pluginsDir: join(app.directory, 'plugins') })
  app.remove()
  assert.equal(diagnostics, [])
  assert.is(value[0]?.description, 'Grouped.')
})

loading('two plugins of one name in one folder are a clash', async () => {
  const plugin = "export default { name: 'loans', description: 'One of two.' }"
  const [said] = await saysAtBoot({
    ...RESOURCES,
    'resources/app.yaml': 'name: X\nplugins: { loans: {} }',
    'plugins/loans/index.js': plugin,
    'plugins/shop/loans/index.js': plugin,
    'package.json': '{ "type": "module" }',
  })
  assert.match(
    said!,
    /^app\.yaml \[loans\] plugin_clash: Two folders hold a plugin "loans": \S*plugins\/loans\/index\.js and \S*plugins\/shop\/loans\/index\.js /,
  )
})

const RESOURCES = { 'resources/things.yaml': 'resource: things\npolicies: { view: [] }' }

/** What is said of a plugin `mine` with this text. */
async function saysOf(text: string): Promise<readonly string[]> {
  return saysAtBoot({
    ...RESOURCES,
    'resources/app.yaml': 'name: X\nplugins: { mine: {} }',
    'plugins/mine/index.js': text,
    'package.json': '{ "type": "module" }',
  })
}

loading('a missing plugin is told where it is named, with the nearest one', async () => {
  assert.equal(
    await saysAtBoot({
      ...RESOURCES,
      'resources/app.yaml': 'name: X\nplugins: { timestamp: {}, "../x": {}, zzz: {} }',
    }),
    [
      'app.yaml [timestamp] unknown_plugin: There is no plugin "timestamp" (did you mean "timestamps"?)',
      'app.yaml ["../x"] unknown_plugin: There is no plugin "../x" (make x/index.ts, or install the package "../x")',
      'app.yaml [zzz] unknown_plugin: There is no plugin "zzz" (make plugins/zzz/index.ts, or install the package "zzz")',
    ],
  )
})

loading('a folder of shared code is no plugin, and nobody is led to it', async () => {
  const [diagnostic] = (await loadPlugins(['file'], { pluginsDir: NOWHERE })).diagnostics
  assert.not.ok(diagnostic?.expected?.includes('files'))
  assert.ok(diagnostic?.expected?.includes('media'))
  assert.match(String(diagnostic?.hint), /^make /)
})

loading('a plugin that fails, or is none, is told with its file', async () => {
  assert.equal(await saysOf("throw new Error('no luck')"), [
    'app.yaml [mine] plugin_failed: The plugin "mine" failed while it was loaded: no luck (see plugins/mine/index.js)',
  ])
  assert.equal(await saysOf('export const plugin = 1'), [
    'app.yaml [mine] wrong_plugin: The plugin "mine" has no default export that is a plugin (see plugins/mine/index.js)',
  ])
  assert.equal(await saysOf("export default { name: 'yours', description: 'x' }"), [
    'app.yaml [mine] wrong_plugin: The plugin "mine" calls itself "yours" (see plugins/mine/index.js)',
  ])
  assert.equal(await saysOf("export default { name: 'mine', description: 'x', hook: {} }"), [
    'app.yaml [mine] wrong_plugin: The plugin "mine" contributes "hook", which is nothing a plugin can contribute (did you mean "hooks"?)',
  ])
})

loading('a listener to what is not there is a mistake, with what may be meant', async () => {
  const listening = (to: string) =>
    saysAtBoot({
      'resources/app.yaml': 'name: Notes\nplugins: { tells: {} }\n',
      'resources/notes.yaml': 'resource: notes\nfields: { text: { type: string } }\n',
      'resources/memos.yaml': 'resource: memos\nof: notes\nwhere: { text: memo }\nfields: { text: {} }\n',
      'plugins/tells/index.js': `export default { name: 'tells', description: 'x', listeners: { tell: { description: 'x', to: ${to}, run: async () => {} } } }`,
      'package.json': '{ "type": "module" }',
    })
  assert.equal(await listening("{ notes: ['create'] }"), [])
  assert.equal(await listening("{ note: ['create'] }"), [
    'wrong_plugin: The listener "tells.tell" listens to an unknown resource "note" (did you mean "notes"?)',
  ])
  assert.equal(await listening("{ notes: ['created'] }"), [
    'wrong_plugin: The listener "tells.tell" listens to "created" of "notes" (did you mean "create"?)',
  ])
  const named = (name: string) =>
    saysAtBoot({
      'resources/app.yaml': 'name: Notes\nplugins: { tells: {} }\n',
      'resources/notes.yaml': `resource: notes\nfields: { text: { type: string } }\nlisteners: { create: [${name}] }\n`,
      'resources/memos.yaml':
        'resource: memos\nof: notes\nwhere: { text: memo }\nfields: { text: {} }\nlisteners: { create: [tells.tell] }\n',
      'plugins/tells/index.js': `export default { name: 'tells', description: 'x', listeners: { tell: { description: 'x', run: async () => {} } } }`,
      'package.json': '{ "type": "module" }',
    })
  assert.equal(await named('tells.tel'), [
    'memos.yaml [tells.tell] unknown_listener: "memos" uses the table of "notes", whose writes are heard as a whole (name the listener in the file of "notes")',
    'notes.yaml [tells.tel] unknown_listener: No plugin gives a listener "tells.tel" (did you mean "tells.tell"?)',
  ])
  assert.equal(await listening("{ memos: ['create'] }"), [
    'wrong_plugin: The listener "tells.tell" listens to "memos", which uses the table of "notes" (listen to "notes"; it hears of every write of that table)',
  ])
})

loading.run()
