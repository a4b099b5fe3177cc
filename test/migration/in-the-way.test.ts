/** Sessions of others that hold a table: only the change waits for them; it names them and is given up as a whole. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { namedIndex } from '../../engine/migration/sql-name.ts'
import type { Table } from '../../engine/migration/table.ts'
import { until } from '../support/wait.ts'
import { BEFORE, lines } from './lines.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('sessions in the way')
let library: Library
let other: pg.Client | undefined

test.before.each(async () => {
  library = await migratedLibrary()
  await library.titles(BEFORE)
  await library.database.knex('lines').insert([{ name: 'first' }, { name: 'second', rank: 3 }])
  other = await sessionBeside()
})
test.after.each(async () => {
  await other?.end()
  await library.close()
})

/** A session of somebody else on the database of the test; the embedded one has no others. */
async function sessionBeside(): Promise<pg.Client | undefined> {
  if (library.database.kind === 'embedded') return undefined
  const { rows } = await library.database.knex.raw('select current_database() as database, current_schema() as schema')
  const [{ database, schema }] = rows as [{ database: string; schema: string }]
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = `/${database}`
  const client = new pg.Client({ connectionString: url.href, application_name: 'nightly report' })
  await client.connect()
  await client.query(`set search_path to "${schema}"`)
  return client
}

/** A transaction is in the way when it is older than any request: older than a second. */
async function untilOld(): Promise<void> {
  const text = `select 1 from pg_stat_activity where application_name = 'nightly report' and datname = current_database()
    and xact_start < clock_timestamp() - interval '1 second'`
  await until(async () => (await library.database.adhoc.run({ text }, [])).length === 1)
}

const RENAMED = lines('title: { type: string, renamed_from: name }, rank: { type: integer }')
const UNIQUE = lines('title: { type: string, renamed_from: name }, rank: { type: integer, unique: true }')

/** What a change says, and how often it made requests wait. */
async function changed(wanted: readonly Table[], patienceMs: number) {
  let pauses = 0
  const pause = {
    begin: async () => {
      pauses += 1
    },
    giveBack: async () => {},
    end: async () => {},
  }
  const { diagnostics } = await migrateTables(wanted, library.database, { ...EDITED, pause, patienceMs })
  return { diagnostics, pauses }
}

test('an idle session that has read a table: requests never wait, and the change is given up with its name', async () => {
  if (other === undefined) return
  await other.query('begin')
  await other.query('select count(*) from lines')
  await untilOld()
  const { diagnostics, pauses } = await changed(RENAMED, 1_500)
  assert.is(pauses, 0)
  assert.is(diagnostics[0]?.code, 'tables_locked')
  assert.match(
    diagnostics[0]?.message ?? '',
    /^Nothing was changed, because the lock of a table could not be had: process \d+ \(nightly report\) has an idle transaction open since \d\d:\d\d:\d\d UTC that holds lines$/,
  )
  assert.equal(await library.titles(BEFORE), [])
  await other.query('rollback')
  assert.equal((await changed(RENAMED, 1_500)).diagnostics, [])
  assert.equal(await library.database.knex('lines').orderBy('id').pluck('title'), ['first', 'second'])
})

test('a session that ends in time is waited for', async () => {
  if (other === undefined) return
  const client = other
  await client.query('begin')
  await client.query('select count(*) from lines')
  await untilOld()
  const going = changed(RENAMED, 60_000)
  // For so long the change finds it in the way.
  await sleep(500)
  await client.query('commit')
  const { diagnostics, pauses } = await going
  assert.equal([diagnostics, pauses], [[], 1])
})

test('an old snapshot of another table: the index that waits for it is made before any request waits, and given up', async () => {
  if (other === undefined) return
  await other.query('begin isolation level repeatable read')
  await other.query('select count(*) from shelves')
  await untilOld()
  const { diagnostics, pauses } = await changed(UNIQUE, 1_500)
  assert.is(pauses, 0)
  assert.is(diagnostics[0]?.code, 'tables_locked')
  assert.match(diagnostics[0]?.message ?? '', 'because an index waits for the transactions of others: process')
  assert.match(diagnostics[0]?.message ?? '', '(nightly report) has an idle transaction open')
  const invalid = `select count(*) from pg_index where indrelid = 'lines'::regclass and not indisvalid`
  assert.equal(await library.database.adhoc.run({ text: invalid }, []), [['0']])
  assert.equal(await library.titles(BEFORE), [])
  await other.query('commit')
  assert.equal((await changed(UNIQUE, 60_000)).diagnostics, [])
})

test('what only makes reads faster waits for the next start, which is served meanwhile', async () => {
  if (other === undefined) return
  await other.query('begin isolation level repeatable read')
  await other.query('select count(*) from shelves')
  await untilOld()
  const faster = [...BEFORE].map((table) =>
    table.name === 'lines' ? { ...table, indexes: [...table.indexes, ...indexed(table)] } : table,
  )
  assert.equal((await changed(faster, 1_500)).diagnostics, [])
  await other.query('commit')
  assert.equal(await library.titles(faster), ['add index on lines (name, rank)'])
})

function indexed(table: Table): Table['indexes'] {
  return [namedIndex(table.name, { kind: 'btree', unique: false, columns: ['name', 'rank'], where: undefined })]
}

test.run()
