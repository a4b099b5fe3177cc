/** Names and parts of databases with which `init --from` has trouble: what can be served is, and the rest is told. */
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessText, adopted } from '../../engine/cli/init/from.ts'
import { appOf } from '../../engine/cli/init/template.ts'
import { throwawayDatabase } from '../../engine/database/throwaway.ts'
import { clientOf } from '../support/client.ts'
import { SILENT } from '../support/database.ts'
import { filled, served, type World } from './world.ts'

const test = suite('names of existing tables')

const q = (name: string): string => `"${name.replaceAll('"', '""')}"`
const LONG = 'a_table_of_an_application_with_a_rather_long_name_x'
/** Words of YAML and JavaScript, and names that are long. */
const WORDS = [
  'null',
  'true',
  'no',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'then',
  'valueOf',
  'y',
  'NaN',
]
const LONGS = [LONG.slice(0, 50), LONG.slice(0, 49), LONG.slice(0, 41)]
const COLUMNS = [
  't.x',
  '{actor}',
  '$actor',
  'a"b',
  "it's",
  'l\u00f6\u00df',
  'a\u001b[31mb',
  'line\nbreak',
  'tab\tbed',
  '\u202eabc',
  'back\\slash',
  '\u0085',
  ' ',
  '1st',
  '{{x}}',
  '--',
  '/*',
  'null',
  'constructor',
  '__proto__',
  'true',
]
const HOSTILE = ['esc\u001b[2J', 'two\nlines', '\u202egnp.exe', '`rm -rf`', '../../up', 'a/b', 'quo"te', "o'clock"]

const table = (name: string, more = ''): string => `create table ${q(name)} (id serial primary key, label text${more});
  insert into ${q(name)} (label) values ('one');`

const SCHEMA = [
  ...WORDS.map((name) => table(name)),
  ...LONGS.map((name, at) =>
    table(name, at === 0 ? '' : `, ${q(`${LONGS[0]!.slice(0, 44)}_id`)} int references ${q(LONGS[0]!)}`),
  ),
  `create table ${q(LONG.slice(0, 48))} (one int references ${q(LONGS[1]!)}, two int references ${q(LONGS[2]!)}, primary key (one, two));`,
  `create table odd_columns (id serial primary key, ${COLUMNS.map((name, at) => `${q(name)} text default 'v${at}'`).join(', ')}); insert into odd_columns default values;`,
  ...HOSTILE.map((name) => table(name)),
  `comment on table "null" is E'a comment\\x1b[31m\\u202e of two\\nlines'; comment on column "null".label is E'\\x07bell';`,
  table('ruled'),
  'create rule none as on update to ruled do instead nothing; create rule gone as on delete to ruled do instead nothing;',
  table('pouring'),
  'create rule pour as on insert to pouring do instead select 1;',
].join('\n')

let world: World
test.before(async () => {
  world = await served(SCHEMA)
})
test.after(() => world?.close())

/** Controls other than line breaks, and signs that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

test('tables named like words of YAML or JavaScript, and long ones, are served with all they have', async () => {
  for (const name of [...WORDS, ...LONGS, 'odd_columns', 'ruled', 'pouring']) {
    const resource = world.found.served.get(name)
    assert.ok(resource, `${name} is not served`)
    const path = `/${resource.replaceAll('_', '-')}`
    const list = await world.call('GET', path)
    assert.is(list.status, 200, `${name} ${list.text}`)
    assert.is(list.list.length, 1, name)
    if (name === 'pouring') continue
    const made = await world.call('POST', path, {})
    assert.is(made.status, 201, `${name} ${made.text}`)
    if (name === 'ruled') continue
    const changed = await world.call('PATCH', `${path}/2`, name === 'odd_columns' ? { null: 'new' } : { label: 'new' })
    assert.is(changed.status, 200, `${name} ${changed.text}`)
    assert.is((await world.call('DELETE', `${path}/2`)).status, 204, name)
  }
})

test('columns of any name are answered with their values', async () => {
  const [record] = (await world.call('GET', '/odd-columns')).list
  const values = Object.entries(record!)
    .filter(([name]) => name !== 'id')
    .map(([, value]) => value)
  assert.equal(values.sort(), COLUMNS.map((_, at) => `v${at}`).sort())
})

test('rules that do something else leave out the actions that they replace', async () => {
  for (const [method, path, body] of [
    ['PATCH', '/ruled/1', { label: 'x' }],
    ['DELETE', '/ruled/1'],
    ['POST', '/pouring', { label: 'x' }],
  ] as const) {
    const answer = await world.call(method, path, body)
    assert.is(answer.status, 405, `${method} ${path} ${answer.text}`)
  }
  assert.ok(world.found.remarks.some((line) => line.startsWith('ruled ') && line.includes('rule')))
})

test('no control character reaches a file or the terminal, and test/schema.sql makes the same names', async () => {
  const { files, remarks, schema } = world.found
  for (const [name, text] of [
    ...files,
    ['remarks', remarks.join('\n')],
    ['schema', schema],
    ['access', accessText(world.found)],
  ] as const) {
    assert.not.match(name, CONTROLS)
    assert.not.match(text, CONTROLS, name)
  }
  const { database, close } = await throwawayDatabase(process.env.TEST_DATABASE_URL, { log: SILENT, schema })
  try {
    const text = `select column_name from information_schema.columns where table_schema = 'public' and table_name = 'odd_columns' and column_name <> 'id' order by ordinal_position`
    assert.equal((await database.adhoc.run({ text }, [])).flat(), COLUMNS)
  } finally {
    await close()
  }
})

test('the document and the typed client have all of them', async () => {
  const { body } = await world.app.call('GET', '/openapi.json')
  for (const name of WORDS) {
    const path = `/api/v1/${world.found.served.get(name)!.replaceAll('_', '-')}`
    assert.ok(Object.hasOwn(body.paths, path), path)
  }
  const { createClient } = await clientOf(join(world.app.dataDir, '..', 'resources'))
  const client = createClient({ baseUrl: world.app.address, token: world.token })
  for (const name of WORDS) {
    const resource = world.found.served.get(name)!
    assert.ok(Object.hasOwn(client, resource), resource)
    assert.is((await client[resource].list()).data.length >= 1, true, resource)
  }
})

const name = fc.oneof(
  fc.constantFrom(...WORDS, ...COLUMNS, ...HOSTILE, ...LONGS, 'users', 'roles', 'auth', 'id', 'and', 'any'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => !text.includes('\0') && Buffer.byteLength(text) < 64),
  fc.string({ unit: fc.constantFrom(...'abc_XY1'), minLength: 40, maxLength: 63 }),
)

test('a database of any names is taken over', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { minLength: 3, maxLength: 8 }),
      fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
      async (tables, columns) => {
        const made = tables.map((one, at) => {
          const own = columns
            .filter((column) => column !== 'id' && column !== `ref${at}`)
            .map((column) => `${q(column)} text`)
          const back = at === 0 ? [] : [`${q(`ref${at}`)} int references ${q(tables[at - 1]!)}`]
          return `create table ${q(one)} (${['id serial primary key', ...own, ...back].join(', ')});`
        })
        const { own, close } = await filled(`create table plain (id serial primary key); ${made.join('\n')}`)
        try {
          const found = await adopted(own, await appOf('from', { title: 'Shop' }))
          assert.ok(found.served.has('plain'))
          for (const text of [...found.files.values(), ...found.remarks, found.schema]) assert.not.match(text, CONTROLS)
        } finally {
          await own.close()
          await close()
        }
      },
    ),
    { numRuns: 6, includeErrorInReport: true },
  )
})

test.run()
