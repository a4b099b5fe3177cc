/** Changes of the tables, from the YAML to the resulting database. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inspect } from '../../engine/migration/inspect.ts'
import { applyTables, planTables } from '../../engine/migration/migrate.ts'
import { namedIndex } from '../../engine/migration/sql-name.ts'
import type { Table } from '../../engine/migration/table.ts'
import { BOOKS, booksWith, column, LIBRARY, libraryWith, SHELVES } from './example.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('migrate')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

test('what was applied is inspected as what was wanted', async () => {
  const present = await library.database.session(inspect)
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  const sorted = (tables: readonly Table[]) =>
    [...tables].sort(byName).map((table) => ({ ...table, indexes: [...table.indexes].sort(byName) }))
  assert.equal(sorted(present.tables), sorted(LIBRARY))
  assert.equal(present.setAside, [])
})

test('a second start finds nothing to do', async () => {
  assert.equal(await library.titles(LIBRARY), [])
  const { steps } = (await planTables(LIBRARY, library.database, EDITED.now)).value
  assert.equal(steps, [])
})

test('instances that start at once migrate one after the other', async () => {
  const wanted = booksWith({ pages: column('pages', 'integer') })
  const results = await Promise.all([library.migrated(wanted), library.migrated(wanted), library.migrated(wanted)])
  assert.is(results.flatMap((result) => result.value?.applied ?? []).length, 1)
  assert.equal(
    results.flatMap((result) => result.diagnostics),
    [],
  )
})

test('a search index over the column itself, as older versions made it, gives way to one over the folded text', async () => {
  const present = async () => (await library.database.session(inspect)).tables.find(({ name }) => name === 'books')!
  const made = (await present()).indexes.find(({ kind }) => kind === 'trigram')!
  const { knex } = library.database
  await knex.raw('drop index ??', [made.name])
  await knex.raw('create index books_title_older_idx on books using gin (title gin_trgm_ops)')
  await knex.raw(`comment on index books_title_older_idx is 'plinth'`)
  assert.equal(await library.titles(LIBRARY), ['add search index on books (title)', 'drop index on books (title)'])
  assert.equal(
    (await present()).indexes.filter(({ kind }) => kind === 'trigram'),
    [made],
  )
})

test('another language of a search has other indexes, which are there before the old ones go', async () => {
  const searched = (language: string) =>
    LIBRARY.map((table) => {
      if (table.name !== 'books') return table
      const index = namedIndex('books', {
        kind: 'stems',
        language,
        unique: false,
        columns: ['title'],
        where: undefined,
      })
      return { ...table, indexes: [...table.indexes, index] }
    })
  const stems = async () => {
    const { tables } = await library.database.session(inspect)
    return tables.find(({ name }) => name === 'books')!.indexes.filter(({ kind }) => kind === 'stems')
  }
  assert.equal(await library.titles(searched('english')), ['add search index for english on books (title)'])
  assert.equal(await library.titles(searched('english')), [])
  assert.equal(
    (await stems()).map(({ columns, language }) => [language, columns]),
    [['english', ['title']]],
  )
  assert.equal(await library.titles(searched('german')), [
    'add search index for german on books (title)',
    'drop search index for english on books (title)',
  ])
  assert.equal(
    (await stems()).map(({ language }) => language),
    ['german'],
  )
  assert.equal(await library.titles(LIBRARY), ['drop search index for german on books (title)'])
})

test('columns, indexes, wider types and looser rules are applied at start', async () => {
  await library.database.knex('books').insert({ title: 'Moby Dick' })
  const wanted = booksWith({
    pages: column('pages', 'integer'),
    language: column('language', 'character varying(20)', { nullable: false, default: "'en'" }),
    title: column('title', 'character varying(200)'),
  })
  assert.equal(await library.titles(wanted), [
    'change type of books.title from character varying(100) to character varying(200)',
    'let books.title be null',
    'add column books.pages (integer)',
    'add column books.language (character varying(20))',
  ])
  assert.equal(await library.database.knex('books').select('title', 'language', 'pages'), [
    { title: 'Moby Dick', language: 'en', pages: null },
  ])
  assert.equal(await library.titles(wanted), [])
})

test('a required field without a default is added to an empty table and refused with rows, with what to do', async () => {
  const wanted = booksWith({ isbn: column('isbn', 'text', { nullable: false }) })
  await library.database.knex('books').insert([{ title: 'one' }, { title: 'two' }])
  const { value, diagnostics } = await library.migrated(wanted)
  assert.is(value, undefined)
  assert.equal(diagnostics, [
    {
      code: 'unsafe_migration',
      message: 'add column books.isbn (text): 2 rows would have no value in a required field',
      hint: '`backfill: <value>` beside the field says what they get, `backfill: $record.<field>` the value of another field; or leave it nullable',
    },
  ])
  await library.database.knex('books').delete()
  assert.equal(await library.titles(wanted), ['add column books.isbn (text)'])
})

test('when one step is not safe, none is taken', async () => {
  await library.database.knex('books').insert({ title: 'one' })
  const wanted = booksWith({ isbn: column('isbn', 'text', { nullable: false }), pages: column('pages', 'integer') })
  assert.is((await library.migrated(wanted)).diagnostics.length, 1)
  assert.not(await library.database.knex.schema.hasColumn('books', 'pages'))
})

test('NOT NULL and UNIQUE count the rows in their way', async () => {
  await library.database.knex('books').insert([
    { title: 'a', copies: null },
    { title: 'b', copies: 3 },
    { title: 'c', copies: 3 },
  ])
  const required = booksWith({ copies: column('copies', 'integer', { nullable: false, default: "'-1'" }) })
  assert.is(
    await library.shown(required),
    '  blocked  require books.copies: 1 row is null (id 1)\n           → `backfill: <value>` beside the field says what they get, `backfill: $record.<field>` the value of another field; or leave it nullable',
  )
  await library.database.knex('books').whereNull('copies').update({ copies: 7 })
  assert.equal(await library.titles(required), ['require books.copies'])
})

test('NOT NULL with a word for null fills the rows that hold none, and the plan says so', async () => {
  await library.database.knex('books').insert([
    { title: 'a', copies: null },
    { title: 'b', copies: 3 },
  ])
  const filled = column('copies', 'integer', { nullable: false, default: "'-1'", fill: "'0'" })
  const required = booksWith({ copies: filled })
  assert.is(await library.shown(required), "  safe     require books.copies, where null becomes '0', in 1 row")
  assert.is((await library.titles(required)).length, 1)
  assert.equal(await library.database.knex('books').orderBy('title').pluck('copies'), [0, 3])
  assert.equal(await library.titles(required), [])
})

test('a narrower type counts the values that do not fit, and is applied when there are none', async () => {
  await library.database.knex('books').insert([{ title: 'x'.repeat(60) }, { title: 'y', price: '1.55' }])
  const wanted = booksWith({
    title: column('title', 'character varying(50)', { nullable: false, default: "'it''s untitled'" }),
    price: column('price', 'numeric(8,1)', { default: "'1.5'" }),
  })
  assert.match(await library.shown(wanted), 'to character varying(50): 1 row is longer than 50 characters')
  assert.match(await library.shown(wanted), 'to numeric(8,1): 1 row does not fit into 8 digits, 1 of them decimals')
  await library.database.knex('books').delete()
  assert.is((await library.titles(wanted)).length, 2)
  assert.equal(await library.titles(wanted), [])
})

test('a word taken out of an enum is refused while rows hold it', async () => {
  const state = (words: readonly string[]) => booksWith({ state: column('state', 'text', { words }) })
  await library.titles(state(['new', 'used', 'torn']))
  await library.database
    .knex('books')
    .insert([{ title: 'a', state: 'torn' }, { title: 'b', state: 'torn' }, { title: 'c' }])
  assert.is(
    await library.shown(state(['new', 'used'])),
    '  blocked  take torn out of the words of books.state: 2 rows have the word torn (ids 1, 2)\n           → write which word takes its place beside the values, `becomes: { torn: new }`; or keep the word',
  )
  assert.is((await library.migrated(state(['new', 'used']))).value, undefined)
  await library.database.knex('books').update({ state: 'used' })
  assert.equal(await library.titles(state(['used', 'new'])), [])
  await library.database.knex('books').update({ state: 'new' })
  assert.match(await library.shown(state(['used'])), '3 rows have the word new')
})

test('a rename that cannot be carried out is said, and nothing is lost in silence', async () => {
  const { knex } = library.database
  await knex('books').insert({ title: 'Moby Dick', price: '3.00' })
  const cost = (renamedFrom: string) => column('cost', 'numeric(8,2)', { renamedFrom })
  assert.match(
    await library.shown(booksWith({ price: cost('prize') })),
    `unsafe   add column books.cost (numeric(8,2)): 1 row would have no value in it: there is no column prize to rename
           → correct renamed_from (did you mean "price"?), or take it away`,
  )
  await library.titles(booksWith({ price: column('cost', 'numeric(8,2)') }))
  assert.match(
    await library.shown(booksWith({ price: cost('price') })),
    'blocked  rename column books.price to cost: 1 row has a value in price, and there is a column cost already',
  )
  const places: Table = { ...SHELVES, name: 'places', renamedFrom: 'shelfs' }
  await knex('shelves').insert({ name: 'top' })
  const moved = booksWith({ shelf_id: undefined }).map((table) => (table.name === 'shelves' ? places : table))
  assert.match(
    await library.shown(moved),
    'unsafe   create table places (2 columns): 1 row is in shelves and would stay there',
  )
})

test('tables and columns that the engine did not make are left alone', async () => {
  await library.database.knex.raw(
    'create table ledger (id int); alter table books add column note text; create index by_note on books (note)',
  )
  assert.equal(await library.titles(LIBRARY), [])
})

test('a declared rename keeps the data', async () => {
  await library.database.knex('shelves').insert({ name: 'top' })
  await library.database.knex('books').insert({ title: 'Moby Dick', shelf_id: 1 })
  const places: Table = { ...SHELVES, name: 'places', renamedFrom: 'shelves' }
  const wanted = booksWith({
    title: column('name', 'character varying(100)', {
      nullable: false,
      default: "'it''s untitled'",
      renamedFrom: 'title',
    }),
    shelf_id: column('place_id', 'integer', { renamedFrom: 'shelf' }),
  }).map((table) => {
    if (table.name === 'shelves') return places
    if (table.name !== 'books') return table
    return {
      ...table,
      indexes: [],
      foreignKeys: [{ column: 'place_id', table: 'places', onDelete: 'set_null' as const }],
    }
  })
  assert.equal(
    (await library.titles(wanted)).filter((title) => !title.startsWith('drop index')),
    ['rename table shelves to places', 'rename column books.title to name', 'rename column books.shelf_id to place_id'],
  )
  assert.equal(await library.database.knex('books').select('name', 'place_id'), [{ name: 'Moby Dick', place_id: 1 }])
  assert.equal(await library.titles(wanted), [])
})

test('a type that cannot be read from the old one starts anew beside the old values', async () => {
  await library.database.knex('books').insert({ title: 'Moby Dick', bought: '2020-02-02' })
  const wanted = booksWith({ bought: column('bought', 'jsonb') })
  assert.match(await library.shown(wanted), 'unsafe   set aside column books.bought')
  const { hash } = (await planTables(wanted, library.database, EDITED.now)).value
  await applyTables(wanted, library.database, hash, EDITED)
  assert.equal(await library.titles(wanted), [])
})

test('duplicates stand in the way of a unique index, orphans in the way of a reference', async () => {
  const loose = libraryWith({ name: 'books', indexes: [], foreignKeys: [] })
  await library.titles(loose)
  await library.database.knex('books').insert([{ title: 'same' }, { title: 'same' }, { title: 'gone', shelf_id: 99 }])
  await library.database.knex('books').insert({ title: 'same', deleted_at: '2026-01-01' })
  const text = await library.shown(LIBRARY)
  assert.match(text, 'blocked  reference books.shelf_id to shelves: 1 row points at no record of shelves (id 3)')
  assert.match(text, 'books (title): 2 rows share a value that must be unique (ids 1, 2)')
  await library.database.knex('books').whereNot({ title: 'x' }).delete()
  assert.is((await library.titles(LIBRARY)).length, 4)
  assert.equal(BOOKS.indexes.length, 3)
})

test('a plan made from another state is refused', async () => {
  const wanted = booksWith({ pages: column('pages', 'integer') })
  const { hash } = (await planTables(wanted, library.database, EDITED.now)).value
  await library.titles(booksWith({ isbn: column('isbn', 'text') }))
  const { diagnostics } = await applyTables(wanted, library.database, hash, EDITED)
  assert.is(diagnostics[0]?.code, 'stale_plan')
})

test('an index that was left half-built is made again', async () => {
  const name = BOOKS.indexes[1]?.name
  await library.database.knex.raw(`update pg_index set indisvalid = false where indexrelid = '"${name}"'::regclass`)
  assert.equal(await library.titles(LIBRARY), ['add index on books (shelf_id, id)'])
  assert.equal(await library.titles(LIBRARY), [])
})

test('a server that keeps too few locks for so many tables is named with its setting, and nothing is left', async () => {
  const { knex } = library.database
  // What PostgreSQL says where its table of locks is full, which no test can fill without stopping all others.
  await knex.raw(`create function out_of_locks() returns event_trigger language plpgsql as $$ begin
    raise 'out of shared memory' using errcode = '53200', hint = 'You might need to increase "max_locks_per_transaction".';
  end $$`)
  await knex.raw(
    "create event trigger no_locks on ddl_command_end when tag in ('CREATE TABLE') execute function out_of_locks()",
  )
  const wanted = [...LIBRARY, { ...SHELVES, name: 'rooms', indexes: [] }]
  const message = await library.titles(wanted).then(String, String)
  assert.match(
    message,
    /The step "create table rooms .*out of shared memory\. The server keeps too few locks .* Raise max_locks_per_transaction in postgresql\.conf .* The change was taken back\.$/,
  )
  await knex.raw('drop event trigger no_locks')
  assert.is((await library.titles(wanted)).length, 1)
})

test.run()
