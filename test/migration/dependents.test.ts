/** Views and the like of others over columns of the engine are named before a change, and never go with a column. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lines } from './lines.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('what others made over columns')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
  await library.titles(lines('size: { type: string }, code: { type: string }'))
  await library.database.knex('lines').insert({ size: '1', code: 'a' })
})
test.after.each(() => library.close())

const MADE: Readonly<Record<string, { readonly sql: string; readonly drop: string }>> = {
  'view sizes': { sql: 'create view sizes as select size from lines', drop: 'drop view sizes' },
  'materialized view kept': {
    sql: 'create materialized view kept as select size from lines',
    drop: 'drop materialized view kept',
  },
  'constraint small on table lines': {
    sql: `alter table lines add constraint small check (length(size) < 9)`,
    drop: 'alter table lines drop constraint small',
  },
  'index by_size': { sql: 'create index by_size on lines (lower(size))', drop: 'drop index by_size' },
  'trigger told on table lines': {
    sql: `create function told() returns trigger language plpgsql as 'begin return new; end';
      create trigger told before update of size on lines for each row execute function told()`,
    drop: 'drop trigger told on lines; drop function told()',
  },
  'policy seen on table lines': {
    sql: `create policy seen on lines using (size <> '')`,
    drop: 'drop policy seen on lines',
  },
  'rule quiet on table lines': {
    sql: `create rule quiet as on delete to lines where old.size = 'x' do instead nothing`,
    drop: 'drop rule quiet on lines',
  },
  'column doubled of table lines': {
    sql: `alter table lines add doubled text generated always as (size || size) stored`,
    drop: 'alter table lines drop column doubled',
  },
  'function largest()': {
    sql: `create function largest() returns text language sql begin atomic select max(size) from lines; end`,
    drop: 'drop function largest()',
  },
}

for (const [what, { sql, drop }] of Object.entries(MADE)) {
  test(`${what}: a type that changes waits for it, a rename does not`, async () => {
    await library.database.knex.raw(sql)
    const other = lines('size: { type: integer }, code: { type: string }')
    assert.match(
      await library.shown(other),
      `blocked  change what was made over lines.size first: ${what} depends on it`,
    )
    const { value, diagnostics } = await library.migrated(other)
    assert.is(value, undefined)
    assert.match(diagnostics[0]?.message ?? '', `${what} depends on it`)
    await library.titles(lines('length: { type: string, renamed_from: size }, code: { type: string }'))
    await library.titles(lines('size: { type: string }, code: { type: string }'))
    await library.database.knex.raw(drop)
    await library.titles(other)
    assert.equal(await library.database.knex('lines').pluck('size'), [1])
  })
}

test('a column that is set aside says who goes on reading it', async () => {
  await library.database.knex.raw('create view sizes as select size from lines')
  const gone = await library.shown(lines('code: { type: string }'))
  assert.match(gone, '1 row has a value in it, kept but no longer served; view sizes would go on with it')
})

test.run()
