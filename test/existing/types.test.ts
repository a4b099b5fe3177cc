/** Columns of types that the engine has no type of its own for: read as SQL gives them, and written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lookAtDatabase } from '../../engine/doctor/server.ts'
import { served, type World } from './world.ts'

const test = suite('types of existing tables')

/** Types, with values as PostgreSQL prints them, another value, and one that is none. */
const TYPES: readonly (readonly [type: string, one: unknown, other: unknown, wrong?: unknown])[] = [
  ['inet', '10.0.0.1', '10.0.0.0/8', 'ten'],
  ['inet', '2001:db8::1', '::1', '1.2.3'],
  ['cidr', '10.0.0.0/8', '192.168.1.0/24', 'x'],
  ['macaddr', '08:00:2b:01:02:03', '08:00:2b:01:02:04', '08:00'],
  ['time', '09:30:00', '23:59:59.5', '25:00'],
  ['time(0)', '09:30:00', '00:00:00', 'noon'],
  ['timetz', '09:30:00+02', '10:00:00-05', '09:30'],
  ['interval', '1 day 02:00:00', '1 year 2 mons', 'soon'],
  ['interval', '-00:00:01.5', '3 days', '1;2'],
  ['int4range', '[1,5)', 'empty', '1-5'],
  ['daterange', '[2024-01-01,2024-02-01)', '[2024-01-01,)', 'x'],
  ['text[]', ['a', ' b ', '', 'c,"d\\', 'NULL', null], [], 'a'],
  ['varchar(10)[]', ['x'], ['y', '{}'], [1]],
  ['integer[]', [1, -2, null], [0], ['x']],
  ['smallint[]', [1], [2, 3], 1],
  ['boolean[]', [true, false, null], [false], ['maybe']],
  ['date[]', ['2024-02-29'], [], ['2024-02-30']],
  ['uuid[]', ['00000000-0000-4000-8000-000000000000'], [], ['x']],
]

const SCHEMA = `
create type currency as enum ('EUR', 'USD', 'a,b');
create table kinds (id serial primary key, ${TYPES.map(([type], at) => `c${at} ${type} not null, n${at} ${type}`).join(', ')});
create table rates (code currency primary key, rate numeric not null);
create table prices (id serial primary key, code currency not null references rates, amount numeric(10,2) not null);
create table stamped (id serial primary key, note text not null, slug text not null, made timestamptz not null, "Upper" integer not null,
  words tsvector not null, plain text not null);
create function stamp() returns trigger language plpgsql as $$ begin
  new.slug := lower(new.note); new.made = now();
  if new."Upper" is null then new."Upper" := 7; end if;
  if new.plain = 'x' then raise notice 'none'; end if;
  return new; end $$;
create trigger stamp before insert on stamped for each row execute function stamp();
create trigger words before insert or update on stamped for each row execute function tsvector_update_trigger(words, 'pg_catalog.simple', note);`

let world: World
test.before(async () => {
  const names = TYPES.map((_, at) => `n${at}`)
  const filters = `filters: [${names.join(', ')}]\nsort: { keys: [${names.filter((_, at) => !Array.isArray(TYPES[at]![1])).join(', ')}] }\n`
  world = await served(SCHEMA, { files: ({ files }) => ({ 'kinds.yaml': `${files.get('kinds.yaml')}${filters}` }) })
})
test.after(() => world?.close())

const rowOf = (place: 1 | 2, prefix = 'c') => Object.fromEntries(TYPES.map((row, at) => [`${prefix}${at}`, row[place]]))

test('values are written and answered as they are, alone, in lists and in embedded records', async () => {
  const made = await world.call('POST', '/kinds', rowOf(1))
  assert.is(made.status, 201, made.text)
  const { id, ...read } = made.body.data
  const nulls = Object.fromEntries(TYPES.map((_, at) => [`n${at}`, null]))
  assert.equal(read, { ...rowOf(1), ...nulls })
  assert.equal((await world.call('GET', '/kinds')).list[0], { id, ...read })
  for (const [at, [type, one, other, wrong]] of TYPES.entries()) {
    const key = `n${at}`
    for (const value of [one, other]) {
      const changed = await world.call('PATCH', `/kinds/${id}`, { [key]: value })
      assert.is(changed.status, 200, `${type} ${changed.text}`)
      assert.equal(changed.body.data[key], value, type)
    }
    const refused = await world.call('PATCH', `/kinds/${id}`, { [key]: wrong })
    assert.is(refused.status, 422, `${type} ${refused.text}`)
    assert.equal(Object.keys(refused.body.errors)[0]?.split('.')[0], key)
    const sent = encodeURIComponent(String(other).replaceAll(',', '\\,'))
    const filters = Array.isArray(one)
      ? [`${key}[null]=false`]
      : [`${key}=${sent}`, `${key}[in]=${sent}`, `sort=-${key}`]
    for (const filter of filters) {
      const found = await world.call('GET', `/kinds?${filter}`)
      assert.is(found.status, 200, `${type} ${found.text}`)
      assert.is(found.list.length, 1, `${type} ${filter}`)
    }
  }
  const both = [rowOf(1), { ...rowOf(2), ...rowOf(2, 'n') }]
  const many = await world.call('POST', '/kinds/batch', { create: both })
  assert.is(many.status, 200, many.text)
  const again = await world.call('PUT', `/kinds/${id}`, (await world.call('GET', `/kinds/${id}`)).body.data)
  assert.is(again.status, 200, again.text)
})

