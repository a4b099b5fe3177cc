/** Records that were read and come back: what no body writes passes as it is stored, and nothing is dropped in silence. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite('sent back')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const patch = (path: string, body: unknown, token = STAFF): Promise<Answer> =>
  app.call('PATCH', `/api/v1${path}`, { token, body })
const make = (path: string, body: unknown) => app.expect(201, 'POST', path, STAFF, body)
const read = (path: string) => app.expect(200, 'GET', path)

const FULL = { title: 'Full', pages: 100, words: ['a', 'b'], shelf_id: 2, owner_id: 1 }

test('what no body writes is refused where it is not what is stored, and the rest is not written either', async () => {
  const book = await make('/books', { ...FULL, tag_ids: [] })
  await make(`/books/${book.id}/reviews`, { text: 'fine' })
  const stored = await read(`/books/${book.id}`)
  assert.is(stored.reviews.length, 1)
  const whole = await patch(`/books/${book.id}`, { ...stored, title: 'Edited' })
  assert.is(whole.body.data.title, 'Edited', 'what is sent back as it was read passes')
  const changes: readonly (readonly [field: string, value: unknown, sentence: RegExp])[] = [
    ['reviews', [...stored.reviews, { text: 'more' }], /stored: use POST \/api\/v1\/books\/{id}\/reviews$/],
    ['reviews', [], /^The reviews field cannot be written and is not what is stored/],
    ['shelf', { id: 1, name: 'Main' }, /: use shelf_id$/],
    ['tags', [{ id: 1 }], /: use tag_ids$/],
    ['reviews_count', 2, /leave it out/],
    ['length', 'long', /leave it out/],
    ['id', stored.id + 1, /leave it out/],
    ['created_at', '1999-01-01T00:00:00Z', /leave it out/],
    ['deleted_at', null, /leave it out/],
  ]
  for (const [field, value, sentence] of changes) {
    const answer = await patch(`/books/${book.id}`, { title: 'Lost', [field]: value })
    assert.is(answer.status, 422, answer.text)
    assert.equal(Object.keys(answer.body.errors), [field])
    assert.match(answer.body.errors[field][0], sentence)
  }
  assert.is((await read(`/books/${book.id}`)).title, 'Edited')
})

test('a stored value that a younger rule refuses passes unchanged, and is refused in other words', async () => {
  const book = await make('/books', FULL)
  const old = 'Two\nlines\u202e'
  await app.engine.database
    .knex('books')
    .where({ id: book.id })
    .update({ title: old, words: JSON.stringify(['a\u0007']) })
  const stored = await read(`/books/${book.id}`)
  const answer = await patch(`/books/${book.id}`, { ...stored, pages: 7 })
  assert.is(answer.status, 200, answer.text)
  assert.equal([answer.body.data.title, answer.body.data.pages], [old, 7])
  assert.equal((await patch(`/books/${book.id}`, { title: `${old}!`, words: ['b\u0007'] })).body.errors, {
    title: ['The title field must be one line of text'],
    'words.0': ['The words.0 field must not contain control characters'],
  })
})

test('moments come back as milliseconds from clients that keep them as objects, and updated_at may be older', async () => {
  const book = await make('/books', FULL)
  await patch(`/books/${book.id}`, { title: 'By another' })
  const asObject = (moment: string): string => new Date(moment).toISOString()
  const body = { created_at: asObject(book.created_at), updated_at: book.updated_at, id: String(book.id), pages: 5 }
  const answer = await patch(`/books/${book.id}`, body)
  assert.is(answer.status, 200, answer.text)
  assert.is(answer.body.data.pages, 5)
  assert.is((await patch(`/books/${book.id}`, { updated_at: '2999-01-01T00:00:00Z' })).status, 422)
})

test.run()
