/** Defaults over existing tables: those of the database, and those that only the YAML says. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { served, type World } from './world.ts'

const test = suite('defaults of existing tables')

/** Types with a default of the database, in each form in which PostgreSQL keeps one. */
const DEFAULTS: readonly (readonly [type: string, value: string])[] = [
  ['text', `''`],
  ['text', `' kept '`],
  ['text', `upper('made')`],
  ['text', `'$now'`],
  ['varchar(20)', `concat('a', 'b')`],
  ['char(4)', `'ab'`],
  ['integer', '-3'],
  ['integer', '1 + 1'],
  ['smallint', `'7'`],
  ['bigint', '9007199254740993'],
  ['numeric(6,2)', '1.5'],
  ['numeric', '1e-3'],
  ['double precision', `'NaN'`],
  ['boolean', 'not false'],
  ['date', `'2024-02-29'`],
  ['date', 'current_date'],
  ['timestamp', `'2024-02-29 10:00'`],
  ['timestamptz', `date_trunc('day', now())`],
  ['jsonb', `'{"a": [1]}'`],
  ['jsonb', `jsonb_build_array()`],
  ['uuid', `'00000000-0000-4000-8000-000000000000'`],
  ['mood', `'sad'`],
]

const columns = DEFAULTS.flatMap(([type, value], at) => [
  `a${at} ${type} not null default (${value})`,
  `b${at} ${type} default (${value})`,
])

/** The columns that other frameworks make without a default. */
const SCHEMA = `create type mood as enum ('glad', 'sad');
create table all_defaults (id serial primary key, ${columns.join(', ')});
create table authors (id bigserial primary key, name varchar not null, created_at timestamp(6) not null, updated_at timestamp(6) not null);
create table posts (id bigserial primary key, author_id bigint references authors, title varchar not null,
  created_at timestamptz not null, updated_at timestamptz(0) not null, created_on date not null, inserted_at timestamp);`

let world: World
test.before(async () => {
  world = await served(SCHEMA)
})
test.after(() => world?.close())

test('a record without values has the defaults of the database', async () => {
  await world.sql('insert into all_defaults default values')
  const made = await world.call('POST', '/all-defaults', {})
  assert.is(made.status, 201, made.text)
  const [[byDatabase, byRequest] = []] = await world.sql(
    `select (select (to_jsonb(d) - 'id')::text from all_defaults d where id = 1), (select (to_jsonb(d) - 'id')::text from all_defaults d where id = 2)`,
  )
  assert.is(byRequest, byDatabase)
})

test('records that are made together have the defaults of the database where they have no value', async () => {
  const keys = DEFAULTS.flatMap(([, value], at) => (value === `'NaN'` ? [] : [`b${at}`]))
  const sent = (await world.call('GET', '/all-defaults/1')).body.data
  const create = [{}, ...keys.map((key) => ({ [key]: sent[key] })), {}]
  const made = await world.call('POST', '/all-defaults/batch', { create })
  assert.is(made.status, 200, made.text)
  const [row] = await world.sql(`select count(distinct to_jsonb(d) - 'id') from all_defaults d`)
  assert.equal(row, ['1'])
})

test('null where the database wants a value is a mistake of its field', async () => {
  const keys = DEFAULTS.map((_, at) => `a${at}`)
  for (const key of keys) {
    const refused = await world.call('POST', '/all-defaults', { [key]: null })
    assert.is(refused.status, 422, `${key} ${refused.text}`)
    assert.equal(Object.keys(refused.body.errors), [key])
  }
})

test('$now holds where the database has no default, however a record is made', async () => {
  const author = await world.call('POST', '/authors', { name: 'A' })
  assert.is(author.status, 201, author.text)
  const post = { title: 'T', author_id: '1' }
  const one = await world.call('POST', '/posts', post)
  assert.is(one.status, 201, one.text)
  const old = { ...post, created_at: '2020-01-01T00:00:00Z' }
  const many = await world.call('POST', '/posts/batch', { create: [post, old] })
  assert.is(many.status, 200, many.text)
  const rows = await world.sql(
    `select abs(extract(epoch from now() - created_at)) < 60, abs(extract(epoch from now() - updated_at)) < 60, abs(created_on - current_date) < 2, inserted_at is not null from posts order by id`,
  )
  assert.equal(rows, [
    ['t', 't', 't', 't'],
    ['t', 't', 't', 't'],
    ['f', 't', 't', 't'],
  ])
})

test.run()
