/** Changing the type of ids of a resource that has records: what a plan says, and what happens to them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { catalogOf } from '../../engine/boot/boot.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { migrate, planFor } from '../../engine/migration/migrate.ts'
import { renderPlan } from '../../engine/migration/plan-text.ts'
import { compose } from '../../engine/plugin/compose.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { unwritten } from '../support/options.ts'

const test = suite('ids that change')
const NOW = new Date('2026-01-31T12:00:00Z')

/** Authors and their books, the ids of the authors of some type. */
function catalog(id: string) {
  const view = 'policies: { view: [{ who: anyone }] }'
  const sources = [
    {
      file: 'authors.yaml',
      text: `resource: authors\nid: ${id}\nactions: [list, get]\nlog_changes: true\nfields: { name: { type: string } }\n${view}`,
    },
    {
      file: 'books.yaml',
      text: `resource: books\nactions: [list, get]\nrelations: { author: { belongs_to: authors } }\n${view}`,
    },
  ]
  const app = parseDocument({ file: 'app.yaml', text: 'name: Books' }).value
  const { value, diagnostics } = catalogOf(app, sources, compose([], unwritten({})).value)
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
  return value
}

test('integers become bigints with all that refers to them, and nothing else becomes anything', async () => {
  const { database, close } = await testDatabase()
  try {
    const start = (id: string) => migrate(catalog(id), database, { log: SILENT, now: NOW, edited: true })
    const plan = async (id: string) => renderPlan((await planFor(catalog(id), database, NOW)).value)
    assert.equal((await start('integer')).diagnostics, [])
    await database.knex('authors').insert({ name: 'Ann' })
    await database.knex('books').insert({ author_id: 1 })
    for (const type of ['uuid', 'string']) {
      const refused = await start(type)
      assert.match(
        renderDiagnostics(refused.diagnostics),
        /authors.yaml:2:1 error unsafe_migration: the ids of authors are bigint, not /,
      )
      assert.match(await plan(type), /blocked {2}the ids of authors are bigint, not [\s\S]*→ leave "id" as it was/)
    }
    assert.equal((await start('bigint')).value?.applied, [
      'change type of books.author_id from integer to bigint, in 1 row',
      'change type of plinth_change.record_id from integer to text',
      'change type of plinth_deferred_change.record_id from integer to text',
      'drop old reference of books.author_id',
      'reference books.author_id to authors',
    ])
    assert.match(await plan('bigint'), 'Nothing to do')
    await database.knex('authors').insert({ name: 'Ben' })
    assert.equal(await database.knex('authors').orderBy('id').pluck('name'), ['Ann', 'Ben'])
    assert.match(await plan('uuid'), /the ids of authors are bigint, not uuid/)
  } finally {
    await close()
  }
})

test('a table of uuids is planned once, and others that write to it get ids too', async () => {
  const { database, close } = await testDatabase()
  try {
    assert.equal((await migrate(catalog('uuid'), database, { log: SILENT, now: NOW, edited: true })).diagnostics, [])
    assert.match(renderPlan((await planFor(catalog('uuid'), database, NOW)).value), 'Nothing to do')
    for (let n = 0; n < 3; n++) await database.knex.raw(`insert into authors (name) values ('${n}')`)
    const ids: string[] = await database.knex('authors').orderBy('name').pluck('id')
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  } finally {
    await close()
  }
})

test.run()
