/** Existing tables that another program changes while they are served, and before the next start. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { Database } from '../../engine/database/database.ts'
import { lookAtTables } from '../../engine/doctor/server.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { planFor } from '../../engine/migration/migrate.ts'
import { readSettings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('drift of existing tables')

const SCHEMA = `create table guest (id serial primary key, full_name text not null, born date, mood text);
create table room (id serial primary key, name text not null);
create table stay (id serial primary key, guest_id integer not null references guest, nights integer);
insert into guest (full_name, born) values ('Ada', '1815-12-10'); insert into room (name) values ('Blue');
insert into stay (guest_id, nights) values (1, 2);`

const POLICIES =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }\n'
const FILES = {
  'guests.yaml': `resource: guests\ntable: guest\nexisting: true\nfields:\n  full_name: { type: text, required: true }\n  born: { type: date }\n  mood: { type: text }\n${POLICIES}`,
  'rooms.yaml': `resource: rooms\ntable: room\nexisting: true\nfields: { name: { type: text, required: true } }\n${POLICIES}`,
  'stays.yaml': `resource: stays\ntable: stay\nexisting: true\nfields: { nights: { type: integer } }\nrelations: { guest: { belongs_to: guests, required: true, embed: [id, full_name] } }\n${POLICIES}`,
  'notes.yaml': `resource: notes\nfields: { text: { type: text } }\n${POLICIES}`,
}

interface World {
  readonly database: Database
  readonly lines: string[]
  open(app: string): Promise<{ readonly engine: Engine | undefined; readonly said: string; readonly url: string }>
  folder: string
  close(): Promise<void>
}

async function world(): Promise<World> {
  const made: TestDatabase = await testDatabase()
  const { database } = made
  await database.knex.raw(SCHEMA)
  const folder = await mkdtemp(join(tmpdir(), 'plinth-drift-'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
  const lines: string[] = []
  const note = (...said: unknown[]) => void lines.push(JSON.stringify(said))
  const log = { ...SILENT, warn: note, error: note }
  return {
    ...{ database, folder, lines },
    async open(app) {
      await writeFile(join(folder, 'app.yaml'), app)
      const env = { PORT: '0', RESOURCES_DIR: folder, DATA_DIR: join(folder, 'data'), RATE_LIMIT: '100000' }
      const { value: engine, diagnostics } = await createEngine({ settings: readSettings(env).value!, log, database })
      const url = engine === undefined ? '' : (await engine.listen()).url
      return { engine, said: renderDiagnostics(diagnostics), url }
    },
    async close() {
      await made.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, path: string, method = 'GET', body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await fetch(`${url}${path}`, { method, ...sent })
  return { status: answer.status, text: await answer.text(), retry: answer.headers.get('retry-after') }
}

/** What another program does, how it is undone, and what it is called. */
const CHANGES = {
  'a renamed column': [
    'alter table guest rename full_name to name',
    'alter table guest rename name to full_name',
    'guest.full_name',
  ],
  'a dropped column': ['alter table guest drop mood', 'alter table guest add mood text', 'guest.mood'],
  'a column of another type': [
    'alter table guest alter born type text',
    'alter table guest alter born type date using born::date',
    'guest.born',
  ],
  'a renamed table': ['alter table guest rename to person', 'alter table person rename to guest', 'table guest'],
  'a key that is gone': [
    'alter table guest drop constraint guest_pkey cascade',
    'alter table guest add primary key (id)',
    'primary key of guest',
  ],
} as const

const REQUESTS = [
  ['/guests', 'GET'],
  ['/guests/1', 'GET'],
  ['/guests?sort=-id', 'GET'],
  ['/guests', 'POST', { full_name: 'Grace' }],
  ['/guests/1', 'PATCH', { mood: 'glad' }],
  ['/guests/batch', 'POST', { create: [{ full_name: 'Grace' }] }],
] as const

let place: World
let served: Awaited<ReturnType<World['open']>>
test.before(async () => {
  place = await world()
  served = await place.open('name: Inn\n')
  assert.ok(served.engine, served.said)
})
test.after(async () => {
  await served?.engine?.close()
  await place?.close()
})

for (const [what, [change, back, name]] of Object.entries(CHANGES)) {
  for (const seenBy of ['a request', 'a probe'] as const) {
    test(`${what}, seen by ${seenBy}: its resource alone is 503, and all is served when it is undone`, async () => {
      const { url } = served
      assert.is((await ask(url, '/guests/1')).status, 200)
      await place.database.knex.raw(change)
      try {
        if (seenBy === 'a probe') await ask(url, '/readyz')
        for (const [path, method, body] of REQUESTS) {
          const answer = await ask(url, path, method, body)
          // What the change does not touch is answered until a probe has seen it.
          if (seenBy === 'a request' && answer.status < 300) continue
          assert.is(answer.status, 503, `${method} ${path} ${answer.text}`)
          assert.match(answer.text, 'Guest cannot be served at present')
          assert.not.match(answer.text, /full_name|born|mood|person/)
          assert.ok(Number(answer.retry) > 0)
        }
        for (const path of ['/rooms', '/rooms/1', '/notes']) assert.is((await ask(url, path)).status, 200, path)
        assert.is.not((await ask(url, '/stays')).status, 500)
        const ready = await ask(url, '/readyz')
        assert.is(ready.status, 200)
        assert.is(JSON.parse(ready.text).data.checks.tables, 'differs')
        assert.not.match(ready.text, /guest/i)
        assert.ok(
          place.lines.some((line) => line.includes(name)),
          place.lines.join('\n'),
        )
      } finally {
        await place.database.knex.raw(back)
      }
      assert.is(JSON.parse((await ask(url, '/readyz')).text).data.checks.tables, 'ok')
      const again = await ask(url, '/guests')
      assert.is(again.status, 200, again.text)
      place.lines.length = 0
    })
  }
}

test('a start stops at a difference, and serves the rest where app.yaml says so; plan and doctor name it', async () => {
  const place = await world()
  try {
    await (await place.open('name: Inn\n')).engine?.close()
    await place.database.knex.raw(CHANGES['a renamed column'][0])
    await place.database.knex.raw('alter table guest drop born')
    const stopped = await place.open('name: Inn\n')
    assert.not.ok(stopped.engine)
    assert.match(stopped.said, 'there is no column guest.full_name')
    const { engine, said, url } = await place.open('name: Inn\non_drift: serve_the_rest\n')
    assert.ok(engine, said)
    try {
      assert.is((await ask(url, '/guests')).status, 503)
      assert.is((await ask(url, '/rooms')).status, 200)
      assert.is((await ask(url, '/notes', 'POST', { text: 'x' })).status, 201)
      assert.ok(place.lines.some((line) => line.includes('guest.full_name') && line.includes('guest.born')))
    } finally {
      await engine.close()
    }
    const catalog = (await readCatalog({ resourcesDir: place.folder, pluginsDir: join(place.folder, 'plugins') }))
      .value!.catalog
    const plan = await planFor(catalog, place.database, new Date())
    assert.ok(plan.value.steps.some(({ title }) => title.includes('guest.full_name')))
    assert.equal(plan.value.start.refuses, [])
    const [finding] = await lookAtTables(place.database, catalog, new Date())
    assert.match(finding!.message, /guest\.full_name.*guest\.born/)
  } finally {
    await place.close()
  }
})

test.run()
