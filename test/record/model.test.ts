/** Objection models derived from a catalog: tables, relations and JSON columns as plugin code uses them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { modelOf } from '../../engine/record/model.ts'
import { type Library, library, STAFF } from '../action/library.ts'

const test = suite('modelOf')
let app: Library

test.before(async () => {
  app = await library()
  const tag = await app.expect(201, 'POST', '/tags', STAFF, { name: 'red' })
  const book = await app.expect(201, 'POST', '/books', STAFF, { title: 'Modelled', owner_id: 1, tag_ids: [tag.id] })
  await app.expect(201, 'POST', `/books/${book.id}/reviews`, STAFF, { text: 'fine' })
})
test.after(() => app.close())

const model = (name: string) => {
  const { catalog } = app.engine.app
  const found = modelOf(catalog, catalog.resources.get(name)!)
  return { query: () => found.query(app.engine.database.knex) }
}

test('follows relations of every kind', async () => {
  const [book] = await model('books').query().withGraphFetched('[owner, shelf, tags, reviews]')
  const found = JSON.parse(JSON.stringify(book))
  assert.is(found.owner.name, 'Ann')
  assert.is(found.shelf.name, 'Main')
  assert.equal(
    found.tags.map((tag: { name: string }) => tag.name),
    ['red'],
  )
  assert.equal(
    found.reviews.map((review: { text: string }) => review.text),
    ['fine'],
  )
})

test('writes lists and json as JSON', async () => {
  await model('books')
    .query()
    .findById(1)
    .patch({ words: ['a', 'b'], details: [1] })
  const book = await app.expect(200, 'GET', '/books/1')
  assert.equal(book.words, ['a', 'b'])
  assert.equal(book.details, [1])
})

test('leaves deleted rows out where that is asked for, also among related ones', async () => {
  const gone = await app.expect(201, 'POST', '/books', STAFF, { title: 'Gone', owner_id: 1 })
  await app.expect(204, 'DELETE', `/books/${gone.id}`, STAFF)
  const books = () => model('books').query().alias('b').where('b.id', Number(gone.id))
  assert.is(await books().resultSize(), 1)
  assert.is(await books().modify('live').resultSize(), 0)
  const reviews = () => model('reviews').query().alias('r').leftJoinRelated('book(live)').whereNull('book.id')
  assert.is(await reviews().resultSize(), 0)
  await model('books').query().findById(1).patch({ deleted_at: new Date() })
  assert.is(await reviews().resultSize(), 1)
  await model('books').query().findById(1).patch({ deleted_at: null })
  // What follows is written to live rows only.
  assert.is(
    await model('books')
      .query()
      .modify('live')
      .whereIn('id', [1, Number(gone.id)])
      .patch({ title: 'Kept' }),
    1,
  )
})

test('is made once for a resource, and anew for another catalog', async () => {
  const { catalog } = app.engine.app
  const books = catalog.resources.get('books')!
  const before = modelOf(catalog, books)
  assert.is(modelOf(catalog, books), before)
  assert.equal(await app.engine.reload(), [])
  assert.is(app.engine.app.catalog, catalog, 'no file has changed')
  assert.is.not(modelOf({ ...catalog }, books), before)
})

test.run()
