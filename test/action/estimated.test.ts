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

const test = suite('estimated totals')
let app: Library

test.before(async () => {
  app = await library({ ...FILES, 'sightings.yaml': SIGHTINGS })
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

test.run()
