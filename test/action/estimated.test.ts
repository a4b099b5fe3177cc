/** An estimated total is for who sees every record: what the database expects of a list tells of hidden ones too. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'

const SIGHTINGS = `
resource: sightings
fields: { owner: { type: integer }, kind: { type: enum, values: [owl, jay] } }
actions: [list]
count: estimated
policies: { view: [{ permission: books.edit }, { role: member, where: { owner: $actor } }] }
`

/** Whoever is a member sees all of them, and none of their marks. */
const PERCHES = `
resource: perches
fields: { height: { type: integer } }
relations: { marks: { has_many: perch_marks, embed: [id] } }
filters: [height, marks.text]
actions: [list]
count: estimated
policies: { view: [{ role: member }] }
`
const PERCH_MARKS = `
resource: perch_marks
fields: { text: { type: string } }
relations: { perch: { belongs_to: perches } }
actions: []
policies: { view: [{ permission: books.edit }, { role: member, where: { text: shown } }] }
`

/** Deleted ones are seen by nobody. */
const NESTS = `
resource: nests
soft_delete: true
fields: { kind: { type: enum, values: [owl, jay] } }
actions: [list]
count: estimated
policies: { view: [{ role: member }] }
`

const test = suite('estimated totals')
let app: Library

test.before(async () => {
  const files = {
    'sightings.yaml': SIGHTINGS,
    'perches.yaml': PERCHES,
    'perch_marks.yaml': PERCH_MARKS,
    'nests.yaml': NESTS,
  }
  app = await library({ ...FILES, ...files })
})
test.after(() => app.close())

test('who sees only some of the records is told how many they are', async () => {
  await app.engine.database.knex.raw(
    `insert into sightings (owner, kind, created_at, updated_at)
      select 1, case when i % 2 = 0 then 'owl' else 'jay' end, now(), now() from generate_series(1, 60) i
      union all select 2, 'owl', now(), now() from generate_series(1, 3000)`,
  )
  await app.engine.database.knex.raw('analyze sightings')
  const of = async (token: string) => {
    const path = '/api/v1/sightings?per_page=10&kind=owl'
    const { pagination } = (await app.call('GET', path, { token })).body.meta
    return [pagination.total, pagination.total_exact]
  }
  assert.equal(await of(ANN), [30, undefined])
  assert.equal((await of(STAFF))[1], false)
})

const totalOf = async (path: string) => (await app.call('GET', `/api/v1${path}`, { token: ANN })).body.meta.pagination

test('a filter over other records counts those that are seen', async () => {
  const { knex } = app.engine.database
  await knex.raw(`insert into perches (height, created_at, updated_at) select i, now(), now() from generate_series(1, 500) i;
    insert into perch_marks (text, perch_id, created_at, updated_at)
      select case when i <= 100 then 'shown' else 'hidden' end, i, now(), now() from generate_series(1, 500) i;
    analyze perches; analyze perch_marks`)
  const found = `/perches?per_page=10&where=${encodeURIComponent('{"marks":{"some":{}}}')}`
  const before = await totalOf(found)
  assert.equal([before.total, before.total_exact], [100, undefined])
  assert.is((await totalOf('/perches?per_page=10&height[gte]=1')).total_exact, false)
  await knex.raw(`delete from perch_marks where text = 'hidden'; analyze perch_marks`)
  assert.equal(await totalOf(found), before)
})

test('a filter does not count deleted records', async () => {
  const { knex } = app.engine.database
  await knex.raw(`insert into nests (kind, deleted_at, created_at, updated_at)
      select case when i <= 100 then 'owl' else 'jay' end, case when i > 50 then now() end, now(), now() from generate_series(1, 500) i;
    analyze nests`)
  const { total, total_exact } = await totalOf('/nests?per_page=10&kind=owl')
  assert.equal([total, total_exact], [50, undefined])
  assert.is((await totalOf('/nests?per_page=10')).total_exact, false)
})

test.run()
