/** A dump of the whole desk and its way into other databases: embedded ones, and a server where there is one. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Boot, readCatalog } from '../../engine/boot/boot.ts'
import { readBatch } from '../../engine/change/log.ts'
import type { Database } from '../../engine/database/database.ts'
import { type Throwaway, throwawayDatabase } from '../../engine/database/throwaway.ts'
import { dump } from '../../engine/dump/dump.ts'
import { load, type Target } from '../../engine/dump/load.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import { send } from '../support/application.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const dumping = suite('dump and load of the desk')
const folder = mkdtempSync(join(tmpdir(), 'plinth-dump-'))
const SECRET = 'q8Zr-Kp2vXw_71bNsT4yLm0cGd9uHf3eJa6i'
const BOSS = { email: 'boss@desk.example', password: 'a very long secret' }
const first = join(folder, 'first.dump')
let boot: Boot
let source: Throwaway
/** The place of a listener before the last ticket. */
let place = ''

function settingsOf(name: string, more: Readonly<Record<string, string>> = {}): Settings {
  const own = { PORT: '0', DATA_DIR: join(folder, name), APP_SECRET: SECRET, BASE_URL: 'http://desk.example' }
  const admin = { ADMIN_EMAIL: BOSS.email, ADMIN_PASSWORD: BOSS.password, AUTH_RATE_LIMIT: '1000' }
  const { value } = readSettings({ ...own, ...admin, ...more })
  assert.ok(value)
  return value
}

/** Serves the desk on a database while `work` runs. */
async function served<T>(
  { database }: Throwaway,
  settings: Settings,
  work: (
    call: (method: string, path: string, body?: unknown, headers?: object) => ReturnType<typeof send>,
  ) => Promise<T>,
): Promise<T> {
  const { value, diagnostics } = await createEngine({ settings, log: SILENT, database })
  assert.ok(value, JSON.stringify(diagnostics))
  const engine: Engine = value
  const { url } = await engine.listen()
  try {
    const login = await send(url, 'POST', '/api/v1/auth/login', { body: BOSS })
    const token = String(login.at('data.token'))
    return await work((method, path, body, headers = {}) =>
      send(url, method, `/api/v1${path}`, { token, body, headers: { ...headers } }),
    )
  } finally {
    await engine.close()
  }
}

function dumped(database: Database, settings: Settings, file: string) {
  const { catalog, composition } = boot
  return dump({ catalog, database, settings, files: composition.files, now: new Date('2026-01-31T12:00:00Z') }, file)
}

function loaded(database: Database, settings: Settings, file: string, more: Partial<Target> = {}) {
  const { catalog, composition } = boot
  const how = { asDumped: false, otherSecret: false, ...more }
  return load({ catalog, database, settings, files: composition.files, ...how }, file)
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it was not refused',
    (error: Error) => error.message,
  )
}

/** The lines of a dump but the first. */
function linesIn(file: string): readonly string[] {
  return gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(1)
}

function altered(name: string, change: (text: string) => string): string {
  const path = join(folder, name)
  writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(first)).toString())))
  return path
}

const one = async (database: Database, text: string): Promise<string | null | undefined> =>
  (await database.adhoc.run({ text }, []))[0]?.[0]

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

