/** Another version of the files is served by all running instances without a restart, or by none of them. */
import { join } from 'node:path'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, build, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from '../cli/world.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const rollout = suite('rollout')
const NOTE = NOTES['resources/notes.yaml']
const COLORED = NOTE.replace('fields:', 'fields:\n  color: { type: string, max: 10 }')
const RENAMED = COLORED.replace('  color: {', '  colour: { renamed_from: color,')
const BROKEN = COLORED.replace('type: integer', 'type: intger')

/** Where an instance has its files. */
interface Place {
  readonly files: Folder
  readonly server: Server
}

let close: () => Promise<void> = async () => {}
let url: string | undefined
const places: Place[] = []

async function begin(): Promise<Place> {
  const files = folder(NOTES)
  const server = await startServer(
    PROGRAM,
    files.path,
    bare({ DATABASE_URL: url, DATA_DIR: join(files.path, 'data'), RATE_LIMIT: '100000000' }),
  )
  const place = { files, server }
  places.push(place)
  return place
}

const [one, two] = [() => places[0]!, () => places[1]!]

/** What the commands of a place are run with. */
function environment({ path }: Folder): Readonly<Record<string, string | undefined>> {
  const [RESOURCES_DIR, PLUGINS_DIR, DATA_DIR] = ['resources', 'plugins', 'data'].map((name) => join(path, name))
  return { RESOURCES_DIR, PLUGINS_DIR, DATA_DIR, DATABASE_URL: url }
}

function apply({ files }: Place, ...args: string[]): Promise<Ran> {
  return plinth(['apply', ...args], environment(files))
}

function save({ files }: Place, notes: string): void {
  files.write('resources/notes.yaml', notes)
}

