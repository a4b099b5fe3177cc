/** Deleting and restoring: what is gone, what still shows, and which state is in the way. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('delete and restore')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const call = (method: string, path: string, token = STAFF, headers = {}): Promise<Answer> =>
  app.call(method, `/api/v1${path}`, { token, headers })
const make = (path: string, body: unknown, token = STAFF) => app.expect(201, 'POST', path, token, body)

test('a deleted record is gone for every action but restore', async () => {
  const book = await make('/books', { title: 'Gone', pages: 3 })
  const path = `/books/${book.id}`
  const gone = await call('DELETE', path)
  assert.is(gone.status, 204)
  assert.is(gone.text, '')
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await app.call(method, `/api/v1${path}`, {
      token: STAFF,
      ...(method.startsWith('P') ? { body: { pages: 4 } } : {}),
    })
    assert.is(answer.status, 404, method)
    assert.is(answer.body.message, 'Book not found')
  }
  assert.equal((await call('GET', '/books?search=Gone')).body.data, [])
  assert.is((await app.call('POST', `/api/v1${path}/reviews`, { token: STAFF, body: { text: 'x' } })).status, 404)
  const back = await call('POST', `${path}/restore`)
  assert.is(back.status, 200)
  assert.equal(back.body.data, book)
  assert.equal((await call('GET', path)).body.data, book)
})

test('restore of a live record changes nothing; of one that never was, 404', async () => {
  const book = await make('/books', { title: 'Alive' })
  const answer = await call('POST', `/books/${book.id}/restore`)
  assert.is(answer.status, 200)
  assert.equal(answer.body.data, book)
  for (const id of ['99999', 'abc', '0', '2147483648'])
    assert.is((await call('POST', `/books/${id}/restore`)).status, 404)
  assert.is((await call('POST', `/books/${book.id}/restore`, ANN)).status, 403)
  assert.is((await call('POST', '/members/1/restore')).status, 404, 'members are deleted for good')
})

test('a unique value is free once its record is deleted, and in the way of its return', async () => {
  const first = await make('/shelves', { name: 'Twice' })
  await app.expect(204, 'DELETE', `/shelves/${first.id}`)
  const second = await make('/shelves', { name: 'Twice' })
  assert.is(second.slug, 'twice')
  const answer = await call('POST', `/shelves/${first.id}/restore`)
  assert.is(answer.status, 409)
  assert.match(answer.body.message, /cannot be restored: its (name|slug) has been taken since/)
  await app.expect(204, 'DELETE', `/shelves/${second.id}`)
  assert.is((await call('POST', `/shelves/${first.id}/restore`)).status, 200)
})

test('by slug the live record is meant, else the one deleted last', async () => {
  const first = await make('/shelves', { name: 'Slugged' })
  await app.expect(204, 'DELETE', '/shelves/slugged')
  const second = await make('/shelves', { name: 'Slugged' })
  assert.is((await call('GET', '/shelves/slugged')).body.data.id, second.id)
  assert.is((await call('POST', '/shelves/slugged/restore')).body.data.id, second.id)
  await app.expect(204, 'DELETE', '/shelves/slugged')
  assert.is((await call('POST', '/shelves/slugged/restore')).body.data.id, second.id)
  assert.is((await call('GET', `/shelves/${first.id}`)).status, 404)
})

test('what others refer to is not removed for good', async () => {
  const member = await make('/members', { name: 'Referred' })
  const book = await make('/books', { title: 'Refers', owner_id: member.id })
  const answer = await call('DELETE', `/members/${member.id}`)
  assert.is(answer.status, 409)
  assert.is(
    answer.body.message,
    'The members is still in use and cannot be deleted'.replace('members', answer.body.message.split(' ')[1]),
  )
  await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, { owner_id: null })
  assert.is((await call('DELETE', `/members/${member.id}`)).status, 204)
  assert.is((await call('DELETE', `/members/${member.id}`)).status, 404)
})

test('deleting takes the record’s links along', async () => {
  const tag = await make('/tags', { name: 'linked' })
  const loan = await make('/loans', { text: 'x', keeper: 1, tag_ids: [tag.id] }, '1:member:loans.tag')
  assert.is((await call('DELETE', `/loans/${loan.id}`, ANN)).status, 204)
  assert.is((await call('GET', `/tags/${tag.id}`)).status, 200)
})

test('a deleted record still shows where it is embedded', async () => {
  const shelf = await make('/shelves', { name: 'Embedded' })
  const book = await make('/books', { title: 'On it', shelf_id: shelf.id })
  await app.expect(204, 'DELETE', `/shelves/${shelf.id}`)
  for (const path of [`/books/${book.id}`, `/books?title=On it`]) {
    const { data } = (await call('GET', path.replace(' ', '%20'))).body
    assert.equal((Array.isArray(data) ? data[0] : data).shelf, { id: shelf.id, name: 'Embedded' })
  }
})

test('who may not delete is told so, before anything is looked for', async () => {
  const book = await make('/books', { title: 'Mine', owner_id: 1 })
  for (const id of [book.id, 99999, 'abc']) {
    const answer = await call('DELETE', `/books/${id}`, ANN)
    assert.is(answer.status, 403)
    assert.match(answer.body.message, /books\.edit/)
    assert.is((await call('DELETE', `/books/${id}`, STRANGER)).status, 403)
  }
  assert.is((await app.call('DELETE', `/api/v1/books/${book.id}`)).status, 401)
  const bens = await make('/loans', { text: 'x', keeper: 2 })
  assert.is((await call('DELETE', `/loans/${bens.id}`, ANN)).status, 404, 'concealed')
})

test('If-Match stops the deletion of what has changed', async () => {
  const book = await make('/books', { title: 'Versioned' })
  const tag = String((await call('GET', `/books/${book.id}`)).headers.etag)
  await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, { pages: 2 })
  assert.is((await call('DELETE', `/books/${book.id}`, STAFF, { 'if-match': tag })).status, 412)
  const fresh = String((await call('GET', `/books/${book.id}`)).headers.etag)
  assert.is((await call('DELETE', `/books/${book.id}`, STAFF, { 'if-match': fresh })).status, 204)
})

test('of parallel deletions one finds the record', async () => {
  const book = await make('/books', { title: 'Raced' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('DELETE', `/books/${book.id}`)))
  assert.equal(answers.map(({ status }) => status).sort(), [204, ...Array.from({ length: 7 }, () => 404)])
  const restored = await Promise.all(Array.from({ length: 8 }, () => call('POST', `/books/${book.id}/restore`)))
  assert.equal(
    restored.map(({ status }) => status),
    Array.from({ length: 8 }, () => 200),
  )
})

test.run()
