/** Commands beside a running server on the embedded database: they use it by way of the server, in turns with requests. */
import { existsSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, build, PROGRAM, type Server, startServer } from './server.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'

const beside = suite('commands beside a running server')
const FULL = NOTES['resources/notes.yaml']
const NAME = '.s.PGSQL.5432'
let place: Folder
let server: Server

/** A folder of data whose path is too long for a socket. */
const LONG = `${'long-'.repeat(24)}data`

function dataDir(name = 'data'): string {
  return join(place.path, name)
}

function run(...args: string[]): Promise<Ran> {
  const [RESOURCES_DIR, PLUGINS_DIR] = [join(place.path, 'resources'), join(place.path, 'plugins')]
  return plinth(args, { RESOURCES_DIR, PLUGINS_DIR, DATA_DIR: dataDir() })
}

function start(name?: string): Promise<Server> {
  return startServer(PROGRAM, place.path, bare({ DATA_DIR: dataDir(name) }))
}

function describe(notes: string): void {
  place.write('resources/notes.yaml', notes)
}

async function titles(): Promise<readonly string[]> {
  const { data } = (await (await fetch(`${server.url}/api/notes`)).json()) as { data: { title: string }[] }
  return data.map(({ title }) => title)
}

beside.before(async () => {
  build()
  place = folder(NOTES)
  server = await start()
  await fetch(`${server.url}/api/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'kept', stars: 3 }),
  })
})
beside.after(async () => {
  await server?.stop('SIGTERM')
  place?.remove()
})

beside('plan compares the YAML on the disk with the database that the server has open', async () => {
  assert.equal(await run('plan'), { code: 0, said: 'Nothing to do: the database is as the YAML says.', complained: '' })
  describe(FULL.replace('fields:', 'fields:\n  mood: { type: string }'))
  assert.match((await run('plan')).said, 'add column notes.mood')
  assert.equal(await titles(), ['kept'])
})

beside('explain shows what the server would answer', async () => {
  describe(FULL)
  const { code, said, complained } = await run('explain', 'GET /api/notes')
  assert.is(code, 0, complained)
  assert.match(said, 'outcome: 200, 1 of 1 records')
})

beside('apply, purge and restore-field change the database under the server', async () => {
  describe(FULL.replace('fields:', 'fields:\n  mood: { type: string }'))
  const added = await run('apply', /^Plan (\w+)/.exec((await run('plan')).said)?.[1] ?? '')
  assert.is(added.code, 0, added.complained)
  describe(FULL)
  await run('apply', /^Plan (\w+)/.exec((await run('plan')).said)?.[1] ?? '')
  assert.match((await run('purge')).said, /^would destroy notes\.mood/)
  const restored = await run('restore-field', 'notes.mood')
  assert.is(restored.code, 0, restored.complained)
  assert.equal(await titles(), ['kept'])
})

beside('many commands and requests at once take turns', async () => {
  const [plans, lists] = await Promise.all([
    Promise.all([run('plan'), run('plan'), run('purge')]),
    Promise.all(Array.from({ length: 20 }, titles)),
  ])
  assert.ok(plans.every(({ code }) => code === 0))
  assert.ok(lists.every(([title]) => title === 'kept'))
})

beside('a command that dies in a transaction loses it, and the server serves on', async () => {
  const command = new pg.Client({ host: dataDir(), user: 'postgres', database: 'postgres', ssl: false })
  command.on('error', () => {})
  await command.connect()
  await command.query("begin; update notes set title = 'lost'")
  assert.equal((await command.query('select title from notes')).rows, [{ title: 'lost' }])
  const waiting = titles()
  command.connection.stream.destroy()
  assert.equal(await waiting, ['kept'])
})

beside('the socket is for its user alone', () => {
  const { mode } = statSync(join(dataDir(), NAME))
  assert.is(mode & 0o777, 0o600)
})

beside('a second server is still refused', async () => {
  const failure = await start().then(
    () => 'it started',
    (error: Error) => error.message,
  )
  assert.match(
    failure,
    /in use by process \d+: stop that process, or give this one another DATA_DIR or a DATABASE_URL\.\n/,
  )
})

beside('what a killed server left behind is recognised, and removed by the next one', async () => {
  server.child.kill('SIGKILL')
  await new Promise((done) => server.child.once('exit', done))
  assert.ok(existsSync(join(dataDir(), NAME)))
  assert.is((await run('plan')).code, 0)
  server = await start()
  assert.is((await run('plan')).code, 0)
  assert.is((await server.stop('SIGTERM')).code, 0)
  assert.not(existsSync(join(dataDir(), NAME)))
})

beside('a path that is too long for a socket is a link to one', async () => {
  server = await start(LONG)
  assert.ok(lstatSync(join(dataDir(LONG), NAME)).isSymbolicLink())
  const { code, complained } = await plinth(['plan'], {
    RESOURCES_DIR: join(place.path, 'resources'),
    DATA_DIR: dataDir(LONG),
  })
  assert.is(code, 0, complained)
})

beside.run()
