/** Present rows when a field is required, changes its type, or loses a word: counted, named by id, and never lost. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { migrateTables, planTables } from '../../engine/migration/migrate.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { SILENT } from '../support/database.ts'
import { LIBRARY } from './example.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('rows that are there')
let library: Library

const VIEW = 'policies: { view: [{ who: anyone }] }'

/** The library with a table of lines, and one of states, as YAML says. */
function lines(yaml: string): readonly Table[] {
  const made = tables(resolved({ lines: `${yaml}\n${VIEW}`, states: `fields: { slug: { type: slug } }\n${VIEW}` }))
  return [...LIBRARY, ...made.filter(({ name }) => name === 'lines' || name === 'states')]
}

const fields = (text: string) => lines(`fields: { ${text} }`)
const knex = () => library.database.knex('lines')
const insert = (rows: readonly object[]) => knex().insert([...rows])
const values = (column: string) => knex().orderBy('id').pluck(column)

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

test('required over nulls names the rows and what to write, and backfill fills them from another field', async () => {
  const name = 'name: { type: string }'
  await library.titles(fields(`${name}, title: { type: string }`))
  await insert([{ name: 'a', title: 'x' }, { name: 'b' }, { name: null }])
  assert.is(
    await library.shown(fields(`${name}, title: { type: string, required: true }`)),
    `  blocked  require lines.title: 2 rows are null (ids 2, 3)
           → \`backfill: <value>\` beside the field says what they get, \`backfill: $record.<field>\` the value of another field; or leave it nullable`,
  )
  const from = fields(`${name}, title: { type: string, required: true, backfill: $record.name }`)
  assert.is(
    await library.shown(from),
    `  blocked  find a value for lines.title: 1 row gets no value by backfill that the field can hold (id 3)
           → give a second value, such as \`backfill: { first: [$record.<field>, <value>] }\`, or correct those records
  safe     require lines.title, where null becomes $record.name, in 2 rows`,
  )
  const first = fields(`${name}, title: { type: string, required: true, backfill: { first: [$record.name, none] } }`)
  await library.titles(first)
  assert.equal(await values('title'), ['x', 'b', 'none'])
  assert.equal(await library.titles(first), [])
})

test('a new required field gives the rows that are there what backfill says, and new ones their default', async () => {
  await library.titles(fields('name: { type: string }'))
  await insert([{ name: 'ann' }, { name: 'bob' }])
  const state = '{ type: enum, values: [open, done], default: open, nullable: false, backfill: done }'
  const text = 'state: { type: text, required: true, backfill: { text: "for {{ name }}" } }'
  const wanted = fields(`name: { type: string }, state: ${state}, ${text.replace('state', 'note')}`)
  assert.equal(await library.titles(wanted), [
    "add column lines.state (character varying(100)) with 'done', in 2 rows",
    'add column lines.note (text)',
    'require lines.note, where null becomes { text: "for {{ name }}" }',
    'add index on lines (state, id)',
  ])
  await insert([{ name: 'eve', note: 'n' }])
  assert.equal(await values('state'), ['done', 'done', 'open'])
  assert.equal(await values('note'), ['for ann', 'for bob', 'n'])
  assert.equal(await library.titles(wanted), [])
})

test('a relation that becomes required asks for the record that rows get', async () => {
  const relation = (more: string) =>
    lines(`fields: { name: { type: string } }\nrelations: { state: { belongs_to: states${more} } }`)
  await library.titles(relation(''))
  await library.database.knex('states').insert([{ slug: 'open' }, { slug: 'done' }])
  await insert([{ state_id: 1 }, { state_id: null }])
  assert.match(
    await library.shown(relation(', required: true')),
    'blocked  require lines.state_id: 1 row is null (id 2)\n           → `backfill: { <field>: <value> }` beside the relation',
  )
  assert.match(
    await library.shown(relation(', required: true, backfill: { slug: gone }')),
    'blocked  find a value for lines.state_id: 1 row gets no value by backfill that the field can hold (id 2)\n           → name a record of states that is there',
  )
  await library.titles(relation(', required: true, backfill: { slug: done }'))
  assert.equal(await values('state_id'), [1, 2])
})

test('a type change converts every value that converts, and the plan names the others', async () => {
  await library.titles(fields('size: { type: text }, other: { type: integer }'))
  await insert([{ size: ' 12 ' }, { size: 'twelve' }, { size: '-3' }, { size: null }, { size: '99999999999' }])
  const wanted = fields('size: { type: integer }, other: { type: integer }')
  assert.is(
    await library.shown(wanted),
    `  unsafe   change type of lines.size from text to integer: 2 rows have a value that means nothing as integer; it becomes null (ids 2, 5)
           → correct those values first, or write what takes their place, \`backfill: <value>\`; the old values are kept, set aside with the date
  safe     add index on lines (size, id)`,
  )
  assert.is((await library.migrated(wanted)).value, undefined, 'a start leaves that to a person')
  await library.apply(wanted)
  assert.equal(await values('size'), [12, null, -3, null, null])
  assert.equal(await values('size__removed_20260131'), [' 12 ', 'twelve', '-3', null, '99999999999'])
  assert.equal(await library.titles(wanted), [])
})

