/** The first hour with a new application: its README is followed to the letter, from an empty folder to one that is tested. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { blocks, commands, send } from '../support/page.ts'
import { until } from '../support/wait.ts'
import { newApplication } from './new-application.ts'
import { bare } from './server.ts'
import { type Folder, folder } from './world.ts'

const hour = suite('a new application')

let world: Folder
let app: string

/** A line of the README in a shell; gives what it said. */
function shell(line: string, before = ''): string {
  const options = { cwd: app, env: bare({}), encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `${before}${line}`], options)
  assert.is(status, 0, `${line}\n${stdout}${stderr}`)
  return stdout
}

/** As `npx` runs a command that is installed, without the second in which it looks whether it is. */
const direct = (line: string): string => shell(line, 'npx() { node_modules/.bin/"$@"; }; ')

hour.before(() => {
  world = folder({})
  app = newApplication(world.path, 'room-bookings')
})
hour.after(() => world?.remove())

hour('is served, changed and served again, as its README says', async () => {
  const page = readFileSync(join(app, 'README.md'), 'utf8')
  const [start = '', use = ''] = blocks(page, 'sh', 'Run it')
  assert.equal(start.trim().split('\n'), ['npm install', 'npm run dev'])
  const child = spawn('npm', ['run', 'dev'], {
    cwd: app,
    env: bare({}),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  const ended = once(child, 'exit')
  try {
    await until(() => /Password\s+\S+/.test(output) && /http:\S+\/docs/.test(output), 60_000)
    const address = /http:\/\/[\d.]+:\d+/.exec(output)?.[0] ?? output
    const [register, book] = commands(use)
    const { token } = (await send(address, register!)).body.data
    await send(address, book!, token)

    const [field = ''] = blocks(page, 'yaml', 'Change it')
    const [change] = blocks(page, 'sh', 'Change it').flatMap(commands)
    const bookings = join(app, 'resources/bookings.yaml')
    const [, added = ''] = /`(npx plinth add field [^`]*)`/.exec(page) ?? []
    assert.match(shell(added), 'guests')
    assert.match(readFileSync(bookings, 'utf8').replace(/guests: +/, 'guests: '), field)
    await until(() => output.includes('The change is served.'), 30_000)
    await send(address, change!, token)
    assert.match(readFileSync(join(app, '.plinth/types.d.ts'), 'utf8'), 'readonly guests: number | null')
  } finally {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM')
    await ended
  }
})

hour('is tested by its own test', () => {
  const output = shell('npm test')
  assert.is([...output.matchAll(/^ {2}✔ /gm)].length, 6)
  assert.not.match(output, 'No scenario was answered by these clauses', output)
  assert.match(output, /pass 2\n/)
  assert.match(output, /fail 0\n/)
})

hour('grows by the commands of its README, and the plugin that they add has its test', () => {
  const page = readFileSync(join(app, 'README.md'), 'utf8')
  const added = blocks(page, 'sh', 'Change it').find((block) => block.includes('plinth add')) ?? ''
  assert.is(added.trim().split('\n').length, 4)
  // Each would open it, to look for rows that a change does not fit; the first one above did so.
  rmSync(join(app, 'data'), { recursive: true })
  for (const line of added.trim().split('\n')) direct(line)
  direct('npx plinth check')
  assert.match(direct('npx plinth test greeting'), /pass 2\n/)
})

hour('a test that fails makes `npm test` fail', () => {
  world.write(
    'room-bookings/plugins/office/wrong.test.ts',
    "import { test } from 'node:test'\nenum Word { Said = 'nothing is right' }\ntest('wrong', () => { throw new Error(Word.Said) })\n",
  )
  const { status, stdout } = spawnSync('npm', ['test', '--', 'wrong'], { cwd: app, env: bare({}), encoding: 'utf8' })
  assert.is(status, 1)
  assert.match(stdout, 'nothing is right')
  assert.not.match(stdout, 'a room is booked')
  writeFileSync(join(app, 'plugins/office/wrong.test.ts'), '')
})

hour('its plugins are typed by its resources', () => {
  world.write(
    'room-bookings/plugins/office/use.ts',
    `import type { PluginContext, RecordOf } from 'plinth'
export async function use(context: PluginContext): Promise<RecordOf<'bookings'>> {
  const bookings = context.records('bookings')
  const one = await bookings.get(1)
  const kind: 'attic' | 'garden' | 'studio' = one.room
  void [kind, one.titel]
  return bookings.update(1, { romm: 'attic' })
}
`,
  )
  const { status, stdout } = spawnSync('npm', ['run', 'check'], { cwd: app, env: bare({}), encoding: 'utf8' })
  assert.is.not(status, 0)
  const errors = [...stdout.matchAll(/^(\S+\.ts)\((\d+),\d+\): error .*?'(titel|romm)'/gm)].map((match) =>
    match.slice(1),
  )
  assert.equal(errors, [
    ['plugins/office/use.ts', '6', 'titel'],
    ['plugins/office/use.ts', '7', 'romm'],
  ])
  // And nothing else: the application as it was made is right.
  assert.is([...stdout.matchAll(/ error /g)].length, 2, stdout)
})

hour.run()
