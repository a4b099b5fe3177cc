/** The command line says what is wrong with its words, and what would be right. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { COMMANDS } from '../../engine/cli/commands.ts'
import { folder, NOTES, plinth } from './world.ts'

const run = suite('command line')

run('shows every command with its line when nothing is asked', async () => {
  const { code, said } = await plinth([])
  assert.is(code, 0)
  for (const { name, summary } of COMMANDS) {
    assert.ok(
      said.split('\n').some((line) => line.trim().startsWith(name) && line.endsWith(summary.split(/[;:]/)[0]!)),
      name,
    )
  }
})

run('the list fits into a terminal, and says where the rest is', async () => {
  const { said } = await plinth(['help'])
  const long = said.split('\n').filter((line) => line.length > 120)
  assert.equal(long, [])
  assert.match(said, /plinth help <command> tells its options, and has an example\.$/m)
})

run('shows the commands that the plugins of the application give', async () => {
  const { said } = await plinth(['help'])
  assert.match(said, /from plugins\n(?: .*\n)* {2}demo /)
})

run('explains one command with --help', async () => {
  const { code, said } = await plinth(['restore-field', '--help'])
  assert.is(code, 0)
  assert.match(said, 'plinth restore-field [<resource>[.<field>]]')
})

run('explains one command of a plugin with --help, and runs nothing', async () => {
  const { path, remove } = folder({})
  const env = { DATA_DIR: `${path}/data` }
  const asked = await plinth(['demo', '--help'], env)
  assert.equal(asked, await plinth(['help', 'demo'], env))
  assert.equal([asked.code, asked.complained], [0, ''])
  assert.match(asked.said, /^plinth demo\n {2}Fill an empty desk /)
  assert.not(existsSync(`${path}/data`))
  remove()
})

run('the page of commands has a row for every command, those of the desk’s plugins too', async () => {
  const { said } = await plinth(['help'])
  const listed = [...said.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map((match) => match[1])
  const rows = [...readFileSync('engine/guide/commands.md', 'utf8').matchAll(/^\| `npx plinth ([a-z-]+)/gm)].map(
    (match) => match[1],
  )
  assert.equal(rows.sort(), listed.sort())
})

run('suggests the command that was meant', async () => {
  const { code, complained } = await plinth(['chekc'])
  assert.is(code, 2)
  assert.is(complained, 'There is no command chekc. Did you mean check? See: plinth help')
})

run('suggests the command for a word that other programs have for it', async () => {
  const meant = { serve: 'start', dev: 'start --watch', migrate: 'apply', generate: 'add', new: 'init', lint: 'check' }
  for (const [word, ours] of Object.entries(meant)) {
    const { code, complained } = await plinth([word])
    assert.is(code, 2)
    assert.is(complained, `There is no command ${word}. Did you mean ${ours}? See: plinth help`)
  }
})

run('version prints what runs, by each of its words', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const said = `plinth ${version}, node ${process.versions.node}`
  for (const word of ['version', '--version', '-v']) {
    assert.equal(await plinth([word]), { code: 0, said, complained: '' })
  }
})

run('a Node that is too old is told so before anything else is read', () => {
  for (const [node, known] of [
    ['18.20.4', false],
    ['20.18.3', false],
    ['20.19.0', true],
  ] as const) {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--import', `data:text/javascript,${older}`, 'engine/cli/main.ts', 'version'],
      { encoding: 'utf8' },
    )
    assert.is(status, known ? 0 : 1)
    assert.is(stderr, known ? '' : `Plinth needs Node 20.19 or later, and this is Node ${node}.\n`)
  }
})

run('names the option that has no value, or takes none', async () => {
  const without = await plinth(['init', 'shop', '--from'])
  assert.is(without.code, 2)
  assert.match(without.complained, /^The option --from of plinth init has no value\. Use: /)
  assert.match((await plinth(['init', 'shop', '--from', '--plinth'])).complained, /^The option --from of plinth init/)
  assert.match((await plinth(['plan', '--json=yes'])).complained, /^The option --json of plinth plan takes no value\./)
})

run('a file that cannot be read or made is told without the words of the system', async () => {
  const { complained } = await plinth(['diff', '/nowhere/old.json'])
  assert.is(complained, '/nowhere/old.json cannot be read: there is no such file or folder')
  const { path, write, remove } = folder({})
  write('taken', 'a file')
  const made = await plinth(['init', `${path}/taken/shop`])
  assert.is(made.code, 1)
  assert.not.match(made.complained, /mkdtemp|mkdir|ENO/)
  remove()
})

run('explain without anything to explain is a wrong command line, whatever the database', async () => {
  for (const words of [['explain'], ['explain', '--record', '1']]) {
    const { code, complained } = await plinth(words, { DATA_DIR: '/nowhere' })
    assert.is(code, 2)
    assert.match(complained, /^plinth explain needs a request, or one of .* Use: plinth explain '<METHOD> <path>'/)
  }
})

run('suggests the option that was meant', async () => {
  const { code, complained } = await plinth(['start', '--dmeo'])
  assert.is(code, 2)
  assert.is(complained, 'plinth start has no option --dmeo. Did you mean --demo? Use: plinth start [--demo] [--watch]')
})

run('says when a command needs more words, or was given too many', async () => {
  assert.is((await plinth(['dump'])).complained, 'plinth dump needs more words. Use: plinth dump <file>')
  assert.is(
    (await plinth(['check', 'twice'])).complained,
    'plinth check does not know what to do with "twice". Use: plinth check [--all | --data]',
  )
})

run('reports bad settings before it does anything', async () => {
  const { code, complained } = await plinth(['check'], { PORT: 'eighty' })
  assert.is(code, 1)
  assert.match(complained, 'The environment variable PORT must be a whole number from 0 to 65535.')
})

run('check says nothing when the YAML is fine', async () => {
  const { path, remove } = folder(NOTES)
  assert.equal(await plinth(['check'], { RESOURCES_DIR: `${path}/resources` }), { code: 0, said: '', complained: '' })
  remove()
})

run('check reports the mistakes of all files at once, each with its place and the nearest word', async () => {
  const { path, write, remove } = folder(NOTES)
  write('resources/notes.yaml', 'resource: notes\nlabel: Note\nfields:\n  title: { type: strin }\npolices: {}\n')
  write('resources/lists.yaml', 'resource: lists\nfields:\n  name: { type: string, requird: true }\n')
  const { code, said, complained } = await plinth(['check'], { RESOURCES_DIR: `${path}/resources` })
  assert.is(code, 1)
  assert.is(said, '')
  for (const place of ['notes.yaml:4:18', 'notes.yaml:5:1', 'lists.yaml:3:25']) assert.match(complained, place)
  for (const word of ['string', 'policies', 'required']) assert.match(complained, word)
  remove()
})

run('check reports the mistakes in scenarios beside those of the application', async () => {
  const { path, write, remove } = folder(NOTES)
  write('resources/notes.test.yaml', 'scenarios:\n  one:\n    - { request: GET /notes, statsu: 200 }\n')
  const alone = await plinth(['check'], { RESOURCES_DIR: `${path}/resources` })
  assert.is(alone.code, 1)
  assert.match(alone.complained, /notes\.test\.yaml:3:30 error unknown_key: Unknown key "statsu"/)
  write('resources/lists.yaml', 'resource: lists\nfields:\n  name: { type: strin }\n')
  write('resources/lists.test.yaml', 'scenarios:\n  : :\n')
  const { complained } = await plinth(['check'], { RESOURCES_DIR: `${path}/resources` })
  for (const place of ['notes.test.yaml:3:30', 'lists.test.yaml:2:', 'lists.yaml:3:17']) assert.match(complained, place)
  remove()
})

run('check reports a folder without an application', async () => {
  const { path, remove } = folder({})
  const { code, complained } = await plinth(['check'], { RESOURCES_DIR: path })
  assert.is(code, 1)
  assert.match(complained, 'There is no app.yaml')
  remove()
})

run('schema writes what editors complete from, beside the folder of resources', async () => {
  const { path, remove } = folder(NOTES)
  const { code, said } = await plinth(['schema'], { RESOURCES_DIR: `${path}/resources` })
  assert.is(code, 0)
  assert.match(said, 'resource.schema.json')
  const { default: schema } = (await import(`${path}/.plinth/resource.schema.json`, { with: { type: 'json' } })) as {
    default: { properties: Record<string, unknown> }
  }
  assert.ok('fields' in schema.properties)
  assert.ok('timestamps' in schema.properties)
  remove()
})

run.run()