test('a start converts where every value converts', async () => {
  await library.titles(fields('day: { type: string }, at: { type: date }, flag: { type: integer }'))
  await insert([{ day: '2024-02-29', at: '2026-01-02', flag: 1 }, { day: null }])
  const wanted = fields('day: { type: date }, at: { type: timestamp }, flag: { type: boolean }')
  assert.equal(await library.titles(wanted), [
    'change type of lines.day from character varying(255) to date',
    'change type of lines.at from date to timestamp with time zone',
    'change type of lines.flag from integer to boolean',
  ])
  const shown = library.database.knex.raw(`day::text, (at at time zone 'UTC')::text as at, flag`)
  assert.equal(await knex().orderBy('id').select(shown), [
    { day: '2024-02-29', at: '2026-01-02 00:00:00', flag: true },
    { day: null, at: null, flag: null },
  ])
})

const CONVERTED: readonly (readonly [from: string, to: string, cases: Readonly<Record<string, string | null>>])[] = [
  [
    'text',
    'date',
    { '2023-02-29': null, '2024-13-01': null, '2024-1-1': null, today: null, '2000-02-29': '2000-02-29' },
  ],
  [
    'text',
    'timestamp',
    {
      '2024-01-01': '2024-01-01 00:00:00',
      '2024-01-01T10:00': '2024-01-01 10:00:00',
      '2024-01-01t10:00:00.5+02:00': '2024-01-01 08:00:00.5',
      '2024-01-01 10:00Z': '2024-01-01 10:00:00',
      '2024-01-01 25:00': null,
      now: null,
    },
  ],
  ['text', 'decimal', { '1.50': '1.50', '1.555': null, '1e5': null, '12345678901': null, NaN: null, '+7': '7.00' }],
  ['text', 'boolean', { Yes: 'true', off: 'false', maybe: null, '2': null }],
  ['decimal', 'integer', { '2.00': '2', '2.50': null }],
  ['timestamp', 'date', { '2024-01-01 23:30:00+00': null, '2024-01-02 02:00:00+02': '2024-01-02' }],
  ['boolean', 'integer', { true: '1', false: '0' }],
  ['integer', 'boolean', { '1': 'true', '0': 'false', '2': null }],
]

test('what converts to what', async () => {
  const all = (which: 0 | 1) => fields(CONVERTED.map((one, i) => `f${i}: { type: ${one[which]} }`).join(', '))
  await library.titles(all(0))
  for (const [i, [, , cases]] of CONVERTED.entries())
    await insert(Object.keys(cases).map((value) => ({ [`f${i}`]: value })))
  await library.apply(all(1))
  for (const [i, [, to, cases]] of CONVERTED.entries()) {
    const column = to === 'timestamp' ? `(f${i} at time zone 'UTC')::text` : `f${i}::text`
    const rows = await knex()
      .whereNotNull(`f${i}__removed_20260131`)
      .orderBy('id')
      .select(library.database.knex.raw(`${column} as value`))
    assert.equal(
      rows.map(({ value }) => value),
      Object.values(cases),
      CONVERTED[i]!.slice(0, 2).join(' to '),
    )
  }
})

test('a required field whose values do not convert says what takes their place', async () => {
  const of = (type: string, more = '') => fields(`size: { type: ${type}, required: true${more} }`)
  await library.titles(of('text'))
  await insert([{ size: '1' }, { size: 'x' }])
  assert.match(
    await library.shown(of('integer')),
    'blocked  change type of lines.size from text to integer: 1 row has a value that means nothing as integer (id 2)\n           → correct those values first, or write what takes their place, `backfill: <value>`',
  )
  const filled = of('integer', ', backfill: 0')
  assert.match(
    await library.shown(filled),
    'unsafe   change type of lines.size from text to integer: 1 row has a value that means nothing as integer; it becomes 0 (id 2)',
  )
  await library.apply(filled)
  assert.equal(await values('size'), [1, 0])
  assert.equal(await library.titles(filled), [])
})

