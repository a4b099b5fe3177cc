/** Commands of plugins on a database of their own: those that look leave it as it is, those that begin it say so. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { printed } from '../support/printed.ts'
import { type Folder, folder, plinth } from './world.ts'

const test = suite('commands of plugins')
let place: Folder

test.before(() => {
  place = folder({ 'tickets.csv': 'Subject,Details\nA printer,It burns\n' })
})
test.after(() => place?.remove())

/** Runs a command on the desk; what the plugin prints stands behind what the command line says. */
async function run(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const { result, text } = await printed(() => plinth(args, { DATA_DIR: join(place.path, 'data') }))
  return { code: result.code, said: `${result.said}\n${result.complained}\n${text}` }
}

const DRY_RUN = () => run('import', 'tickets', join(place.path, 'tickets.csv'), '--dry-run')

test('what only looks makes no database', async () => {
  const slips = [await run('import'), await run('import', 'tickets', 'no-such.csv')]
  const looks = [await DRY_RUN(), await run('jobs'), await run('ai-evaluate'), await run('admin', 'password')]
  for (const ran of [...slips, ...looks]) {
    assert.is(ran.code, 1)
    assert.match(ran.said, /There is no database in .*data yet: `plinth start` makes it\./)
  }
  assert.not(existsSync(join(place.path, 'data')))
})

test('what only looks changes no database that is not what the YAML describes', async () => {
  const plan = await run('plan')
  const dry = await DRY_RUN()
  assert.is(dry.code, 1, dry.said)
  assert.match(dry.said, /is not what the YAML describes: \d+ changes wait, see `plinth plan`/)
  assert.is((await run('plan')).said, plan.said)
})

test('a command that begins an application prints the first admin as a start does', async () => {
  const { code, said } = await run('demo')
  assert.is(code, 0, said)
  assert.match(said, /^Admin {6}admin@example\.com\nPassword {3}\S{16} {3}\(shown only now\)\n\n?Demo /)
})

test('on an application that has begun they look, and print no password', async () => {
  const dry = await DRY_RUN()
  assert.is(dry.code, 0, dry.said)
  assert.match(dry.said, '1 of 1 rows would be imported, 0 skipped, 0 would fail; nothing was written')
  assert.not.match(dry.said, 'Password')
  const written = await run('import', 'tickets', join(place.path, 'tickets.csv'))
  assert.is(written.code, 0, written.said)
  assert.not.match(written.said, 'Password')
})

test.run()
