/** A change that serves rows which were not served before: counted, named, and left to a person. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { restoreField } from '../../engine/migration/set-aside.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('rows that were not served')
let library: Library

const VIEW = 'policies: { view: [{ who: anyone }] }'
const BARE = 'name: { type: string }'
const DELETED = `${BARE}, deleted_at: { type: timestamp }`
const LIVE = 'live: { deleted_at: null }'

function world(files: Readonly<Record<string, string>>): readonly Table[] {
  const made = tables(resolved(files)).filter(({ name }) => !name.startsWith('plinth'))
  return [...LIBRARY, ...made]
}

const file = (fields: string, more = '') => `fields: { ${fields} }\n${more}${more === '' ? '' : '\n'}${VIEW}`
const lines = (fields: string, more?: string) => world({ lines: file(fields, more) })
const knex = () => library.database.knex('lines')

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

async function deleted(): Promise<void> {
  await library.titles(lines(DELETED, LIVE))
  await knex().insert([{ name: 'a' }, { name: 'b', deleted_at: '2026-01-01T00:00:00Z' }])
}

test('deleted records are not served again without a word', async () => {
  await deleted()
  for (const wanted of [
    lines(BARE),
    lines(DELETED),
    lines(`${BARE}, gone: { type: timestamp }`, 'live: { gone: null }'),
  ]) {
    assert.match(
      await library.shown(wanted),
      'unsafe   serve deleted records of lines that were not served: 1 deleted record would be served (id 2)\n           → leave `soft_delete` in the file',
    )
    const { value, diagnostics } = await library.migrated(wanted)
    assert.is(value, undefined)
    assert.match(diagnostics[0]?.message ?? '', '1 deleted record would be served (id 2)')
    assert.match(diagnostics[0]?.hint ?? '', /plinth apply \w+/)
  }
  await library.apply(lines(BARE))
  assert.equal((await library.migrated(lines(BARE))).diagnostics, [])
})

test('where none is deleted, a start serves what there is', async () => {
  await deleted()
  await knex().whereNotNull('deleted_at').delete()
  assert.equal((await library.migrated(lines(BARE))).diagnostics, [])
})

test('a renamed resource, and a condition that admits fewer, are no reason', async () => {
  await deleted()
  const { diagnostics } = await library.migrated(world({ rows: `renamed_from: lines\n${file(DELETED, LIVE)}` }))
  assert.equal(diagnostics, [])
  const fewer = world({ rows: file(DELETED, 'live: { deleted_at: null, name: a }') })
  assert.equal((await library.migrated(fewer)).diagnostics, [])
})

test('a renamed resource that serves what was deleted', async () => {
  await deleted()
  const { diagnostics } = await library.migrated(world({ rows: `renamed_from: lines\n${file(DELETED)}` }))
  assert.match(diagnostics[0]?.message ?? '', '1 deleted record would be served (id 2)')
})

test('an older version does not serve what a newer one has deleted', async () => {
  await library.titles(lines(BARE))
  await deleted()
  const { value, diagnostics } = await migrateTables(lines(BARE), library.database, { ...EDITED, edited: false })
  assert.is(value, undefined)
  assert.match(diagnostics[0]?.message ?? '', '1 deleted record would be served')
})

test('what was set aside comes back with what was deleted in it', async () => {
  for (const back of [false, true]) {
    await deleted()
    await library.apply(world({}))
    if (back) await restoreField(library.database, 'lines')
    const { diagnostics } = await library.migrated(lines(BARE))
    assert.match(diagnostics[0]?.message ?? '', /^serve deleted records of lines .*: 1 deleted record would be served/)
    await library.titles(lines(DELETED, LIVE))
    await knex().delete()
  }
})

test('a part of a table that becomes all of it', async () => {
  const parts = (where: string) =>
    world({
      lines: file(`${BARE}, kind: { type: string }`),
      bills: `of: lines\nactions: [list, get]\n${where}\nfields: { kind: { type: string } }\n${VIEW}`,
    })
  await library.titles(parts('where: { kind: bill }'))
  await knex().insert([{ kind: 'bill' }, { kind: 'note' }, { kind: null }])
  assert.match(
    await library.shown(parts('where: { kind: { in: [bill, note] } }')),
    'unsafe   serve records of bills that were not served: 1 record would be served (id 2)',
  )
  assert.match(await library.shown(parts('')), '2 records would be served (ids 2, 3)')
  assert.match(await library.shown(parts('where: { kind: note }')), '1 record would be served (id 2)')
})

test.run()
