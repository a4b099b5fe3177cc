/** What is unique: values taken once among live records, slugs made free, and races for both. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, application } from '../support/application.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite('unique')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const post = (path: string, body: unknown): Promise<Answer> =>
  app.call('POST', `/api/v1${path}`, { token: STAFF, body })
const patch = (path: string, body: unknown): Promise<Answer> =>
  app.call('PATCH', `/api/v1${path}`, { token: STAFF, body })
const make = (path: string, body: unknown) => app.expect(201, 'POST', path, STAFF, body)
const read = (path: string) => app.expect(200, 'GET', path)

test('a unique value is taken once among live records', async () => {
  await make('/shelves', { name: 'Unique' })
  const answer = await post('/shelves', { name: ' Unique ' })
  assert.equal(answer.body.errors, { name: ['The name has already been taken'] })
  await make('/members', { name: 'x', email: 'Case@Example.org' })
  assert.equal((await post('/members', { name: 'y', email: 'case@EXAMPLE.org' })).body.errors, {
    email: ['The email has already been taken'],
  })
  await make('/members', { name: 'x' })
  await make('/members', { name: 'x', email: null })
})

test('values that are unique together are refused under the name of each', async () => {
  await make('/places', { row: 1, seat: 2 })
  await make('/places', { row: 1, seat: 3 })
  const sentence = 'The combination of row and seat has already been taken'
  assert.equal((await post('/places', { row: 1, seat: 2 })).body.errors, { row: [sentence], seat: [sentence] })
})

test('`null: false` in an index means the records that have a value', async () => {
  const things = `resource: things
fields:
  code: { type: string }
  closed_at: { type: timestamp }
indexes: [{ fields: [code], unique: true, where: { closed_at: { null: false } } }]
policies: { delete: [], update: [], view: [{ who: anyone }], create: [{ who: anyone }] }
`
  const { call, close } = await application({
    resources: { 'app.yaml': "name: Closed\nprefix: ''\n", 'things.yaml': things },
  })
  const create = async (body: unknown) => (await call('POST', '/things', { body })).status
  const closed_at = '2026-01-01T00:00:00Z'
  assert.equal([await create({ code: 'a' }), await create({ code: 'a' })], [201, 201])
  assert.equal([await create({ code: 'a', closed_at }), await create({ code: 'a', closed_at })], [201, 422])
  await close()
})

test('of twenty parallel creates of one name one is made', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/shelves', { name: 'Race' })))
  const statuses = answers.map(({ status }) => status).sort()
  assert.equal(statuses, [201, ...Array.from({ length: 19 }, () => 422)])
  for (const { status, body } of answers) if (status === 422) assert.ok('name' in body.errors, JSON.stringify(body))
})

test('slugs are made from the name, the first free one', async () => {
  assert.is((await make('/shelves', { name: 'Größe & Weight' })).slug, 'grosse-and-weight')
  assert.is((await make('/shelves', { name: 'Grösse and weight' })).slug, 'grosse-and-weight-2')
  assert.is((await make('/shelves', { name: 'grosse AND weight!', slug: '' })).slug, 'grosse-and-weight-3')
  assert.is((await make('/shelves', { name: '🙂' })).slug, 'shelf')
  assert.is((await make('/shelves', { name: '漢字', slug: null })).slug, 'shelf-2')
  assert.is((await make('/shelves', { name: 'Own', slug: 'my-own' })).slug, 'my-own')
  assert.equal(Object.keys((await post('/shelves', { name: 'Own 2', slug: 'my-own' })).body.errors), ['slug'])
  assert.equal(Object.keys((await post('/shelves', { name: 'Own 3', slug: 'Not A Slug' })).body.errors), ['slug'])
})

test('of parallel creates with one slug each gets its own', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `Same${'!'.repeat(i)} slug`)
  const answers = await Promise.all(names.map((name) => post('/shelves', { name })))
  for (const answer of answers) assert.is(answer.status, 201, answer.text)
  assert.is(new Set(answers.map(({ body }) => body.data.slug)).size, 20)
})

test('a unique value may be kept, and not taken from another', async () => {
  const [one, two] = [await make('/shelves', { name: 'U1' }), await make('/shelves', { name: 'U2' })]
  assert.is((await patch(`/shelves/${one.id}`, { name: 'U1', is_default: true })).status, 200)
  assert.equal((await patch(`/shelves/${two.id}`, { name: 'U1' })).body.errors, {
    name: ['The name has already been taken'],
  })
  assert.is((await patch(`/shelves/${one.id}`, { name: 'U1b' })).status, 200)
  assert.is((await patch(`/shelves/u2`, { name: 'U1' })).status, 200)
  assert.is((await read('/shelves/u2')).name, 'U1')
})

test('a slug that is cleared is made again from its source', async () => {
  const shelf = await make('/shelves', { name: 'Slug Source' })
  const path = `/shelves/${shelf.id}`
  for (const slug of [null, '']) assert.equal(await app.expect(200, 'PATCH', path, STAFF, { slug }), shelf)
  assert.is((await app.expect(200, 'PATCH', path, STAFF, { name: 'New Source' })).slug, 'slug-source', 'addresses stay')
  assert.is((await app.expect(200, 'PATCH', path, STAFF, { slug: null })).slug, 'new-source')
  const both = await app.expect(200, 'PATCH', path, STAFF, { name: 'Slug Source', slug: '' })
  assert.is(both.slug, 'slug-source')
  const other = await make('/shelves', { name: 'Slug source!' })
  assert.is(other.slug, 'slug-source-2')
  assert.equal(await app.expect(200, 'PATCH', `/shelves/${other.id}`, STAFF, { slug: null }), other)
})

test('of parallel changes to one unique name one succeeds', async () => {
  const shelves = await Promise.all(Array.from({ length: 8 }, (_, i) => make('/shelves', { name: `P${i}` })))
  const answers = await Promise.all(shelves.map(({ id }) => patch(`/shelves/${id}`, { name: 'Wanted' })))
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 422)])
})

test.run()
