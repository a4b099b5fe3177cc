/** A start killed at each statement of a migration: the next one ends where an undisturbed one does, with every row. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Database, Runner } from '../../engine/database/database.ts'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { inspect } from '../../engine/migration/inspect.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { FACT_TABLE, MIGRATION_TABLE } from '../../engine/migration/own/engine-tables.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { addFigures, cyclesOf } from './table.ts'

const VIEW = 'policies: { view: [{ who: anyone }] }'

const BEFORE = {
  parts: `fields:
  code: { type: string, unique: true }
  number: { type: sequence, start: 100 }
  label: { type: string }
  note: { type: text }
  size: { type: string, unique: true }
  weight: { type: integer }
  rank: { type: integer }
  state: { type: enum, values: [new, used, torn], default: new }
  gone: { type: string, required: true }
sort: { keys: [label] }
${VIEW}`,
}

/** A field with an index, one renamed, two required, two with other types, one removed, a word taken away, another resource, and all of it renamed. */
const AFTER = {
  pieces: `renamed_from: parts
fields:
  code: { type: string, unique: true }
  number: { type: sequence, start: 100 }
  title: { type: string, renamed_from: label }
  note: { type: text, required: true, backfill: { first: [$record.title, none] } }
  size: { type: integer, unique: true }
  weight: { type: decimal }
  rank: { type: integer, required: true, backfill: 7 }
  state: { type: enum, values: [new, used], default: new, becomes: { torn: used } }
  due_on: { type: date }
relations: { maker: { belongs_to: makers } }
sort: { keys: [title, due_on] }
indexes: [[due_on, state]]
${VIEW}`,
  makers: `fields: { name: { type: string, unique: true } }\n${VIEW}`,
}

/** The same without another name, so that most of it is prepared ahead of the first statement that does harm. */
const IN_PLACE = {
  parts: `fields:
  code: { type: string, unique: true }
  number: { type: sequence, start: 100 }
  label: { type: string, nullable: false, backfill: none }
  note: { type: text, required: true, backfill: { first: [$record.label, none] } }
  size: { type: integer, unique: true }
  weight: { type: decimal }
  rank: { type: integer, required: true, backfill: 7 }
  state: { type: enum, values: [new, used], default: new, becomes: { torn: used } }
  gone: { type: string, required: true }
sort: { keys: [label, rank] }
indexes: [[code, rank]]
${VIEW}`,
}

function wantedOf(files: Readonly<Record<string, string>>): readonly Table[] {
  const own = tables(resolved(files)).filter(({ name }) => name in files)
  return [...own, FACT_TABLE, MIGRATION_TABLE]
}

const NOW = new Date('2026-01-31T12:00:00Z')
const ROWS = 2_300

const test = suite<{ base: TestDatabase }>('faults: a start killed while it migrates')
test.before(async (context) => {
  context.base = await testDatabase()
})
test.after(({ base }) => base.close())

function start(database: Database, files: Readonly<Record<string, string>>) {
  return migrateTables(wantedOf(files), database, { log: SILENT, now: NOW })
}

async function prepare(database: Database): Promise<void> {
  const { knex } = database
  await knex.raw('drop schema public cascade; create schema public; create extension pg_trgm')
  assert.equal((await start(database, BEFORE)).diagnostics, [])
  await knex.raw(
    `insert into parts (code, label, note, size, weight, state, gone)
    select 'c' || i, case when i % 3 > 0 then 'label ' || i end, case when i % 2 = 0 then 'note ' || i end, i::text, i,
      (array['new', 'used', 'torn'])[1 + i % 3], 'g' || i from generate_series(1, ${ROWS}) i`,
  )
}

/** Everything that a start leaves: the tables as they are read, what the engine knows of them, and the rows. */
async function state(database: Database, files: Readonly<Record<string, string>>): Promise<string> {
  const [table = ''] = Object.keys(files)
  const { tables, setAside, owned, checks } = await database.session(inspect)
  const { knex } = database
  const summed = await knex.raw(
    `select md5(string_agg((to_jsonb(p) - 'updated_at' - 'created_at')::text, ',' order by id)) as sum, count(*) from ?? p`,
    [table],
  )
  const { rows } = summed as { readonly rows: readonly unknown[] }
  const [left] = await database.adhoc.run(
    {
      text: `select (select count(*) from pg_trigger where not tgisinternal), (select count(*) from pg_proc where proname ~ '_(converting|filling)$'),
      (select count(*) from pg_constraint where not convalidated), (select count(*) from pg_index where not indisvalid)`,
    },
    [],
  )
  const sorted = <T extends { readonly name: string }>(all: readonly T[]) =>
    [...all].sort((a, b) => (a.name < b.name ? -1 : 1))
  const found = {
    tables: sorted(tables).map((table) => ({
      ...table,
      columns: sorted(table.columns),
      indexes: sorted(table.indexes),
    })),
    setAside: setAside.map(({ name }) => name),
    owned: [...owned].map(([table, columns]) => [table, [...columns].sort()]).sort(),
    checks: [...checks],
    rows,
    left,
  }
  return JSON.stringify(found, null, 1)
}

