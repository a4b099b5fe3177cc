/** `plinth upgrade`: words of earlier versions in files of an application that is not the desk. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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

test.run()
