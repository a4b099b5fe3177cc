/** A field that allows less than before: stored values are judged like a request, counted, named, and never lost. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { lines } from './lines.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('narrower fields')
let library: Library

const knex = () => library.database.knex('lines')
const field = (text: string) => lines(`name: { type: string }, value: { ${text} }`)

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

/** A field before and after, values that stay allowed, and others. */
const NARROWED: readonly (readonly [
  from: string,
  to: string,
  allowed: readonly unknown[],
  others: readonly unknown[],
])[] = [
  ['type: string', 'type: email', ['ann@example.com'], ['ann', 'Ann@Example.com']],
  ['type: string', 'type: url', ['https://example.com/'], ['example', 'javascript:alert(1)']],
  ['type: string', 'type: slug', ['a-b'], ['A b', 'a--b']],
  ['type: string', 'type: color', ['#aabbcc'], ['red']],
  ['type: text', 'type: string', ['one line'], ['two\nlines']],
  ['type: string', 'type: sequence', ['12'], ['INV-12']],
  ['type: string', 'type: string, pattern: "^[A-Z]+$"', ['AB'], ['ab', 'A1']],
  ['type: string', 'type: string, min: 3', ['abc'], ['ab']],
  ['type: text', 'type: text, max: 3', ['abc'], ['abcd']],
  ['type: integer', 'type: integer, min: 1, max: 5', [1, 5], [0, 6]],
  ['type: integer, max: 10', 'type: integer, max: 5', [5], [6, 10]],
  ['type: integer', 'type: decimal, max: "5.00"', [5], [6]],
  ['type: decimal', 'type: decimal, min: "1.50"', ['1.50'], ['1.49']],
  ['type: json', 'type: json, schema: { type: object, required: [a] }', ['{"a":1}'], ['{}', '[1]']],
  ['type: json', 'type: json, max_bytes: 4', ['"a"'], ['"abcd"']],
]

/** All of a table together, but for a sequence, which has a value in every row. */
const isOfSequence = ([, to]: (typeof NARROWED)[number]) => to === 'type: sequence'
for (const cases of [NARROWED.filter((one) => !isOfSequence(one)), NARROWED.filter(isOfSequence)])
  test(`what is narrower is left to a person: ${cases.map(([from, to]) => `${from} to ${to}`).join('; ')}`, async () => {
    const fields = (which: 0 | 1) => lines(cases.map((one, at) => `value_${at}: { ${one[which]} }`).join(', '))
    const [from, to] = [fields(0), fields(1)]
    await library.titles(from)
    const rows = cases.flatMap(([, , allowed, others], at) =>
      [...allowed, ...others].map((value) => ({ at, value, isLeft: others.includes(value) })),
    )
    for (const { at, value } of rows) await knex().insert({ [`value_${at}`]: value })
    const idsOf = (at: number) => rows.flatMap((row, i) => (row.at === at && row.isLeft ? i + 1 : []))
    const said = cases.map((_, at) => {
      const ids = idsOf(at)
      return `lines.value_${at} what the field says now: ${ids.length} ${ids.length === 1 ? 'row has' : 'rows have'} a value that the field no longer allows; they stay as they are until they are changed (${ids.length === 1 ? 'id' : 'ids'} ${ids.join(', ')})`
    })
    const shown = await library.shown(to)
    for (const one of said) assert.match(shown, `unsafe   allow in ${one}`)
    const { value, diagnostics } = await library.migrated(to)
    assert.is(value, undefined, 'a start leaves it to a person')
    for (const one of said) assert.ok(diagnostics.some(({ message }) => message.endsWith(one)))
    await library.apply(to)
    assert.is((await knex()).length, rows.length)
    assert.equal(await library.titles(to), [], 'what a person has said is not asked again')
    await library.titles(from)
    await knex()
      .whereIn(
        'id',
        cases.flatMap((_, at) => idsOf(at)),
      )
      .delete()
    const titles = await library.titles(to)
    assert.ok(!titles.some((title) => title.startsWith('allow in')), 'where every value fits, nothing is said')
  })

