/** A version that is served while its tables are brought to the next one: none of its writes is refused, and it is stopped for short statements only. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { BEFORE, insert, lines, linesOf, migrating, mortal, watched, write } from './lines.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('a version that is served meanwhile')
let library: Library

const REQUIRED = lines('name: { type: string }, rank: { type: integer, required: true, backfill: 7 }')

const update = write(`update lines set rank = null where name = 'first' returning rank`)
const isChecked = write(
  `select convalidated from pg_constraint where conrelid = 'lines'::regclass and conname ~ '_required$'`,
)
const left = write(`select (select count(*) from pg_trigger where tgrelid = 'lines'::regclass and not tgisinternal),
  (select count(*) from pg_proc where proname ~ '_filling$'), (select count(*) from pg_constraint where conrelid = 'lines'::regclass and contype = 'c')`)

test.before.each(async () => {
  library = await migratedLibrary()
  await library.titles(BEFORE)
  await library.database.knex('lines').insert([{ name: 'first' }, { name: 'second', rank: 3 }])
})
test.after.each(() => library.close())

test('rows are filled and looked through before the pause, and null becomes the value in what is written until then', async () => {
  const on = watched(library.database)
  const { diagnostics } = await migrating(REQUIRED, on, async (runner) => {
    assert.equal(await isChecked(runner), [['t']])
    assert.equal(await update(runner), [['7']])
    assert.equal(await insert(runner), [['7']])
  })
  assert.equal(diagnostics, [])
  assert.equal(on.ran(), [
    'alter table "lines" alter column "rank" set not null',
    'drop trigger if exists "lines_rank_filling" on "lines"',
    'drop function if exists "lines_rank_filling"()',
    'alter table "lines" drop column "rank__filling"',
    'alter table "lines" drop constraint "lines_rank_required"',
  ])
  assert.equal(await library.database.knex('lines').orderBy('id').pluck('rank'), [7, 3, 7])
  assert.equal(await left(library.database.adhoc), [['0', '0', '0']])
  assert.equal(await library.titles(REQUIRED), [])
})

test('what becomes required and gets another name, its table too, is filled and looked through under the name that it has', async () => {
  const fields = `title: { type: string, renamed_from: name, nullable: false, backfill: none },
    place: { type: integer, required: true, backfill: 7, renamed_from: rank }`
  const made = tables(
    resolved({ rows: `renamed_from: lines\nfields: { ${fields} }\npolicies: { view: [{ who: anyone }] }` }),
  )
  const later = [...LIBRARY, ...made.filter(({ name }) => name === 'rows')]
  const on = watched(library.database)
  await library.database.knex('lines').insert({ rank: 5 })
  const { diagnostics, value } = await migrating(later, on, async (runner) => {
    assert.equal(await isChecked(runner), [['t'], ['t']])
    assert.equal(await update(runner), [['7']])
    assert.equal(await insert(runner), [['7']])
    assert.equal(await write('insert into lines (rank) values (1) returning name')(runner), [['none']])
  })
  assert.equal(diagnostics, [])
  assert.equal(value?.applied.slice(0, 5), [
    `require lines.name, where null becomes none, in 1 row`,
    `require lines.rank, where null becomes 7, in 1 row`,
    'rename table lines to rows',
    'rename column rows.name to title',
    'rename column rows.rank to place',
  ])
  assert.equal(on.ran().slice(0, 10), [
    'alter table "lines" alter column "name" set not null',
    'drop trigger if exists "lines_name_filling" on "lines"',
    'drop function if exists "lines_name_filling"()',
    'alter table "lines" drop column "name__filling"',
    'alter table "lines" drop constraint "lines_name_required"',
    'alter table "lines" alter column "rank" set not null',
    'drop trigger if exists "lines_rank_filling" on "lines"',
    'drop function if exists "lines_rank_filling"()',
    'alter table "lines" drop column "rank__filling"',
    'alter table "lines" drop constraint "lines_rank_required"',
  ])
  assert.ok(
    on.ran().every((text) => !/^(update|with plinth_batch)|validate|not valid/.test(text)),
    on.ran().join('\n'),
  )
  assert.equal(await library.database.knex('rows').orderBy('id').pluck('title'), [
    ...['first', 'second', 'none', 'meanwhile', 'none'],
  ])
  assert.equal(await library.database.knex('rows').orderBy('id').pluck('place'), [7, 3, 5, 7, 1])
  assert.equal(await library.titles(later), [])
})

test('of several changes, each is prepared before the pause: two that become required, another type, an index', async () => {
  const before = lines('name: { type: string }, rank: { type: integer }, size: { type: string }')
  await library.titles(before)
  const files = `fields: { name: { type: string, nullable: false, backfill: none },
    rank: { type: integer, required: true, backfill: 7 }, size: { type: integer } }
indexes: [[name, rank]]
policies: { view: [{ who: anyone }] }`
  const several = linesOf(files)
  const on = watched(library.database)
  await library.database.knex('lines').insert({ size: '12' })
  const { diagnostics } = await migrating(several, on, async (runner) => {
    assert.equal(await isChecked(runner), [['t'], ['t']])
    const prepared = `select size__converting from lines where size is not null`
    assert.equal(await write(prepared)(runner), [['12']])
    const made = `select indisvalid from pg_index x join pg_class i on i.oid = x.indexrelid where i.relname ~ '^lines_name_rank_'`
    assert.equal(await write(made)(runner), [['t']])
  })
  assert.equal(diagnostics, [])
  const long = /^(update|with plinth_batch|create (unique )?index)|validate|not valid/
  assert.ok(
    on.ran().every((text) => !long.test(text)),
    on.ran().join('\n'),
  )
  assert.equal(await left(library.database.adhoc), [['0', '0', '0']])
  assert.equal(await library.titles(several), [])
})

const NOTHING_LEFT = [['0', '0', '0']]
const ranks = () => library.database.knex('lines').orderBy('id').pluck('rank')
const RENAMED = lines(
  'name: { type: string }, place: { type: integer, required: true, backfill: 7, renamed_from: rank }',
)

for (const [title, wanted] of Object.entries({ 'a rename': RENAMED, 'a change': REQUIRED })) {
  test(`${title} that is given up leaves every value, and nothing of what was prepared`, async () => {
    const on = watched(library.database)
    const given = await migrating(wanted, on, async (runner) => {
      assert.equal(await write('select rank from lines order by id')(runner), [['7'], ['3']])
      assert.equal(await insert(runner), [['7']])
      throw new Error('one did not hold')
    }).catch(String)
    assert.match(String(given), 'one did not hold')
    assert.equal(await ranks(), [null, 3, null])
    assert.equal(await insert(library.database.adhoc), [[null]])
    assert.equal(await left(library.database.adhoc), NOTHING_LEFT)
    assert.equal(await library.titles(BEFORE), [])
    assert.ok((await library.titles(wanted)).some((step) => step.startsWith('require lines.rank')))
    assert.equal(await left(library.database.adhoc), NOTHING_LEFT)
  })

  test(`${title} whose process is killed leaves every value to the version before, and goes on under its own`, async () => {
    const killed = async () => {
      const on = watched(library.database)
      const dead = mortal(on.database)
      const given = await migrating(wanted, { ...on, database: dead.database }, async () => dead.kill()).catch(String)
      assert.match(String(given), 'the process is gone')
    }
    await killed()
    assert.equal(await ranks(), [7, 3])
    assert.equal(await library.titles(BEFORE), [])
    assert.equal(await ranks(), [null, 3])
    assert.equal(await left(library.database.adhoc), NOTHING_LEFT)
    await killed()
    await library.titles(wanted)
    assert.equal(await left(library.database.adhoc), NOTHING_LEFT)
    assert.equal(await library.titles(wanted), [])
  })
}

test('a column that was prepared gets another name: nothing of it is left', async () => {
  const on = watched(library.database)
  await migrating(REQUIRED, on, () => Promise.reject(new Error('one did not hold'))).catch(String)
  const renamed = lines('name: { type: string }, place: { type: integer, renamed_from: rank }')
  await library.titles(renamed)
  assert.equal(await left(library.database.adhoc), NOTHING_LEFT)
  await library.database.knex('lines').insert({ name: 'third' })
})

for (const [title, more] of Object.entries({
  'what is made of other fields': 'backfill: { first: [$record.name, none] }',
  'a value': 'backfill: none',
})) {
  test(`a new required field without a default, its backfill ${title}: the version before writes until it is served no longer`, async () => {
    const wanted = lines(
      `name: { type: string }, rank: { type: integer }, mood: { type: string, required: true, ${more} }`,
    )
    const on = watched(library.database)
    let wrote = 0
    const { diagnostics } = await migrating(wanted, on, async (runner) => {
      wrote += (await insert(runner)).length
    })
    assert.equal(diagnostics, [])
    assert.is(wrote, 1)
    assert.is((await library.database.knex('lines').whereNull('mood')).length, 0)
    assert.equal(await library.titles(wanted), [])
  })
}

test('a required field of a table without rows waits until the version before is served no longer', async () => {
  await library.database.knex('lines').delete()
  const on = watched(library.database)
  let asked = 0
  const wanted = lines('name: { type: string }, rank: { type: integer }, mood: { type: string, required: true }')
  assert.equal(
    (
      await migrating(wanted, on, async () => {
        asked += 1
      })
    ).diagnostics,
    [],
  )
  assert.is(asked, 1)
})

test.run()
