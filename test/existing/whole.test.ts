/** A database that holds everything with which `init --from` had trouble, at once: served whole, and every value as SQL gives it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/answer.ts'
import { served, type World } from './world.ts'

const test = suite('a whole existing database')

const SCHEMA = `
create schema extensions; create extension if not exists pg_trgm; alter extension pg_trgm set schema extensions;
create schema kinds; create domain kinds.email as text check (value like '%@%'); create collation kinds.plain (provider = icu, locale = 'und');
create schema shop; set search_path to shop;
create type currency as enum ('EUR', 'USD');
create table "null" (id serial primary key, label text not null default '', mail kinds.email, name text collate kinds.plain);
create table "constructor" (id serial primary key, null_id int not null references "null", created_at timestamp(6) not null, updated_at timestamp(6) not null);
create table a_table_of_an_application_with_a_rather_long_nam (id serial primary key, a_column_of_the_table_with_a_rather_long_name_id int references "constructor");
create table odd (id serial primary key, note text, "t.x" text default 'dotted', "{actor}" text default 'braced', "esc\u001b[2J" text default ' kept ');
create table ruled (id serial primary key, label text); create rule kept as on delete to ruled do instead nothing;
create table rates (code currency primary key, rate numeric not null);
create table codes (code char(4) not null unique, label text);
create table everything (id integer primary key, at inet not null, opens time not null, lasts interval not null, tags text[] not null,
  counts integer[] not null, code currency not null references rates, place int4range not null, slug text not null, ratio double precision, exact numeric, day date);
create function fill() returns trigger language plpgsql as $$ begin
  new.slug := 'slug-' || new.id; if new.id = 13 then return null; end if; return new; end $$;
create trigger fill before insert on everything for each row execute function fill();
create table readings (everything_id int references everything, day date, value int, primary key (everything_id, day));
create view totals as select everything_id as id, count(*)::int as days from readings group by 1;
insert into "null" (label, mail, name) values ('', 'a@b', ' x '), (' blank ', null, null);
insert into "constructor" (null_id, created_at, updated_at) values (1, '2020-01-01 00:00:00.5', '2020-01-02');
insert into a_table_of_an_application_with_a_rather_long_nam (a_column_of_the_table_with_a_rather_long_name_id) values (1), (null);
insert into odd default values; insert into ruled (label) values ('r'); insert into rates values ('EUR', 1.250), ('USD', 0.1);
insert into codes values ('ab', 'short');
insert into everything values (0, '10.0.0.0/8', '09:30', '1 day 02:00', '{a," b ",NULL}', '{1,2}', 'EUR', '[1,5)', '', 'NaN', 1.00000000000000000001, 'infinity'),
  (2147483647, '::1', '23:59:59.5', '-1 mons', '{}', '{}', 'USD', 'empty', '', 0.1, -5, '2024-02-29');
insert into readings select 0, date '2020-01-01' + n, n from generate_series(1, 500) n;`

const TOTALS = `resource: totals
table: totals
existing: true
id: { column: id }
timestamps: false
actions: [list, get]
fields: { days: { type: integer } }
policies: { view: [{ role: admin }] }
`

let world: World
test.before(async () => {
  world = await served(SCHEMA, { schema: 'shop', files: { 'totals.yaml': TOTALS } })
})
test.after(() => world?.close())

const TABLES = [
  'null',
  'constructor',
  'a_table_of_an_application_with_a_rather_long_nam',
  'odd',
  'ruled',
  'rates',
  'codes',
  'everything',
]
const pathOf = (table: string): string => `/${world.found.served.get(table)!.replaceAll('_', '-')}`

/** The values of a column as answers give them, by their ids. */
async function valuesOf(table: string, column: string): Promise<ReadonlyMap<string, string | null>> {
  const key = table === 'rates' || table === 'codes' ? 'code' : 'id'
  const rows = await world.sql(
    `select "${key}", case when "${column}" is not null then format('%s', "${column}") end from "${table}"`,
  )
  return new Map(rows.map(([id, value]) => [String(id), value ?? null]))
}

test('every table is served, and nothing of one is refused', async () => {
  assert.equal([...world.found.served.keys()].sort(), [...TABLES].sort())
  for (const table of TABLES) {
    const answer: Answer = await world.call('GET', pathOf(table))
    assert.is(answer.status, 200, answer.text)
    for (const record of answer.list) {
      const path = `${pathOf(table)}/${encodeURIComponent(String(record.id))}`
      const one = await world.call('GET', path)
      assert.is(one.status, 200, `${path} ${one.text}`)
      const back = await world.call('PUT', path, one.body.data)
      assert.is(back.status, 200, `${path} ${back.text}`)
    }
  }
})

test('every value is as SQL gives it, after it was sent back too', async () => {
  const columns =
    await world.sql(`select c.relname, a.attname, format_type(a.atttypid, null) from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'shop'::regnamespace and c.relname = any(array[${TABLES.map((name) => `'${name}'`).join(', ')}]) and a.attnum > 0 and a.attname not in ('id')`)
  let compared = 0
  for (const [table = '', column = '', type] of columns as [string, string, string][]) {
    // Moments and days have forms of their own in JSON, and lists are no texts.
    if (/timestamp|\[\]|^date$/.test(type)) continue
    const { list } = await world.call('GET', pathOf(table))
    for (const [id, value] of await valuesOf(table, column)) {
      const record = list.find((one) => String(one.id).trim() === id.trim())!
      const name = column === 'code' && (table === 'rates' || table === 'codes') ? 'id' : column
      const shown = Object.hasOwn(record, name) ? [record[name]] : Object.values(record)
      const texts = shown.map((one) => (one === null ? null : String(one).trimEnd()))
      assert.ok(
        texts.includes(value === null ? null : value.trimEnd()),
        `${table}.${column} of ${id}: ${value} is not in ${JSON.stringify(record)}`,
      )
      compared += 1
    }
  }
  assert.ok(compared >= 35, String(compared))
  const [first] = (await world.call('GET', `${pathOf('everything')}?sort=id`)).list
  assert.equal([first!.tags, first!.counts, first!.day], [['a', ' b ', null], [1, 2], '9999-12-31'])
  const inside = await world.call('GET', `${pathOf('everything')}/0`)
  assert.is(inside.body.data.readings.length, 100)
  assert.equal((await world.call('GET', '/totals')).list, [{ id: 0, days: 500 }])
})

test('records are made and changed with what only they have', async () => {
  const body = {
    id: 7,
    at: '1.2.3.4',
    opens: '10:00',
    lasts: '3 days',
    tags: ['x', null],
    counts: [],
    code: 'EUR',
    place: '[2,3)',
  }
  const made = await world.call('POST', pathOf('everything'), body)
  assert.is(made.status, 201, made.text)
  assert.equal([made.body.data.slug, made.body.data.tags], ['slug-7', ['x', null]])
  assert.is((await world.call('POST', pathOf('everything'), { ...body, id: 13 })).status, 409)
  const dated = await world.call('POST', pathOf('constructor'), { null_id: 2 })
  assert.is(dated.status, 201, dated.text)
  assert.is((await world.call('PATCH', `${pathOf('null')}/1`, { label: '', name: ' y ' })).status, 200)
  assert.equal(await world.sql(`select label, name from "null" where id = 1`), [['', ' y ']])
  assert.is((await world.call('DELETE', `${pathOf('ruled')}/1`)).status, 405)
})

test.run()
