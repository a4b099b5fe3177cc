/** A relation that leads to another resource: ids of one are no ids of the other. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('another target of a relation')
let library: Library

const VIEW = 'policies: { view: [{ who: anyone }] }'
const NAMED = `fields: { name: { type: string } }\n${VIEW}`

function world(files: Readonly<Record<string, string>>): readonly Table[] {
  const made = tables(resolved({ authors: NAMED, people: NAMED, ...files }))
  return [...LIBRARY, ...made.filter(({ name }) => !name.startsWith('plinth'))]
}

const lines = (relation: string, more: Readonly<Record<string, string>> = {}) =>
  world({ lines: `fields: { name: { type: string } }\nrelations: { ${relation} }\n${VIEW}`, ...more })

const knex = (table: string) => library.database.knex(table)

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

async function written(relation = 'writer: { belongs_to: authors }'): Promise<void> {
  await library.titles(lines(relation))
  for (const table of ['authors', 'people']) await knex(table).insert([{ name: 'a' }, { name: 'b' }])
  await knex('lines').insert([{ writer_id: 2 }, { writer_id: null }, { writer_id: 1 }])
}

test('rows with a value stop it, by their ids', async () => {
  await written()
  const wanted = lines('writer: { belongs_to: people }')
  assert.match(
    await library.shown(wanted),
    `  blocked  lead lines.writer_id to people instead of authors: 2 rows have the id of a record of authors, which means another record in people (ids 1, 3)
           → clear them first, or give the relation another name: it then begins empty, and \`backfill: { <field>: <value> }\` says which record they get`,
  )
  assert.is((await library.migrated(wanted)).value, undefined)
  await knex('lines').update({ writer_id: null })
  await library.titles(wanted)
  await knex('lines').where('id', 1).update({ writer_id: 1 })
  assert.equal(await library.titles(wanted), [])
})

test('so do they where the relation gets another name in the same change', async () => {
  await written()
  const wanted = lines('poet: { belongs_to: people, renamed_from: writer }')
  assert.match(await library.shown(wanted), 'blocked  lead lines.poet_id to people instead of authors: 2 rows have')
})

test('so do values that come back to a relation of another target', async () => {
  await written()
  await library.apply(lines(''))
  assert.match(
    await library.shown(lines('writer: { belongs_to: people }')),
    'blocked  lead lines.writer_id to people instead of authors: 2 rows have',
  )
  await library.titles(lines('writer: { belongs_to: authors }'))
  assert.equal(await knex('lines').orderBy('id').pluck('writer_id'), [2, null, 1])
})

test('a relation of another name begins empty, and a required one with what it says', async () => {
  await written('writer: { belongs_to: authors, required: false }')
  await library.titles(lines('poet: { belongs_to: people, required: true, backfill: { name: b } }'))
  assert.equal(await knex('lines').orderBy('id').pluck('poet_id'), [2, 2, 2])
})

test('a target that only has another name is the same', async () => {
  await written()
  const { authors: _, ...files } = { authors: '', poets: `renamed_from: authors\n${NAMED}` }
  const all = tables(
    resolved({
      people: NAMED,
      ...files,
      lines: `fields: { name: { type: string } }\nrelations: { writer: { belongs_to: poets } }\n${VIEW}`,
    }),
  )
  const wanted = [...LIBRARY, ...all.filter(({ name }) => !name.startsWith('plinth'))]
  const titles = await library.titles(wanted)
  assert.equal(
    titles.filter((title) => !title.startsWith('rename index')),
    ['rename table authors to poets'],
  )
  assert.equal(await knex('lines').orderBy('id').pluck('writer_id'), [2, null, 1])
})

test('links of two resources are no links to a third', async () => {
  const tags = (target: string) =>
    lines(`tags: { many_to_many: ${target}, through: { table: line_tags, from: line_id, to: tag_id } }`)
  await library.titles(tags('authors'))
  for (const table of ['authors', 'people', 'lines']) await knex(table).insert([{ name: 'a' }, { name: 'b' }])
  await knex('line_tags').insert({ line_id: 1, tag_id: 2 })
  assert.match(
    await library.shown(tags('people')),
    'blocked  lead line_tags.tag_id to people instead of authors: 1 row has',
  )
})

test.run()
