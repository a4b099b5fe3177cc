/** Reading one record: which texts name it, who may see what of it, what is embedded, and its entity tag. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, BEN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('read')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const get = (path: string, token: string | undefined = STAFF, headers = {}): Promise<Answer> =>
  app.call('GET', `/api/v1${path}`, { token, headers })
const make = (path: string, body: unknown, token = STAFF) => app.expect(201, 'POST', path, token, body)

test('a record is found by its id and by its other lookups', async () => {
  const shelf = await make('/shelves', { name: 'By Name' })
  assert.equal((await get(`/shelves/${shelf.id}`)).body.data, shelf)
  assert.equal((await get('/shelves/by-name')).body.data, shelf)
  assert.equal((await get('/shelves/by%2Dname')).body.data, shelf)
})

test('a path may say which lookup it means', async () => {
  const shelf = await make('/shelves', { name: '2' })
  assert.is((await get('/shelves/2')).body.data.name, 'Cellar')
  assert.equal((await get('/shelves/slug:2')).body.data, shelf)
  assert.equal((await get(`/shelves/id:${shelf.id}`)).body.data, shelf)
  const renamed = await app.call('PATCH', '/api/v1/shelves/slug%3A2', { token: STAFF, body: { name: 'Two' } })
  assert.is(renamed.body.data.id, shelf.id)
  for (const path of ['slug:', 'slug:none', 'id:slug', 'name:Two', 'id:0', ':2', 'slug:slug:2'])
    assert.is((await get(`/shelves/${path}`)).status, 404, path)
})

for (const id of [
  'abc',
  '0',
  '-1',
  '+1',
  '1.0',
  '1e0',
  '01',
  ' 1',
  '1%20',
  '0x1',
  '2147483647',
  '2147483648',
  '99999999999',
  '9'.repeat(400),
  '%F0%9F%99%82',
  "1'",
  '1;--',
  '%EF%BC%91',
  'NaN',
  'null',
  '__proto__',
  'constructor',
]) {
  test(`no record is named ${id.slice(0, 20)}`, async () => {
    for (const [path, label] of [
      ['/books', 'Book'],
      ['/shelves', 'Shelf'],
      ['/reviews', 'Review'],
    ] as const) {
      const answer = await get(`${path}/${encodeURI(decodeURI(id))}`)
      assert.is(answer.status, 404, answer.text)
      assert.is(answer.body.message, `${label} not found`)
    }
  })
}

test('an id with a NUL is no route', async () => {
  assert.is((await get('/books/%00')).status, 404)
  assert.is((await get('/shelves/a%00b')).status, 404)
})

test('another’s record is 403, none at all 404, concealed ones 404', async () => {
  const book = await make('/books', { title: 'Ben’s', owner_id: 2 })
  assert.is((await get(`/books/${book.id}`, ANN)).status, 403)
  assert.is((await get(`/books/${book.id}`, BEN)).status, 200)
  assert.is((await get('/books/99999', ANN)).status, 404)
  assert.is((await get(`/books/${book.id}`, STRANGER)).status, 403)
  assert.is((await get('/books/99999', STRANGER)).status, 403)
  assert.is((await app.call('GET', `/api/v1/books/${book.id}`)).status, 401)
  const loan = await make('/loans', { text: 'x', keeper: 2 })
  const concealed = await get(`/loans/${loan.id}`, ANN)
  assert.is(concealed.status, 404)
  assert.equal({ ...concealed.body, meta: 0 }, { ...(await get('/loans/99999', ANN)).body, meta: 0 })
})

test('conceal hides only what GET hides: whoever sees a record is told 403 by every other action', async () => {
  const shown = await make('/drafts', { text: 'For all', is_public: true }, ANN)
  const hidden = await make('/drafts', { text: 'Mine' }, ANN)
  const statuses = async (id: number, token: string) => {
    const ask = async (method: string, path: string, body?: unknown) =>
      (await app.call(method, `/api/v1${path}`, { token, body })).status
    return [
      await ask('GET', `/drafts/${id}`),
      await ask('PATCH', `/drafts/${id}`, { text: 'Other' }),
      await ask('PUT', `/drafts/${id}`, { text: 'Other' }),
      await ask('DELETE', `/drafts/${id}`),
      await ask('POST', `/drafts/${id}/restore`),
      await ask('GET', `/drafts/${id}/remarks`),
      await ask('POST', `/drafts/${id}/remarks`, { text: 'Good' }),
    ]
  }
  assert.equal(await statuses(shown.id, BEN), [200, 403, 403, 403, 403, 200, 403])
  assert.equal(await statuses(hidden.id, BEN), [404, 404, 404, 404, 404, 404, 404])
  assert.is((await app.call('DELETE', `/api/v1/drafts/${shown.id}`, { token: ANN })).status, 204)
  assert.equal(await statuses(shown.id, BEN), [404, 404, 404, 404, 404, 404, 404], 'deleted, and not Ben’s to restore')
  assert.is((await app.call('POST', `/api/v1/drafts/${shown.id}/restore`, { token: ANN })).status, 200)
})

test('fields are answered to those who may read them; secrets to nobody', async () => {
  const book = await make('/books', { title: 'Hidden', owner_id: 1, notes: 'n', bought_on: '2020-01-01' })
  const [staff, ann] = [(await get(`/books/${book.id}`)).body.data, (await get(`/books/${book.id}`, ANN)).body.data]
  assert.is(staff.notes, 'n')
  assert.not.ok('notes' in ann)
  assert.not.ok('bought_on' in ann)
  assert.equal(
    Object.keys(staff).filter((key) => !(key in ann)),
    ['notes', 'bought_on'],
  )
  const [listed] = (await get(`/books?sort=-id`, ANN)).body.data
  assert.not.ok('notes' in listed)
  const member = await get('/members/1')
  assert.not.ok('pin' in member.body.data)
  assert.not.match(member.text, /1234/)
})

test('embedded records, null where there is none', async () => {
  const book = await make('/books', { title: 'Embeds', shelf_id: 2, owner_id: 1 })
  assert.equal(book.shelf, { id: 2, name: 'Cellar' })
  assert.equal(book.owner, { id: 1, name: 'Ann' })
  const loan = await make('/loans', { text: 'x', book_id: book.id })
  assert.equal(loan.book, { id: book.id, title: 'Embeds', shelf_name: 'Cellar' })
  assert.equal((await make('/loans', { text: 'x' })).book, null)
  const bare = await make('/books', { title: 'Bare', shelf_id: null })
  assert.is(bare.shelf, null)
  assert.equal((await make('/loans', { text: 'x', book_id: bare.id })).book.shelf_name, null)
})

test('has_many and counts hold what the caller may see', async () => {
  const book = await make('/books', { title: 'Reviewed', owner_id: 1 })
  await make(`/books/${book.id}/reviews`, { text: 'public "quoted" \\', stars: 5 }, ANN)
  await make(`/books/${book.id}/reviews`, { text: 'private', is_private: true })
  const [staff, ann] = [(await get(`/books/${book.id}`)).body.data, (await get(`/books/${book.id}`, ANN)).body.data]
  assert.is(staff.reviews_count, 2)
  assert.is(ann.reviews_count, 1)
  assert.equal(
    staff.reviews.map((review: { text: string }) => review.text),
    ['public "quoted" \\', 'private'],
  )
  assert.is(ann.reviews.length, 1)
  const [review] = ann.reviews
  assert.equal(
    { ...review, id: 0, created_at: 0 },
    { id: 0, text: 'public "quoted" \\', stars: 5, created_at: 0, by: 'Ann' },
  )
  assert.match(review.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.is(review.created_at, (await get(`/reviews/${review.id}`)).body.data.created_at)
  const [listed] = (await get('/books?sort=-id', ANN)).body.data
  assert.is(listed.reviews_count, 1)
  assert.not.ok('reviews' in listed, 'shown on single records only')
  const nested = await get(`/books/${book.id}/reviews`, ANN)
  assert.is(nested.body.meta.pagination.total, 1)
  assert.is((await get(`/books/${book.id}/reviews`)).body.meta.pagination.total, 2)
  assert.equal((await get(`/books/${book.id}/reviews?search=`, BEN)).status, 403)
  assert.is((await get('/books/99999/reviews')).status, 404)
  assert.is((await get('/books/abc/reviews')).status, 404)
  assert.is((await get('/books/abc/reviews', STRANGER)).status, 403)
})

test('computed fields follow what they are computed from', async () => {
  assert.is((await make('/books', { title: 'x', pages: 301 })).length, 'long')
  assert.is((await make('/books', { title: 'x', pages: 300 })).length, 'short')
})

test('an entity tag stays while nothing changes, for everyone who reads the same', async () => {
  const book = await make('/books', { title: 'Tagged', owner_id: 1 })
  const path = `/books/${book.id}`
  const first = await get(path)
  assert.match(String(first.headers.etag), /^"[\w-]+"$/)
  assert.is((await get(path)).headers.etag, first.headers.etag)
  assert.is.not((await get(path, ANN)).headers.etag, first.headers.etag)
  const tag = String(first.headers.etag)
  for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const answer = await get(path, STAFF, { 'if-none-match': value })
    assert.is(answer.status, 304, value)
    assert.is(answer.text, '')
    assert.is(answer.headers.etag, tag)
  }
  assert.is((await get(path, STAFF, { 'if-none-match': '"other"' })).status, 200)
  await app.expect(200, 'PATCH', path, STAFF, { pages: 9 })
  assert.is.not((await get(path)).headers.etag, tag)
  assert.is((await get(path, STAFF, { 'if-none-match': tag })).status, 200)
})

test('a record’s query takes no parameters', async () => {
  assert.is((await get('/books/1?x=1')).status, 422)
})

test('HEAD answers as GET without a body', async () => {
  const book = await make('/books', { title: 'Head' })
  const head = await app.call('HEAD', `/api/v1/books/${book.id}`, { token: STAFF })
  assert.is(head.status, 200)
  assert.is(head.text, '')
  assert.is(head.headers.etag, (await get(`/books/${book.id}`)).headers.etag)
})

test.run()