test('what is written while a type changes is converted too, and indexes are there when the new column is', async () => {
  const indexed = (type: string) =>
    lines(`fields: { size: { type: ${type}, unique: true }, name: { type: string } }\nindexes: [[name, size]]`)
  await library.titles(indexed('string'))
  await insert(Array.from({ length: 2_100 }, (_, i) => ({ size: String(i), name: 'n' })))
  const told: unknown[] = []
  let batches = 0
  const { database } = library
  const session: typeof database.session = (work) =>
    database.session((runner) =>
      work({
        run: async (statement, given) => {
          const rows = await runner.run(statement, given)
          if (statement.text.startsWith('with plinth_batch') && ++batches === 2) {
            await runner.run({ text: `update lines set size = '9000' where id = 5` }, [])
            await runner.run({ text: `insert into lines (size, name) values ('9001', 'late')` }, [])
          }
          return rows
        },
      }),
    )
  const watched = { ...database, session, kind: database.kind }
  const log = { ...SILENT, info: (about: object) => void told.push(about) }
  const { diagnostics } = await migrateTables(indexed('integer'), watched, { ...EDITED, log })
  assert.equal(diagnostics, [])
  assert.is(batches, 4, '2,101 rows in batches of 1,000, and a look behind the last')
  assert.equal(told, [{ step: 'change type of lines.size from character varying(255) to integer', rows: 2_100, of: 0 }])
  assert.equal(await knex().where('id', 5).orWhere('name', 'late').orderBy('id').pluck('size'), [9000, 9001])
  assert.is((await knex().whereNull('size')).length, 0)
  assert.equal(await library.titles(indexed('integer')), [], 'no index is left to make')
})

test('a YAML that says otherwise before a change was whole leaves nothing of it behind', async () => {
  const of = (type: string, more = '') => fields(`size: { type: ${type}${more} }`)
  await library.titles(of('text'))
  await insert([{ size: '1' }])
  const { database } = library
  const stopping = (at: string): typeof database => ({
    ...database,
    kind: database.kind,
    session: (work) =>
      database.session((runner) =>
        work({
          run: (statement, given) =>
            statement.text.startsWith(at) ? Promise.reject(new Error('stopped')) : runner.run(statement, given),
        }),
      ),
  })
  for (const [wanted, at] of [
    [of('integer'), 'with plinth_batch'],
    [of('text', ', required: true'), 'alter table "lines" validate'],
  ] as const) {
    await migrateTables(wanted, stopping(at), EDITED).then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, 'stopped'),
    )
    await library.titles(of('text'))
    await insert([{ size: 'no number' }, { size: null }])
    assert.equal((await planTables(of('text'), database, EDITED.now)).value.steps, [])
    await knex().where('id', '>', 1).delete()
  }
  const [row] = await knex()
  assert.equal(Object.keys(row ?? {}).sort(), ['created_at', 'id', 'size', 'updated_at'])
})

test('a word that is in use goes only when the YAML says which one takes its place', async () => {
  const of = (values: string, more = '') =>
    fields(
      `state: { type: enum, values: [${values}]${more} }, tags: { type: list, of: enum, values: [${values}]${more} }`,
    )
  await library.titles(of('new, used, torn'))
  await insert([
    { state: 'torn', tags: JSON.stringify(['torn', 'new']) },
    { state: 'new', tags: JSON.stringify(['used', 'torn', 'used']) },
    { state: 'torn' },
  ])
  assert.is(
    await library.shown(of('new, used')),
    `  blocked  take torn out of the words of lines.state: 2 rows have the word torn (ids 1, 3)
           → write which word takes its place beside the values, \`becomes: { torn: new }\`; or keep the word
  blocked  take torn out of the words of lines.tags: 2 rows have the word torn (ids 1, 2)
           → write which word takes its place beside the values, \`becomes: { torn: new }\`; or keep the word`,
  )
  const wanted = of('new, used', ', becomes: { torn: used }')
  assert.equal(await library.titles(wanted), [
    'change torn to used in lines.state, in 2 rows',
    'change torn to used in lines.tags, in 2 rows',
  ])
  assert.equal(await values('state'), ['used', 'new', 'used'])
  assert.equal(await values('tags'), [['used', 'new'], ['used'], null])
  assert.equal(await library.titles(wanted), [])
  await insert([{ state: 'torn' }])
  assert.equal(
    await library.titles(wanted),
    ['change torn to used in lines.state, in 1 row'],
    'what an older version wrote since',
  )
})

test('a text that becomes an enum keeps to its words', async () => {
  await library.titles(fields('state: { type: string }'))
  await insert([{ state: 'new' }, { state: 'torn' }])
  const of = (more: string) => fields(`state: { type: enum, values: [new, used]${more} }`)
  assert.match(
    await library.shown(of('')),
    'blocked  keep to the words of lines.state: 1 row has a value that is none of them (id 2)',
  )
  await library.titles(of(', becomes: { torn: used }'))
  assert.equal(await values('state'), ['new', 'used'])
})

test.run()