dumping.before(async () => {
  const read = await readCatalog(settingsOf('source'))
  assert.ok(read.value)
  boot = read.value
  source = await testDatabase()
  await served(source, settingsOf('source'), async (call) => {
    const ticket = await call('POST', '/tickets', {
      subject: 'Grüße 🖨',
      details: 'Smoke\nand "fire" \\ \t.',
      tags: ['a,b', '"'],
    })
    assert.is(ticket.status, 201, ticket.text)
    const form = 'XYZ'
    const head = `--${form}\r\nContent-Disposition: form-data; name="ticket_id"\r\n\r\n${ticket.at('data.id')}\r\n--${form}\r\nContent-Disposition: form-data; name="file"; filename="dot.png"\r\nContent-Type: image/png\r\n\r\n`
    const body = Buffer.concat([Buffer.from(head), PNG, Buffer.from(`\r\n--${form}--\r\n`)])
    const headers = { 'content-type': `multipart/form-data; boundary=${form}`, 'content-length': String(body.length) }
    const file = await call('POST', '/media', body, headers)
    assert.is(file.status, 201, file.text)
  })
  place = (await one(source.database, 'select pg_current_snapshot()::text')) ?? ''
  await served(source, settingsOf('source'), (call) => call('POST', '/tickets', { subject: 'Second', details: 'Two.' }))
  // As if one listener had not yet come to what was last, and what was set aside and never served again.
  await source.database.knex.raw(`update plinth_listener set done = '${place}', upto = null
    where name = (select min(name) from plinth_listener)`)
  await source.database.knex.raw('alter table tickets add column mood__removed_20260101 text')
  await source.database.knex.raw(`update tickets set mood__removed_20260101 = 'calm'`)
  await source.database.knex.raw('create table of_somebody (id integer)')
  await source.database.knex.raw(
    `insert into plinth_instance (id, name, version) values (gen_random_uuid(), 'web:1', 'x')`,
  )
})

dumping.after(async () => {
  await source?.close()
  rmSync(folder, { recursive: true, force: true })
})

dumping('a dump holds every table, row and file, for its user alone, and overwrites nothing', async () => {
  const done = await dumped(source.database, settingsOf('source'), first)
  assert.equal(done.left, ['of_somebody'])
  assert.equal([done.files, done.missing], [1, 0])
  assert.is(statSync(first).mode & 0o777, 0o600)
  assert.not(existsSync(`${first}.keys`))
  assert.match(await refusal(dumped(source.database, settingsOf('source'), first)), 'is there already')
  assert.not.match(gunzipSync(readFileSync(first)).toString(), SECRET)
  const instances = linesIn(first).findIndex((line) => line.startsWith('{"table":"plinth_instance"'))
  assert.match(linesIn(first)[instances + 1] ?? '', '{"rows":0,')
})

dumping('a load refuses another secret, and YAML that does not fit, before it writes anything', async () => {
  const target = await throwawayDatabase(undefined, { log: SILENT })
  try {
    const other = settingsOf('other', { APP_SECRET: 'zW3n-Yt8sRb_52mQkV1xPj7oCh4gLf0dUe9a' })
    assert.match(
      await refusal(loaded(target.database, other, first)),
      /has a secret, and this application has another one/,
    )
    const none = settingsOf('other', { APP_SECRET: '' })
    assert.match(await refusal(loaded(target.database, none, first)), /this application has none yet\. Set APP_SECRET/)
    const without = new Map([...boot.catalog.resources].filter(([name]) => name !== 'posts'))
    const tickets = boot.catalog.resources.get('tickets')!
    const more = {
      ...tickets,
      fields: new Map([
        ...tickets.fields,
        ['mood2', { ...tickets.fields.get('subject')!, name: 'mood2', column: 'mood2', nullable: true }],
      ]),
    }
    const catalog = { ...boot.catalog, resources: new Map([...without, ['tickets', more]]) }
    const refused = await refusal(loaded(target.database, settingsOf('other'), first, { catalog }))
    assert.match(refused, /The YAML does not describe the dumped tables\. It would:\n {2}add column tickets\.mood2/)
    assert.is(await one(target.database, `select count(*) from pg_class where relname like 'plinth%'`), '0')
  } finally {
    await target.close()
  }
})

