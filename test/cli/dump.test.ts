/** The commands dump and load, of an application that is served and one that is not. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { testDatabase } from '../support/database.ts'
import { bare, build, PROGRAM, type Server, startServer } from './server.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'

const dumping = suite('dump and load')
/** What has no server in it is run without one. */
const embedded = process.env.TEST_DATABASE_URL ? dumping.skip : dumping
let place: Folder
let server: Server | undefined

function run(data: string, ...args: string[]): Promise<Ran> {
  return plinth(args, { RESOURCES_DIR: join(place.path, 'resources'), DATA_DIR: join(place.path, data) })
}

const file = (name: string): string => join(place.path, name)

dumping.before(async () => {
  build()
  place = folder(NOTES)
  server = await startServer(PROGRAM, place.path, bare({ DATA_DIR: file('data') }))
  await fetch(`${server.url}/api/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'kept', stars: 3 }),
  })
})
dumping.after(async () => {
  await server?.stop('SIGTERM')
  place?.remove()
})

embedded('nothing is dumped where nothing was begun', async () => {
  const { code, complained } = await run('nowhere', 'dump', file('a'))
  assert.is(code, 1)
  assert.match(complained, 'There is no database in')
  assert.not(existsSync(file('a')))
})

dumping('an application is dumped while it is served', async () => {
  const { code, said, complained } = await run('data', 'dump', file('a'))
  assert.is(code, 0, complained)
  assert.match(said, /^Dumped \d+ tables, \d+ rows and 0 files into .*a \([\d.]+ kB\)\.$/)
  const again = await run('data', 'dump', file('a'))
  assert.match(again.complained, 'is there already: a dump overwrites nothing.')
})

embedded('a database that a server has open, or that holds records, takes no dump', async () => {
  const open = await run('data', 'load', file('a'))
  assert.is(open.code, 1)
  assert.match(open.complained, /^Nothing was loaded\. .*in use by process \d+: stop that process/)
  await server?.stop('SIGTERM')
  server = undefined
  const held = await run('data', 'load', file('a'))
  assert.match(held.complained, 'The database holds records already, in notes (1): a dump is loaded into an empty one.')
})

embedded('a load says that every row was compared, and what was loaded is served', async () => {
  const { code, said, complained } = await run('other', 'load', file('a'))
  assert.is(code, 0, complained)
  assert.match(said, /^Loaded \d+ tables, \d+ rows and 0 files: Notes as it was in embedded PostgreSQL \d+ in .* at 20/)
  assert.match(said, /Every row was read back and compared: the checksums of all \d+ tables are those of the dump\.$/)
  assert.is((await run('other', 'plan')).said, 'Nothing to do: the database is as the YAML says.')
  const explained = await run('other', 'explain', 'GET /api/notes')
  assert.match(explained.said, 'outcome: 200, 1 of 1 records')
})

embedded('a load into other YAML says what differs; as dumped, the next start brings it there', async () => {
  place.write(
    'resources/notes.yaml',
    NOTES['resources/notes.yaml'].replace('  stars:', '  mood: { type: string }\n  stars:'),
  )
  const refused = await run('third', 'load', file('a'))
  assert.is(refused.code, 1)
  assert.match(refused.complained, /does not describe the dumped tables\. It would:\n {2}add column notes\.mood/)
  assert.match(refused.complained, 'Load with the YAML of that time, or with --as-dumped')
  const taken = await run('third', 'load', file('a'), '--as-dumped')
  assert.is(taken.code, 0, taken.complained)
  assert.match((await run('third', 'plan')).said, 'add column notes.mood')
  place.write('resources/notes.yaml', NOTES['resources/notes.yaml'])
})

dumping('the way leads from the embedded database to a server', async () => {
  const target = await testDatabase()
  try {
    if (target.url === undefined) return
    const env = { RESOURCES_DIR: join(place.path, 'resources'), DATA_DIR: file('served'), DATABASE_URL: target.url }
    const { code, complained } = await plinth(['load', file('a')], env)
    assert.is(code, 0, complained)
    const { said } = await plinth(['explain', 'GET /api/notes'], env)
    assert.match(said, 'outcome: 200, 1 of 1 records')
  } finally {
    await target.close()
  }
})

dumping.run()
