/** Notices of a plan: probable renames, taken names, columns of others, links of one column. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('notices of a plan')
let library: Library

const VIEW = 'policies: { view: [{ who: anyone }] }'
const NAMED = `fields: { name: { type: string } }\n${VIEW}`

function world(files: Readonly<Record<string, string>>): readonly Table[] {
  return [...LIBRARY, ...tables(resolved(files)).filter(({ name }) => !name.startsWith('plinth'))]
}

const lines = (fields: string) => world({ lines: `fields: { ${fields} }\n${VIEW}` })
const knex = (table: string) => library.database.knex(table)
const raw = (text: string) => library.database.knex.raw(text)

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

test('one field that goes and one of its type that comes may be one that is renamed', async () => {
  await library.titles(lines('name: { type: string }, pages: { type: integer }'))
  await knex('lines').insert({ pages: 3 })
  assert.match(
    await library.shown(lines('name: { type: string }, sheets: { type: integer }')),
    '→ did you mean `renamed_from: pages` beside sheets? plinth restore-field lines.pages',
  )
  for (const other of ['sheets: { type: date }', 'sheets: { type: integer }, sides: { type: integer }'])
    assert.not.match(await library.shown(lines(`name: { type: string }, ${other}`)), 'did you mean')
})

test('so may one resource', async () => {
  await library.titles(lines('name: { type: string }'))
  await knex('lines').insert({ name: 'a' })
  assert.match(await library.shown(world({ rows: NAMED })), '→ did you mean `renamed_from: lines` in rows?')
})

test('a view with the name of a new resource is a sentence', async () => {
  await raw('create view lines as select 1 as one')
  assert.match(
    await library.shown(lines('name: { type: string }')),
    'blocked  the name lines is taken: 1 view, sequence or index has this name already\n           → give the resource another table',
  )
  assert.is((await library.migrated(lines('name: { type: string }'))).value, undefined)
  await raw('drop view lines')
  await library.titles(lines('name: { type: string }'))
})

test('a required column that somebody added is seen', async () => {
  const wanted = lines('name: { type: string }')
  await library.titles(wanted)
  await raw(`alter table lines add column extra integer not null, add column other integer not null default 1`)
  assert.match(
    await library.shown(wanted),
    'unsafe   the YAML does not know the column lines.extra: new rows would be refused, because it may not be null',
  )
  assert.not.match(await library.shown(wanted), 'lines.other')
  await raw('alter table lines alter column extra drop not null')
  assert.equal(await library.titles(wanted), [])
})

test('the links of a relation that becomes one to many are those of its column', async () => {
  const of = (relation: string) =>
    world({ tags: NAMED, lines: `fields: { name: { type: string } }\nrelations: { ${relation} }\n${VIEW}` })
  await library.titles(of('tag: { belongs_to: tags }'))
  await knex('tags').insert([{ name: 'x' }, { name: 'y' }])
  await knex('lines').insert([{ tag_id: 2 }, { tag_id: null }, { tag_id: 1 }])
  const wanted = of('tags: { many_to_many: tags, through: { table: line_tags, from: line_id, to: tag_id } }')
  const titles = await library.titles(wanted)
  assert.ok(titles.includes('create table line_tags (2 columns) from lines.tag_id with 2 values'), titles.join('\n'))
  assert.equal(await knex('line_tags').orderBy('line_id'), [
    { line_id: 1, tag_id: 2 },
    { line_id: 3, tag_id: 1 },
  ])
  assert.equal(await library.titles(wanted), [])
})

test('a sum or a count that is new says which records it leaves out', async () => {
  const of = (fields: string, follows: string) =>
    world({
      tags: `fields: { name: { type: string }${fields} }\n${VIEW}`,
      lines: `fields: { amount: { type: integer } }\nrelations: { tag: { belongs_to: tags } }\n${follows}\n${VIEW}`,
    })
  await library.titles(of('', ''))
  await knex('tags').insert({ name: 'x' })
  await knex('lines').insert([{ tag_id: 1, amount: 2 }, { tag_id: 1, amount: 3 }, { amount: 4 }])
  const follows = (value: string) => `follows: [{ of: tag, on: [create], set: { total: ${value} } }]`
  const total = ', total: { type: integer, default: 0 }'
  for (const value of [
    '{ plus: [$record.tag.total, $record.amount] }',
    '{ plus: [{ first: [$record.tag.total, 0] }, 1] }',
  ])
    assert.match(
      await library.shown(of(total, follows(value))),
      'unsafe   begin tags.total anew: 2 records are in lines already and are not counted in it\n           → a field with `computed:',
    )
  assert.not.match(await library.shown(of(total, follows('$record.amount'))), 'anew')
  const filled = ', total: { type: integer, default: 0, nullable: false, backfill: 5 }'
  assert.not.match(await library.shown(of(filled, follows('{ plus: [$record.tag.total, 1] }'))), 'anew')
  await knex('lines').delete()
  await library.titles(of(total, follows('{ plus: [$record.tag.total, 1] }')))
})

test.run()
