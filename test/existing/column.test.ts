/** Columns as PostgreSQL describes them, and their fields. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultOf, fieldOf } from '../../engine/existing/column.ts'
import type { TableFacts } from '../../engine/existing/facts.ts'
import { readFacts } from '../../engine/existing/read-facts.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('columns of a database')

let one: TestDatabase
test.before.each(async () => {
  one = await testDatabase()
})
test.after.each(() => one.close())

async function tableOf(columns: string): Promise<TableFacts> {
  await one.database.knex.raw(`create type mood as enum ('good', 'bad'); create domain short as varchar(5) not null;
    create table things (${columns})`)
  const { tables } = await readFacts(one.database)
  return tables.find(({ name }) => name === 'things')!
}

/** The field of each column: its type, its options, its SQL where it is read only. */
function fieldsOf({ columns, checks }: TableFacts): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map((column) => {
      const own = checks.filter((check) => check.column === column.name).map(({ sql }) => sql)
      const form = fieldOf(column, own)
      return [
        column.name,
        'leftOut' in form ? 'left out' : [form.type, form.options, ...(form.reads ? [form.reads] : [])],
      ]
    }),
  )
}

test('each type is the field that can hold its values', async () => {
  const table =
    await tableOf(`a smallint, b integer, c bigint, d numeric(8, 3), e numeric, f real, g text, h varchar(40), i varchar(300),
    j varchar, k char(3), l boolean, m date, n timestamptz, o timestamp(3), p jsonb, q json, r uuid, s mood, t mood[], u short, v bytea,
    w time, x int4range, y point, z varchar(9)[]`)
  assert.equal(fieldsOf(table), {
    a: ['integer', { min: -32768, max: 32767 }],
    b: ['integer', {}],
    c: ['bigint', {}],
    d: ['decimal', { precision: 8, scale: 3 }],
    e: ['decimal', { column_type: 'numeric' }],
    f: ['decimal', { column_type: 'real' }],
    g: ['text', {}],
    h: ['string', { max: 40 }],
    i: ['text', { max: 300 }],
    j: ['text', {}],
    k: ['string', { max: 3 }],
    l: ['boolean', {}],
    m: ['date', {}],
    n: ['timestamp', {}],
    o: ['timestamp', { column_type: 'timestamp(3) without time zone' }],
    p: ['json', {}],
    q: ['json', {}, 't."q"::jsonb'],
    r: ['uuid', {}],
    s: ['enum', { values: ['good', 'bad'], column_type: 'mood' }],
    t: ['json', {}, 'to_jsonb(t."t")'],
    u: ['string', { max: 5 }],
    v: 'left out',
    w: ['text', { column_type: 'time without time zone' }],
    x: ['text', { column_type: 'int4range' }],
    y: ['text', {}, 't."y"::text'],
    z: ['list', { of: 'string', max_items: 10000, column_type: 'character varying(9)[]' }],
  })
  assert.equal(
    table.columns.filter(({ nullable }) => !nullable).map(({ name }) => name),
    ['u'],
  )
})

test('checks are words or bounds where they say just that, and nothing where they say more', async () => {
  const table =
    await tableOf(`a varchar(10) check (a in ('new', 'b''c')), b text check (b = 'x' or b = 'y'), c text check (c in ('only')),
    d char(1) check (d in ('Y', 'N')), e char(4) check (e in ('Y', 'N')), f text check (length(f) > 2), g text check (g <> 'x'),
    h text check (not (h = 'x')), i text check (i in ('x') and length(i) > 0), j text check (j in (' x ')),
    k int check (k between 1 and 5), l int check (l > 0 and l < 10), m int check (m * 2 > 4), n int check (n > 3 or n < 1),
    o numeric(6, 2) check (o >= 0.5 and o < 9), p numeric(6, 2) check (p >= 0), q int check (q > -7), r smallint check (r <= 9)`)
  const text = ['text', {}]
  assert.equal(fieldsOf(table), {
    a: ['enum', { values: ['new', "b'c"] }],
    b: ['enum', { values: ['x', 'y'] }],
    c: ['enum', { values: ['only'] }],
    d: ['enum', { values: ['Y', 'N'] }],
    e: ['string', { max: 4 }],
    f: text,
    g: text,
    h: text,
    i: text,
    j: text,
    k: ['integer', { min: 1, max: 5 }],
    l: ['integer', { min: 1, max: 9 }],
    m: ['integer', {}],
    n: ['integer', {}],
    o: ['decimal', { precision: 6, scale: 2 }],
    p: ['decimal', { precision: 6, scale: 2, min: '0' }],
    q: ['integer', { min: -6 }],
    r: ['integer', { min: -32768, max: 9 }],
  })
})

test('defaults are values or moments, and others are left to the database', async () => {
  const table =
    await tableOf(`a text default 'it''s', b int default -3, c numeric(5, 2) default 4.99, d boolean default true,
    e timestamptz default now(), f timestamptz default current_timestamp, g date default current_date, h jsonb default '{"a": 1}',
    i mood default 'bad', j int default 2 + 3, k text default upper('x'), l timestamptz default now() + interval '1 day',
    m varchar(5) default null, n text default '$now', o timestamp default localtimestamp, p uuid default gen_random_uuid()`)
  const found = table.columns.map((column) => {
    const form = fieldOf(column, [])
    const type = 'type' in form ? form.type : ''
    return [column.name, column.default === null ? null : defaultOf(type, column.default)]
  })
  assert.equal(Object.fromEntries(found), {
    a: "it's",
    b: -3,
    c: '4.99',
    d: true,
    e: '$now',
    f: '$now',
    g: '$today',
    h: { a: 1 },
    i: 'bad',
    j: undefined,
    k: undefined,
    l: undefined,
    m: undefined,
    n: undefined,
    o: '$now',
    p: undefined,
  })
})

test.run()