class Killed extends Error {}

/** A database whose process is gone before statement number `at` of a session; counts the statements. */
function dying(database: Database, at: number): { readonly database: Database; readonly count: () => number } {
  let count = 0
  const session: Database['session'] = (work) =>
    database.session(async (runner) => {
      let dead = false
      const mortal: Runner = {
        run: async (statement, values) => {
          if (dead) throw new Killed('gone')
          if (++count < at) return runner.run(statement, values)
          dead = true
          // What was open is rolled back, by the server that lost its client or by the next one to open the folder.
          const end = database.kind === 'embedded' ? 'rollback' : 'select pg_terminate_backend(pg_backend_pid())'
          await runner.run({ text: end }, []).catch(() => undefined)
          throw new Killed('gone')
        },
      }
      return work(mortal)
    })
  return { database: { ...database, kind: database.kind, session }, count: () => count }
}

async function killedEverywhere(database: Database, files: Readonly<Record<string, string>>): Promise<void> {
  await prepare(database)
  const whole = dying(database, Number.POSITIVE_INFINITY)
  const undisturbed = await start(whole.database, files)
  assert.equal(undisturbed.diagnostics, [])
  const titles = undisturbed.value?.applied ?? []
  const expected = await state(database, files)
  assert.equal((await start(database, files)).value?.applied, [], 'an undisturbed start leaves nothing to do')
  const statements = whole.count()
  assert.ok(statements > 60, `${statements} statements`)

  // Every statement with FAULTS_SCALE, otherwise every seventh, each run of the suite the same ones.
  const every = cyclesOf(1) > 1 ? 1 : 7
  let cycles = 0
  for (let at = 1; at <= statements; at += every) {
    cycles += 1
    await prepare(database)
    await start(dying(database, at).database, files).then(
      // The last one gives the lock back, which its connection does by its end.
      () => assert.is(at, statements, `statement ${at} was reached`),
      (error: unknown) => assert.match(String(error), /gone/),
    )
    const { diagnostics } = await start(database, files)
    assert.equal(diagnostics, [], `killed at ${at} of ${statements}`)
    assert.is(await state(database, files), expected, `killed at ${at} of ${statements}`)
    assert.equal((await start(database, files)).value?.applied, [], `killed at ${at}: nothing is left to do`)
  }
  addFigures({
    fault: `a start killed at ${every === 1 ? 'each' : 'every seventh'} of ${statements} statements of ${titles.length} steps`,
    cycles,
    acknowledged: ROWS * cycles,
    lost: 0,
    doubled: 0,
    torn: 0,
    wrong: 0,
    recoveryMs: 0,
  })
}

test('the next start ends in the same state, wherever this one was killed', ({ base }) =>
  killedEverywhere(base.database, AFTER))

test('the same where most is prepared ahead', ({ base }) => killedEverywhere(base.database, IN_PLACE))

test('killed again and again, it comes to its end', async ({ base: { database } }) => {
  await prepare(database)
  await start(database, AFTER)
  const expected = await state(database, AFTER)
  await prepare(database)
  for (let at = 10, done = false; !done; at += 7) {
    const { value } = await start(dying(database, at).database, AFTER).catch((error: unknown) => {
      if (!/gone/.test(String(error))) throw error
      return { value: undefined }
    })
    done = value !== undefined
  }
  assert.is(await state(database, AFTER), expected)
})

test('two that start at once apply it once', async ({ base: { database } }) => {
  await prepare(database)
  const results = await Promise.all([start(database, AFTER), start(database, AFTER)])
  assert.equal(
    results.flatMap(({ diagnostics }) => diagnostics),
    [],
  )
  assert.is(results.filter(({ value }) => (value?.applied.length ?? 0) > 0).length, 1)
})

test.run()
