/** A rename keeps indexes and the numbers of sequences. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('renames')
let library: Library

const VIEW = 'policies: { view: [{ who: anyone }] }'

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

test('a rename builds no index again, and the numbers of a sequence go on', async () => {
  const of = (table: string, name: string, more = '') => {
    const yaml = `${more}fields: { number: { type: sequence, start: 7 }, ${name} }\nindexes: [[label, number]]\n${VIEW}`
    const made = tables(resolved({ [table]: table === 'lines' ? yaml : yaml.replace('[label,', '[title,') }))
    return [...LIBRARY, ...made.filter((one) => one.name === table)]
  }
  const { knex } = library.database
  const files = async (table: string) => {
    const { rows } = await knex.raw(
      `select c.relfilenode from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = ?::regclass order by 1`,
      [table],
    )
    return rows as readonly unknown[]
  }
  await library.titles(of('lines', 'label: { type: string, unique: true }'))
  await knex('lines').insert([{ label: 'a' }, { label: 'b' }])
  const before = await files('lines')
  const wanted = of('rows', 'title: { type: string, unique: true, renamed_from: label }', 'renamed_from: lines\n')
  const titles = await library.titles(wanted)
  assert.equal(
    titles.filter((title) => /^(add|drop|create) /.test(title)),
    [],
  )
  assert.ok(titles.includes('rename sequence lines_number_seq to rows_number_seq'))
  assert.equal(await files('rows'), before)
  await knex('rows').insert({ title: 'c' })
  assert.equal(await knex('rows').orderBy('id').pluck('number'), ['7', '8', '9'])
  assert.equal(await library.titles(wanted), [])
})

test.run()