test('a value that only the database can judge is a mistake, and never an error of the server', async () => {
  for (const [key, value] of [
    ['c2', '10.0.0.1/8'],
    ['c7', '1 foo'],
    ['c9', '[5,1)'],
    ['c8', '9999999999 years'],
  ] as const) {
    const refused = await world.call('PATCH', '/kinds/1', { [key]: value })
    assert.is(refused.status, 422, `${value} ${refused.text}`)
  }
})

test('an enum as a key names its records, and references to it are relations', async () => {
  const rate = await world.call('POST', '/rates', { id: 'EUR', rate: '1' })
  assert.is(rate.status, 201, rate.text)
  assert.is((await world.call('GET', '/rates/EUR')).status, 200)
  for (const id of ['USD', 'GBP', '%20']) assert.is((await world.call('GET', `/rates/${id}`)).status, 404, id)
  assert.is((await world.call('POST', '/rates', { id: 'GBP', rate: '1' })).status, 422)
  const price = await world.call('POST', '/prices', { code: 'EUR', amount: '2.50' })
  assert.is(price.status, 201, price.text)
  assert.is((await world.call('POST', '/prices', { code: 'GBP', amount: '2.50' })).status, 422)
  assert.is((await world.call('POST', '/prices', { code: 'USD', amount: '2.50' })).status, 422)
  assert.is((await world.call('GET', '/prices?code=EUR')).list.length, 1)
  assert.is((await world.call('PATCH', '/rates/EUR', { rate: '2' })).status, 200)
})

test('columns that a trigger fills are not asked for, and others are', async () => {
  const text = world.found.files.get('stamped.yaml') ?? ''
  assert.is(text.match(/filled_by: database/g)?.length, 3, text)
  const made = await world.call('POST', '/stamped', { note: 'Some Note', plain: 'p' })
  assert.is(made.status, 201, made.text)
  assert.equal([made.body.data.slug, made.body.data.Upper], ['some note', 7])
  const refused = await world.call('POST', '/stamped', { note: 'Some Note' })
  assert.equal(Object.keys(refused.body.errors), ['plain'])
})

// The embedded database does not have the extension.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('citext is compared without case, as a column, a key and a reference', async () => {
    const other = await served(`create extension citext;
      create table people (mail citext primary key, nick citext unique not null default 'none');
      create table notes (id serial primary key, by_mail citext not null references people, text text);`)
    try {
      const made = await other.call('POST', '/people', { id: 'Ada@Example.com', nick: 'Ada' })
      assert.is(made.status, 201, made.text)
      const found = await other.call('GET', '/people/ada@example.com')
      assert.is(found.body.data?.id, 'Ada@Example.com', found.text)
      assert.is((await other.call('POST', '/people', { id: 'x', nick: 'ADA' })).status, 422)
      const note = await other.call('POST', '/notes', { by_mail: 'ADA@example.com' })
      assert.is(note.status, 201, note.text)
      assert.is((await other.call('GET', '/notes?by_mail=ADA@EXAMPLE.com')).list.length, 1)
      assert.is((await other.call('PATCH', '/people/ADA@EXAMPLE.COM', { nick: 'Countess' })).status, 200)
    } finally {
      await other.close()
    }
  })

  test('citext of a schema in which connections do not look is named by doctor, with what to write', async () => {
    const schema = `create schema extensions; create extension citext schema extensions; create schema shop;
      create table shop.people (id serial primary key, mail extensions.citext not null);`
    const other = await served(schema, { schema: 'shop' })
    try {
      const found = await lookAtDatabase(other.database, other.app.engine.app.catalog)
      const told = found.map(({ message }) => message).join('\n')
      assert.match(told, 'citext are compared with case, because connections do not look in the schema extensions')
      assert.match(
        found.map(({ advice }) => advice).join('\n'),
        '?options=-csearch_path%3Dshop%2Cextensions at the end',
      )
      await other.database.transaction(async (transaction) => {
        await transaction.run({ text: 'set local search_path to shop, extensions' }, [])
        const seen = await lookAtDatabase({ ...other.database, adhoc: transaction }, other.app.engine.app.catalog)
        assert.not.match(seen.map(({ message }) => message).join(), 'citext')
      })
    } finally {
      await other.close()
    }
  })
}

test.run()