dumping('a dump that is cut off, damaged or none at all leaves the database and the files as they were', async () => {
  const target = await throwawayDatabase(undefined, { log: SILENT })
  const settings = settingsOf('damaged')
  const bytes = readFileSync(first)
  const cut = join(folder, 'cut')
  writeFileSync(cut, bytes.subarray(0, bytes.length - 50))
  const text = join(folder, 'text')
  writeFileSync(text, 'no dump')
  const cases: readonly (readonly [string, RegExp])[] = [
    [cut, /is cut off/],
    [text, /is no dump of Plinth/],
    [join(folder, 'absent'), /There is no file/],
    [altered('short', (all) => all.slice(0, all.lastIndexOf('{"end"'))), /is cut off/],
    [
      altered('word', (all) => all.replace('"Second"', '"Seconds"')),
      /the rows of tickets are not those that were dumped/,
    ],
    [altered('file', (all) => all.replace('{"part":"iVBO', '{"part":"iVBP')), /a file is not the one that was dumped/],
    [altered('later', (all) => all.replace('"version":2', '"version":3')), /It has the version 3 of the format/],
    [
      altered('upward', (all) => all.replace('"file":"media/', '"file":"media/../../')),
      /would lead out of the storage/,
    ],
    [altered('other', () => '{"a":1}\n'), /It is no dump of Plinth/],
  ]
  try {
    for (const [file, expected] of cases) {
      assert.match(await refusal(loaded(target.database, settings, file)), expected, file)
      assert.is(await one(target.database, `select count(*) from pg_class where relname = 'tickets'`), '0')
    }
    assert.not(existsSync(join(folder, 'damaged/uploads/media')) && linesIn(first).length === 0)
  } finally {
    await target.close()
  }
})

dumping('a load gives back every row, and the desk goes on where it was', async () => {
  const target = await throwawayDatabase(undefined, { log: SILENT })
  const settings = settingsOf('target')
  try {
    const done = await loaded(target.database, settings, first)
    assert.is(done.secretDiffers, false)
    const second = join(folder, 'second.dump')
    await dumped(target.database, settings, second)
    assert.equal([...linesIn(second)].sort(), [...linesIn(first)].sort())
    assert.match(await refusal(loaded(target.database, settings, first)), /holds records already, in .*tickets \(2\)/)
    await sameDue(target.database)
    await goesOn(target, settings)
    // Back to where it came from; without a server that would be the same way once more.
    if (process.env.TEST_DATABASE_URL === undefined) return
    const third = await testDatabase()
    try {
      await loaded(third.database, settings, second)
      await sameDue(third.database)
      await goesOn(third, settings)
    } finally {
      await third.close()
    }
  } finally {
    await target.close()
  }
})

/** What the listener that was behind has to work is the same in both databases. */
async function sameDue(database: Database): Promise<void> {
  const due = async (of: Database) => {
    const text = 'select name, done::text, upto::text, last_id from plinth_listener order by name'
    const rows = await of.adhoc.run({ text }, [])
    const words = ['tickets create', 'tickets update', 'users create', 'media create']
    const batches = rows.map(async ([name, done, upto, lastId]) => {
      const at = { done: done ?? '', upto: upto ?? null, lastId: lastId ?? '0' }
      const batch = await readBatch(of.adhoc, boot.catalog, { name: name ?? '', words, place: at, most: 500, rest: 0 })
      return [name ?? '', batch.due.map(({ change }) => change.id)] as const
    })
    return Object.fromEntries(await Promise.all(batches))
  }
  const before = await due(source.database)
  assert.ok(Object.values(before).some((ids) => ids.length > 0))
  assert.equal(await due(database), before)
}

/** The next record has the next id and number; the picture is there; the old session still counts. */
async function goesOn(target: Throwaway, settings: Settings): Promise<void> {
  await served(target, settings, async (call) => {
    const list = await call('GET', '/tickets?sort=id')
    assert.equal(
      list.list.map(({ subject }) => subject),
      ['Grüße 🖨', 'Second'],
    )
    assert.equal((await call('GET', '/tickets/1')).at('data.tags'), ['a,b', '"'])
    const media = await call('GET', '/media/1/download')
    assert.is(media.status, 200, media.text)
    const made = await call('POST', '/tickets', { subject: 'Third', details: 'Three.' })
    assert.equal([made.at('data.id'), made.at('data.uid')], [3, '3000000003'])
  })
}

dumping.run()
