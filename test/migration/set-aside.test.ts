/**
 * Tables and columns that the YAML no longer names: left alone by every start, set aside by a person, and brought
 * back.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { applyTables, migrateTables, planTables } from '../../engine/migration/migrate.ts'
import { renderPlan } from '../../engine/migration/plan-text.ts'
import { purge, purgeable, restoreField } from '../../engine/migration/set-aside.ts'
import type { Table } from '../../engine/migration/table.ts'
import { booksWith, column, LIBRARY } from './example.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('set aside')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

test('what the YAML no longer names stays through every start, is set aside by a person, and comes back by itself', async () => {
  const { knex } = library.database
  await knex('books').insert({ title: 'Moby Dick', bought: '2020-02-02' })
  const wanted = booksWith({ bought: undefined, copies: undefined })
  const started = await library.migrated(wanted)
  assert.equal(started.value?.applied, [])
  assert.equal(started.value?.left, [
    'set aside column books.copies as copies__removed_20260131',
    'set aside column books.bought as bought__removed_20260131',
  ])
  assert.is((await knex('books').select('bought'))[0].bought, '2020-02-02')
  assert.match(
    await library.shown(wanted),
    `  removes  set aside column books.bought as bought__removed_20260131: 1 row has a value in it, kept but no longer served
           → plinth restore-field books.bought brings it back`,
  )
  await library.apply(wanted)
  assert.equal((await library.migrated(wanted)).value?.left, [])
  await knex('books').insert({ title: 'Emma' })
  assert.match(
    await library.shown(LIBRARY),
    'safe     bring back column books.bought from bought__removed_20260131 with 1 value',
  )
  assert.equal(await library.titles(LIBRARY), [
    'bring back column books.copies from copies__removed_20260131 with 1 value',
    'bring back column books.bought from bought__removed_20260131 with 1 value',
    "set default '-1' of books.copies",
    "set default '2026-01-31' of books.bought",
  ])
  assert.equal(await knex('books').select('title', 'bought').orderBy('id'), [
    { title: 'Moby Dick', bought: '2020-02-02' },
    { title: 'Emma', bought: null },
  ])
  assert.equal(await library.titles(LIBRARY), [])
})

test('a required field that is no longer named refuses no new row, and comes back with its default in the empty ones', async () => {
  const { knex } = library.database
  const named = booksWith({ isbn: column('isbn', 'text', { nullable: false }) })
  await library.titles(named)
  await knex('books').insert({ title: 'Moby Dick', isbn: '1' })
  assert.equal(await library.titles(LIBRARY), ['let books.isbn be null, which the YAML no longer names'])
  await knex('books').insert({ title: 'Emma' })
  await library.apply(LIBRARY)
  assert.match(
    await library.shown(named),
    'blocked  require books.isbn: 1 row is null (id 2)\n           → leave the field nullable until',
  )
  await library.titles(booksWith({ isbn: column('isbn', 'text', { nullable: false, default: "'none'" }) }))
  assert.equal(await knex('books').orderBy('id').pluck('isbn'), ['1', 'none'])
})

test('values set aside under another type wait, and the plan says so before anything is written', async () => {
  await library.database.knex('books').insert({ title: 'Moby Dick', bought: '2020-02-02' })
  await library.apply(booksWith({ bought: undefined }))
  const wanted = booksWith({ bought: column('bought', 'jsonb') })
  const said =
    'add column books.bought (jsonb): 1 row has a value in bought__removed_20260131 that does not come back: it was date'
  assert.match(
    await library.shown(wanted),
    `  unsafe   ${said}\n           → give the field the type that it had, or another name`,
  )
  assert.is((await library.migrated(wanted)).diagnostics[0]?.message, said)
  await library.apply(wanted)
  assert.equal(await library.titles(wanted), [])
  await restoreField(library.database, 'books', 'bought').then(
    () => assert.unreachable(),
    ({ message }: Error) =>
      assert.is(
        message,
        'The values of bought__removed_20260131 cannot come back: it was date, and books.bought is jsonb now. They stay where they are.',
      ),
  )
})

test('restore-field fills what is empty in a field that is there again, and throws no newer value away', async () => {
  const { knex } = library.database
  await knex('books').insert([
    { title: 'Moby Dick', copies: 4 },
    { title: 'Emma', copies: 5 },
  ])
  await knex.raw(
    'alter table books add column copies__removed_20250101 integer; update books set copies__removed_20250101 = copies',
  )
  await knex('books').where({ title: 'Emma' }).update({ copies: 9 })
  await knex('books').where({ title: 'Moby Dick' }).update({ copies: -1 })
  assert.is(
    await restoreField(library.database, 'books', 'copies'),
    '1 row of books.copies got the value of copies__removed_20250101 back; 1 row kept a newer value, and the older one is in copies__removed_20250101.',
  )
  assert.equal(await knex('books').orderBy('id').pluck('copies'), [4, 9])
  await knex('books').where({ title: 'Emma' }).update({ copies: null })
  assert.match(await restoreField(library.database, 'books', 'copies'), /^1 row of books.copies got .* back\.$/)
  assert.equal(await knex('books').orderBy('id').pluck('copies'), [4, 5])
  assert.equal(await purgeable(library.database), [])
})

test('purge destroys only what was set aside', async () => {
  await library.database.knex('books').insert({ title: 'Moby Dick', copies: null })
  await library.apply(booksWith({ copies: undefined }))
  assert.equal(await purgeable(library.database), [{ name: 'books.copies__removed_20260131', rows: 0 }])
  await purge(library.database)
  assert.equal(await purgeable(library.database), [])
  assert.is((await library.database.knex('books')).length, 1)
})

test('purge never destroys what others made over what was set aside', async () => {
  await library.database.knex('books').insert({ title: 'Moby Dick', copies: 4 })
  await library.database.knex.raw(
    'create view stock as select copies from books; create view all_shelves as select name from shelves',
  )
  await library.apply(booksWith({ copies: undefined, shelf_id: undefined }).filter(({ name }) => name !== 'shelves'))
  const told = await purge(library.database).catch((error: Error) => error.message)
  assert.match(
    String(told),
    /cannot be dropped while something that others made depends on it: view (stock|all_shelves) depends on/,
  )
  assert.is((await purgeable(library.database)).length, 3)
  assert.equal((await library.database.knex('stock')).length, 1)
  await library.database.knex.raw('drop view stock, all_shelves')
  await purge(library.database)
  assert.equal(await purgeable(library.database), [])
})

test('two versions that start in turns leave each other everything they need', async () => {
  const { knex } = library.database
  const newer = booksWith({
    language: column('language', 'text'),
    pages: column('pages', 'integer', { nullable: false }),
    price: column('cost', 'numeric(8,2)', { default: "'1.50'", renamedFrom: 'price' }),
    title: column('title', 'character varying(200)', { nullable: false, default: "'it''s untitled'" }),
  })
  const start = (wanted: readonly Table[]) => migrateTables(wanted, library.database, { ...EDITED, edited: false })
  const older = LIBRARY
  assert.equal((await start(newer)).diagnostics, [])
  for (let turn = 0; turn < 3; turn += 1) {
    const went = await start(older)
    const back = 'rename column books.cost back to price, its name until 2026-01-31 12:00 UTC'
    const freed = 'let books.pages be null, which the YAML no longer names'
    assert.equal(went.value?.applied, turn === 0 ? [back, freed] : [back])
    await knex('books').insert({ title: `old ${turn}`, price: '2.00' })
    const came = await start(newer)
    assert.equal(came.diagnostics, [])
    await knex('books').insert({ title: `${turn} ${'x'.repeat(150)}`, language: 'en', pages: 3, cost: '7.00' })
  }
  const last = await start(older)
  assert.ok(
    last.value?.left.includes('change type of books.title from character varying(200) to character varying(100)'),
  )
  assert.ok(last.value?.left.includes('set aside column books.language as language__removed_20260131'))
  assert.is((await knex('books').whereNotNull('language')).length, 3)
  assert.match(renderPlan((await planTables(older, library.database, EDITED.now)).value), 'was brought to a newer YAML')
  await knex('books').where('title', 'like', '%x').delete()
  await library.apply(older)
  assert.equal((await start(older)).value, { hash: (await start(older)).value?.hash, applied: [], left: [] })
})

test('a removed table is set aside whole, and comes back whole', async () => {
  await library.database.knex('shelves').insert({ name: 'top' })
  await library.database.knex('books').insert({ title: 'Moby Dick', shelf_id: 1 })
  const wanted = booksWith({ shelf_id: undefined }).filter((table) => table.name !== 'shelves')
  const { hash } = (await planTables(wanted, library.database, EDITED.now)).value
  const { diagnostics } = await applyTables(wanted, library.database, hash, EDITED)
  assert.equal(diagnostics, [])
  assert.is((await library.database.knex('shelves__removed_20260131')).length, 1)
  assert.match(
    await library.shown(LIBRARY),
    'safe     bring back table shelves from shelves__removed_20260131 with 1 row',
  )
  assert.ok(
    (await library.titles(LIBRARY)).includes('bring back table shelves from shelves__removed_20260131 with 1 row'),
  )
  assert.equal(await library.titles(LIBRARY), [])
  assert.equal(await library.database.knex('books').pluck('shelf_id'), [1])
  assert.equal(await library.database.knex('shelves').select('name'), [{ name: 'top' }])
})

test.run()
