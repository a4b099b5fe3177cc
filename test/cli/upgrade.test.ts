/** `plinth upgrade`: words of earlier versions in files of an application that is not the desk. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { earlierNamesIn, nameWarnings, withPresentNames } from '../../engine/cli/upgrade/plugin-names.ts'
import { type EarlierWord, earlierWords } from '../../engine/cli/upgrade/words.ts'
import { CONTRIBUTIONS } from '../../engine/plugin/contribution.ts'
import { placeOf } from '../../engine/text/source.ts'
import { plinth } from './world.ts'

const test = suite('plinth upgrade')
let folder = ''

test.before.each(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-upgrade-'))
})
test.after.each(() => rm(folder, { recursive: true, force: true }))

const APP = 'name: Shop\nversion: v1\nprefix: /api\nplugins:\n  timestamps: {}   # when\n'
const LEVELS = `resource: levels   # of prices
fields:
  name:       { type: string, required: true }
  is_default: { type: boolean, default: false, nullable: false }

hooks:
  create: [tickets.one_default]   # one of them
  # and when it changes
  update:
    - tickets.one_default
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [] }
`

async function files(of: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(of)) await writeFile(join(folder, name), text)
}
const env = () => ({ RESOURCES_DIR: folder, DATA_DIR: join(folder, 'data') })
const textOf = (name: string) => readFile(join(folder, name), 'utf8')

test('the check says since when a word is gone, and what took its place', async () => {
  await files({ 'app.yaml': APP, 'levels.yaml': LEVELS })
  const { code, complained } = await plinth(['check'], env())
  assert.is(code, 1)
  assert.match(complained, /levels\.yaml:7:12 error unknown_hook: No plugin gives a hook "tickets.one_default"/)
  assert.match(
    complained,
    'it went with version 0.2.0: `rules: { one_default: { only_one: is_default } }` says it; `plinth upgrade` writes it',
  )
  assert.not.match(complained, 'expected:')
})

test('a word is replaced in its own file, with nothing else of it changed', async () => {
  await files({ 'app.yaml': APP, 'levels.yaml': LEVELS })
  const { code, complained, said } = await plinth(['upgrade'], env())
  assert.is(code, 0, complained)
  assert.match(said, /levels\.yaml\n/)
  assert.match(said, 'There is no database yet')
  assert.is(
    await textOf('levels.yaml'),
    `resource: levels   # of prices
fields:
  name:       { type: string, required: true }
  is_default: { type: boolean, default: false, nullable: false }

  # and when it changes
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [] }

rules:
  one_default: { only_one: is_default }
`,
  )
  assert.is(await textOf('app.yaml'), APP)
})

test('a rule of its own under the same name stays, and is told', async () => {
  const own = `${LEVELS}rules:\n  one_default: { only_one: name }\n`
  await files({ 'app.yaml': APP, 'levels.yaml': own })
  const { said } = await plinth(['upgrade'], env())
  assert.match(said, /levels\.yaml has its own rules\.one_default\.only_one, which stays as it is\./)
  assert.match(await textOf('levels.yaml'), 'one_default: { only_one: name }')
})

test('what is no word of an earlier version is left to its author', async () => {
  await files({ 'app.yaml': APP, 'levels.yaml': LEVELS.replaceAll('tickets.one_default', 'shop.one_default') })
  const { code, said } = await plinth(['upgrade'], env())
  assert.is(code, 0)
  assert.is(said, 'No word of an earlier version is in these files.')
})

test('a file that cannot be read, or a way that nobody offers, changes nothing', async () => {
  await files({ 'app.yaml': APP, 'levels.yaml': `${LEVELS}\nrules: {` })
  const broken = await plinth(['upgrade'], env())
  assert.is(broken.code, 1)
  assert.match(broken.complained, /levels\.yaml:\d+:\d+ error yaml_syntax/)
  await files({ 'levels.yaml': LEVELS })
  const odd = await plinth(['upgrade', '--choose', 'levels.name'], env())
  assert.is(odd.code, 2)
  assert.match(odd.complained, '"levels.name" chooses nothing. Use: plinth upgrade --choose conversations.said=1')
  const idle = await plinth(['upgrade', '--choose', 'levels.name=1'], env())
  assert.is(idle.code, 2)
  assert.match(idle.complained, 'There is nothing to choose for levels.name.')
  assert.is(await textOf('levels.yaml'), LEVELS)
})

test('the check names imports and keys that are gone, with file and line', async () => {
  const plugins = join(folder, 'plugins')
  await mkdir(join(plugins, 'shop'), { recursive: true })
  const code = `import {
  definePlugin, // how
  type Middleware,
} from 'plinth'
// import { Middleware } from 'plinth'
export default definePlugin({ name: 'shop', description: 'Sells.' })
export type Around = Middleware
`
  await writeFile(join(plugins, 'shop/index.ts'), code)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await files({ 'app.yaml': `${APP}  shop:\n`, 'levels.yaml': LEVELS.replace(/hooks:[\s\S]*one_default\n(?=pol)/, '') })
  const { code: status, complained } = await plinth(['check'], { ...env(), PLUGINS_DIR: plugins })
  assert.is(status, 0, complained)
  assert.match(
    complained,
    /shop\/index\.ts:3:8 warning earlier_name: "Middleware" went with version 0\.2\.0 from the interface of plugins: hooks are around writes/,
  )
  assert.is(complained.match(/earlier_name/g)?.length, 1)
  await writeFile(join(plugins, 'shop/index.ts'), code.replace("name: 'shop',", "name: 'shop',\n  middleware: [],\n "))
  const refused = await plinth(['check'], { ...env(), PLUGINS_DIR: plugins })
  assert.is(refused.code, 1)
  assert.match(
    refused.complained,
    'The plugin "shop" contributes "middleware", which is nothing a plugin can contribute',
  )
  assert.match(
    refused.complained,
    /shop\/index\.ts:7:3 warning earlier_name: "plugin\.middleware" went with version 0\.2\.0 from the interface of plugins: hooks are around writes/,
  )
})

const words: readonly EarlierWord[] = [
  { version: '0.4.0', import: 'oldName', is: 'newName', says: '`newName` says it' },
  { version: '0.4.0', import: 'Waning', is: 'Waxing', goes: '0.5.0', says: '`Waxing` is the same' },
  { version: '0.4.0', import: 'gone', says: 'nothing took its place' },
]

test('imports get their present names, and the code goes on with those that it knows', () => {
  const text = `import { oldName, type Waning, gone } from 'plinth' // as before
import { oldName as mine, other } from "plinth/test"
import plugin, { /* oldName */ oldName as again } from 'plinth'
export { Waning } from 'plinth'
import { oldName as elsewhere } from 'another'
oldName(mine)
`
  const source = { file: 'index.ts', text }
  const found = earlierNamesIn(words, [source])
  assert.is(
    withPresentNames(found).get(source),
    `import { newName as oldName, type Waxing as Waning, gone } from 'plinth' // as before