function post({ server }: Place, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${server.url}/api/notes`, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function keys({ server }: Place): Promise<readonly string[]> {
  const { data } = (await (await fetch(`${server.url}/api/notes?sort=-id`)).json()) as { data: object[] }
  return Object.keys(data[0] ?? {})
}

/** Asks every instance without a pause while `work` runs; gives the answers that are no success. */
async function under(work: () => Promise<void>): Promise<readonly string[]> {
  let asking = true
  const wrong: string[] = []
  const ask = async (place: Place): Promise<void> => {
    while (asking) {
      const answers = await Promise.all([fetch(`${place.server.url}/api/notes`), post(place, { title: 'under load' })])
      for (const answer of answers) {
        const text = await answer.text()
        if (!answer.ok) wrong.push(`${answer.status} ${text}`)
      }
    }
  }
  const askers = places.map(ask)
  await work()
  asking = false
  await Promise.all(askers)
  return wrong
}

rollout.before(async () => {
  build()
  if (process.env.TEST_DATABASE_URL !== undefined) {
    const made = await testDatabase()
    url = made.url
    close = made.close
  }
  await begin()
  if (url !== undefined) await begin()
  assert.is((await post(one(), { title: 'first' })).status, 201)
})
rollout.after(async () => {
  await Promise.all(places.map(({ server }) => server.stop('SIGTERM')))
  for (const { files } of places) files.remove()
  await close()
})

rollout('apply without a hash has every running instance serve the files as they are now', async () => {
  for (const place of places) save(place, COLORED)
  let ran: Ran | undefined
  const wrong = await under(async () => {
    ran = await apply(one())
  })
  assert.is(ran?.code, 0, ran?.complained)
  assert.match(ran?.said ?? '', /^add column notes\.color \(/)
  assert.is(ran?.said.match(/ serves the files as they are now\.$/gm)?.length, places.length)
  for (const { server } of places) assert.match(ran?.said ?? '', `:${server.child.pid} serves`)
  assert.equal(wrong, [])
  for (const place of places) assert.ok((await keys(place)).includes('color'))
})

rollout(
  'a field becomes required under load, with a value for the records that have none, and no request fails',
  async () => {
    const required = COLORED.replace('max: 10 }', 'max: 10, nullable: false, default: grey, backfill: blue }')
    assert.is.not(required, COLORED)
    for (const place of places) save(place, required)
    let ran: Ran | undefined
    const wrong = await under(async () => {
      ran = await apply(one())
    })
    assert.is(ran?.code, 0, ran?.complained)
    assert.match(ran?.said ?? '', 'require notes.color, where null becomes blue')
    assert.equal(wrong, [])
    for (const place of places) save(place, COLORED)
    assert.is((await apply(one())).code, 0)
  },
)

rollout('files with a mistake are told, and every instance serves on', async () => {
  for (const place of places) save(place, BROKEN)
  const ran = await apply(one())
  assert.is(ran.code, 1)
  assert.match(ran.complained, 'intger')
  for (const place of places) assert.ok((await keys(place)).includes('color'))
  for (const place of places) save(place, COLORED)
})

rollout('a field is renamed after SIGHUP under load, and no request fails', async () => {
  const { data: kept } = (await (await post(one(), { title: 'kept', color: 'red' })).json()) as { data: { id: number } }
  for (const place of places) save(place, RENAMED)
  const wrong = await under(async () => {
    one().server.child.kill('SIGHUP')
    await until(async () => (await Promise.all(places.map(keys))).every((found) => found.includes('colour')), 15_000)
  })
  assert.equal(wrong, [])
  const { data } = (await (await fetch(`${one().server.url}/api/notes/${kept.id}`)).json()) as { data: object }
  assert.is(Reflect.get(data, 'colour'), 'red')
  await until(async () => one().server.output().includes('serves the files as they are now.'))
})

rollout('SIGHUP with a mistake in the files leaves what is served, and says why', async () => {
  save(one(), BROKEN)
  one().server.child.kill('SIGHUP')
  await until(async () => one().server.output().includes('What was served is served on.'))
  assert.match(one().server.output(), 'intger')
  assert.ok((await keys(one())).includes('colour'))
})

rollout('a removal that a person applies is rolled out with its plan', async () => {
  for (const place of places) save(place, NOTE)
  const planned = await plinth(['plan'], environment(one().files))
  const hash = /plinth apply (\w+)/.exec(planned.said)?.[1]
  assert.ok(hash, planned.said)
  let ran: Ran | undefined
  const wrong = await under(async () => {
    ran = await apply(one(), String(hash))
  })
  assert.is(ran?.code, 0, ran?.complained)
  assert.equal(wrong, [])
  for (const place of places) assert.not.ok((await keys(place)).includes('colour'))
})

rollout('where one instance has other files, all serve on and nothing changes in the database', async () => {
  if (url === undefined) return
  save(one(), COLORED.replace('color:', 'shade:'))
  const ran = await apply(one())
  assert.is(ran.code, 1)
  assert.match(
    ran.complained,
    `:${two().server.child.pid} cannot serve this version: the files here are of another version`,
  )
  assert.match(ran.complained, 'nothing has changed in the database')
  for (const place of places) assert.not.ok((await keys(place)).includes('shade'))
  save(two(), COLORED.replace('color:', 'shade:'))
  assert.match((await apply(two())).said, 'add column notes.shade')
  for (const place of places) assert.ok((await keys(place)).includes('shade'))
})

rollout('requests are served while a table that is to be changed is in use', async () => {
  if (url === undefined) return
  for (const place of places) save(place, NOTE)
  assert.is((await apply(one())).code, 0)
  const other = new pg.Client(url)
  await other.connect()
  try {
    await other.query('begin')
    // As long as it stands, the table cannot be changed.
    await other.query('select 1 from notes order by id limit 1 for update')
    for (const place of places) save(place, NOTE.replace('type: integer, min: 1, max: 5', 'type: string, max: 20'))
    const applying = apply(one())
    await until(async () => {
      await other.query('select pg_stat_clear_snapshot()')
      const { rows } = await other.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database() and query like 'alter table "notes"%'`)
      return rows.length > 0
    })
    for (const place of places) {
      assert.is((await post(place, { title: 'meanwhile', stars: 4 })).status, 201)
      assert.ok((await keys(place)).includes('stars'))
    }
    await other.query('rollback')
    const ran = await applying
    assert.is(ran.code, 0, ran.complained)
    for (const { server } of places) {
      const { data } = (await (await fetch(`${server.url}/api/notes?sort=-id`)).json()) as { data: object[] }
      assert.equal(
        data.slice(0, 2).map((note) => Reflect.get(note, 'stars')),
        ['4', '4'],
      )
    }
  } finally {
    await other.end()
  }
})

rollout('an instance that has stopped is asked nothing', async () => {
  if (url === undefined) return
  assert.is((await two().server.stop('SIGTERM')).code, 0)
  places.length = 1
  save(one(), NOTE.replace('fields:', 'fields:\n  mood: { type: string }'))
  const ran = await apply(one())
  assert.is(ran.code, 0, ran.complained)
  assert.is(ran.said.match(/ serves the files as they are now\.$/gm)?.length, 1)
})

rollout.run()