test('items of a list stop the change', async () => {
  const of = (items: string) => field(`type: list, of: ${items}`)
  await library.titles(of('string'))
  await knex().insert([{ value: '["a","b"]' }, { value: '["c"]' }, { value: null }, { value: '[]' }])
  const wanted = of('enum, values: [a, b]')
  assert.match(
    await library.shown(wanted),
    'blocked  allow in lines.value what the field says now: 1 row has a value that the field no longer allows (id 2)',
  )
  assert.match(await library.shown(of('integer')), '2 rows have a value that the field no longer allows (ids 1, 2)')
  await library.titles(of('enum, values: [a, b, c]'))
  assert.match(
    await library.shown(wanted),
    'blocked  take c out of the words of lines.value: 1 row has the word c (id 2)',
  )
  assert.not.match(await library.shown(wanted), 'allow in')
})

test('a json that becomes a list must be one', async () => {
  await library.titles(field('type: json'))
  await knex().insert([{ value: '["a"]' }, { value: '{"a":1}' }])
  assert.match(await library.shown(field('type: list, of: string')), 'blocked  allow in lines.value')
})

test('fields of other types that become enums keep to their words', async () => {
  const types = [
    ['integer', '1', '2'],
    ['boolean', 'true', 'false'],
    ['date', '2024-01-01', '2024-01-02'],
    ['slug', 'a', 'b'],
  ] as const
  const row = (of: (type: (typeof types)[number]) => string | null) =>
    Object.fromEntries(types.map((type) => [`value_${type[0]}`, of(type)]))
  await library.titles(lines(types.map(([type]) => `value_${type}: { type: ${type} }`).join(', ')))
  await knex().insert([row(([, value]) => value), row(([, , other]) => other), row(() => null)])
  const enums = (more: (other: string) => string) =>
    lines(
      types
        .map(([type, value, other]) => `value_${type}: { type: enum, values: ["${value}", other]${more(other)} }`)
        .join(', '),
    )
  const shown = await library.shown(enums(() => ''))
  for (const [type] of types)
    assert.match(
      shown,
      `blocked  keep to the words of lines.value_${type}: 1 row has a value that is none of them (id 2)`,
    )
  await library.titles(enums((other) => `, becomes: { "${other}": other }`))
  for (const [type, value] of types)
    assert.equal(await knex().orderBy('id').pluck(`value_${type}`), [value, 'other', null])
})

test('what comes back is judged by what the field says now', async () => {
  const bare = lines('name: { type: string }')
  for (const [from, to, value, said] of [
    ['type: string', 'type: slug', 'A b', 'unsafe   allow in lines.value'],
    ['type: enum, values: [a, b]', 'type: enum, values: [b]', 'a', 'blocked  keep to the words of lines.value'],
  ] as const) {
    await library.titles(field(from))
    await knex().insert({ value })
    await library.apply(bare)
    assert.match(await library.shown(field(to)), said)
    await library.titles(field(from))
    await knex().delete()
    await library.apply(bare)
    await library.database.knex.raw('alter table lines drop column value__removed_20260131')
  }
})

test('a renamed field is judged under the name that it has', async () => {
  await library.titles(lines('old: { type: string, pattern: "^[a-z]+$" }'))
  await knex().insert([{ old: 'abc' }])
  assert.not.match(
    await library.shown(lines('value: { type: string, pattern: "^[a-z]+$", renamed_from: old }')),
    'allow in',
  )
  assert.match(
    await library.shown(lines('value: { type: string, pattern: "^[a-b]+$", renamed_from: old }')),
    'unsafe   allow in lines.value what the field says now: 1 row has',
  )
})

test('a usual start reads no row, and rows are read in batches', async () => {
  const narrow = field('type: string, pattern: "^[a-z]+$"')
  await library.titles(narrow)
  await knex().insert(Array.from({ length: 2_500 }, (_, i) => ({ value: i % 500 === 0 ? `${i}` : 'abc' })))
  const read: string[] = []
  const { database } = library
  const session: typeof database.session = (work) =>
    database.session((runner) =>
      work({
        run: (statement, values) => {
          read.push(statement.text)
          return runner.run(statement, values)
        },
      }),
    )
  const watched = { ...database, kind: database.kind, session }
  await migrateTables(narrow, watched, EDITED)
  assert.not.ok(read.some((text) => text.includes('from "lines"')))
  const { diagnostics } = await migrateTables(field('type: string, pattern: "^[a-b]+$"'), watched, EDITED)
  assert.match(diagnostics.map(({ message }) => message).join(), '(ids 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)')
  assert.match(diagnostics.map(({ message }) => message).join(), '2,500 rows have a value')
  assert.is(read.filter((text) => text.includes('from "lines"')).length, 3)
})

test.run()