import { newName as mine, other } from "plinth/test"
import plugin, { /* oldName */ newName as again } from 'plinth'
export { Waxing as Waning } from 'plinth'
import { oldName as elsewhere } from 'another'
oldName(mine)
`,
  )
  const [first, second, third] = nameWarnings(found).map(
    ({ message, hint, span }) => `${placeOf(span!)} ${message} (${hint})`,
  )
  assert.equal(
    [first, second, third],
    [
      'index.ts:1:10 "oldName" went with version 0.4.0 from the interface of plugins: `newName` says it (`plinth upgrade` imports "newName" instead)',
      'index.ts:1:24 "Waning" goes with version 0.5.0 from the interface of plugins: `Waxing` is the same (`plinth upgrade` imports "Waxing" instead)',
      'index.ts:1:32 "gone" went with version 0.4.0 from the interface of plugins: nothing took its place (change the code)',
    ],
  )
})

const members: readonly EarlierWord[] = [
  { version: '0.4.0', member: 'plugin.wraps', is: 'plugin.hooks', goes: '0.5.0', says: '`hooks` says it' },
  { version: '0.4.0', member: 'plugin.gone', says: 'nothing took its place' },
  { version: '0.4.0', member: 'context.look', is: 'context.survey', goes: '0.5.0', says: '`survey` finds more' },
]

const PLUGIN = `import { definePlugin, type PluginContext } from 'plinth'
// context.look is an earlier name, and so is wraps
const said = 'context.look', pattern = /[']context.look/
const wraps = { create: async (context, next) => { context.look(1); await context.log.look(); await next() } }
async function found(inner: PluginContext, other: { look(): void }): Promise<void> {
  inner
    .look(said)
  other.look()
  const { look, now: time } = inner
  const { look: mine } = other
  look(\`\${inner?.look(mine, time, pattern)}\`)
}
function taken({ look: own, log }: PluginContext): void { own(log, { look: 1 }) }
export default definePlugin({
  name: 'shop',
  description: 'gone: nothing',
  wraps,
  options: { gone: 1, wraps: [{ wraps: 1 }] },
  async gone() {},
  routes: [found, taken],
})
export const second = definePlugin({ wraps: { look: (a, b) => a }, name: 'second' })
`

test('keys of plugins and members of contexts are found where they are, and get their present names', () => {
  const source = { file: 'index.ts', text: PLUGIN }
  const found = earlierNamesIn(members, [source])
  const goes = 'goes with version 0.5.0 from the interface of plugins: `survey` finds more (`plinth upgrade` writes'
  const hooks = '"plugin.wraps" goes with version 0.5.0 from the interface of plugins: `hooks` says it'
  const look = `"context.look" ${goes} "context.survey" instead)`
  assert.equal(
    nameWarnings(found).map(({ message, hint, span }) => `${placeOf(span!)} ${message} (${hint})`),
    [
      `index.ts:4:60 ${look}`,
      `index.ts:7:6 ${look}`,
      `index.ts:9:11 ${look}`,
      `index.ts:11:18 ${look}`,
      `index.ts:13:18 ${look}`,
      `index.ts:17:3 ${hooks} (\`plinth upgrade\` writes "plugin.hooks" instead)`,
      'index.ts:19:9 "plugin.gone" went with version 0.4.0 from the interface of plugins: nothing took its place (change the code)',
      `index.ts:22:38 ${hooks} (\`plinth upgrade\` writes "plugin.hooks" instead)`,
    ],
  )
  const after = withPresentNames(found).get(source)!
  const changed = after.split('\n').filter((line) => !PLUGIN.split('\n').includes(line))
  assert.equal(changed, [
    'const wraps = { create: async (context, next) => { context.survey(1); await context.log.look(); await next() } }',
    '    .survey(said)',
    '  const { survey: look, now: time } = inner',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of code
    '  look(`${inner?.survey(mine, time, pattern)}`)',
    'function taken({ survey: own, log }: PluginContext): void { own(log, { look: 1 }) }',
    '  hooks: wraps,',
    "export const second = definePlugin({ hooks: { look: (a, b) => a }, name: 'second' })",
  ])
  assert.equal(
    earlierNamesIn(members, [{ file: 'index.ts', text: after }]).map(({ word }) => word.member),
    ['plugin.gone'],
  )
})

test('what the changelog says of members is so: those that are gone are no part of the interface, those that go still are', async () => {
  const context = await readFile('engine/run/context.ts', 'utf8')
  const isThere = (member: string): boolean => {
    const [of, name = ''] = member.split('.')
    return of === 'plugin' ? name in CONTRIBUTIONS : new RegExp(`^  (?:readonly )?${name}[<(?:]`, 'm').test(context)
  }
  assert.ok(isThere('plugin.hooks') && isThere('context.survey') && isThere('context.records'))
  const named = (await earlierWords()).filter(({ member }) => member !== undefined)
  assert.ok(named.length > 0)
  for (const { member = '', is, goes } of named) {
    assert.is(isThere(member), goes !== undefined, member)
    if (is !== undefined) assert.ok(isThere(is), is)
  }
})

test('whatever is imported, only earlier names change, and doing it again changes nothing', () => {
  const name = fc.constantFrom('oldName', 'Waning', 'gone', 'other', 'oldNames', 'type')
  const item = fc
    .tuple(fc.boolean(), name, fc.option(fc.constantFrom('mine', 'yours')))
    .map(([type, one, as]) => `${type && one !== 'type' ? 'type ' : ''}${one}${as === null ? '' : ` as ${as}`}`)
  const clause = fc
    .tuple(
      fc.array(item, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('plinth', 'plinth/test', 'plinthe'),
      fc.constantFrom(', ', ',\n  ', ' , // x\n'),
    )
    .map(([items, from, between]) => `import { ${items.join(between)} } from '${from}'\n`)
  fc.assert(
    fc.property(fc.array(clause, { maxLength: 4 }), (clauses) => {
      const source = { file: 'index.ts', text: clauses.join('') }
      const after = withPresentNames(earlierNamesIn(words, [source])).get(source) ?? source.text
      const again = { file: 'index.ts', text: after }
      assert.equal(
        earlierNamesIn(words, [again]).filter(({ word }) => word.is !== undefined),
        [],
      )
      const back = after
        .replaceAll(/newName as oldName|newName(?= as )/g, 'oldName')
        .replaceAll(/Waxing as Waning|Waxing(?= as )/g, 'Waning')
      assert.is(back, source.text)
    }),
  )
})

test.run()
