/** Changing records: PUT and PATCH alike, what counts as a change, who may change what, and races between writers. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, BEN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('update')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const patch = (path: string, body: unknown, token = STAFF, headers = {}): Promise<Answer> =>
  app.call('PATCH', `/api/v1${path}`, { token, body, headers })
const make = (path: string, body: unknown, token = STAFF) => app.expect(201, 'POST', path, token, body)
const read = (path: string, token = STAFF) => app.expect(200, 'GET', path, token)

const FULL = {
  title: 'Full',
  pages: 100,
  price: '12.30',
  kind: 'essay',
  printed_on: '2020-02-29',
  notes: 'quiet',
  isbn: 'X-1',
  words: ['a', 'b'],
  lent: true,
  seen_at: '2026-01-01T10:00:00.120000Z',
  serial: 8_000_000_000_000,
  details: { b: [1, { c: null }], a: 'ü' },
  shelf_id: 2,
  owner_id: 1,
}

test('what was read can be sent back and changes nothing', async () => {
  for (const token of [STAFF, ANN]) {
    const { id } = await make('/books', FULL)
    const before = await app.call('GET', `/api/v1/books/${id}`, { token })
    for (const method of ['PUT', 'PATCH']) {
      const answer = await app.call(method, `/api/v1/books/${id}`, { token, body: before.body.data })
      assert.is(answer.status, 200, answer.text)
      assert.equal(answer.body.data, before.body.data)
      assert.is(answer.headers.etag, before.headers.etag)
    }
  }
})

test('an empty body and equal values change nothing, updated_at included', async () => {
  const book = await make('/books', FULL)
  for (const body of [
    {},
    { title: ' Full ' },
    { pages: '100' },
    { price: 12.3 },
    { price: '0012.300' },
    { lent: 'true' },
    { seen_at: '2026-01-01T11:00:00.12+01:00' },
    { words: ['a', 'b'] },
    { details: { a: 'ü', b: [1, { c: null }] } },
    { shelf_id: '2' },
    { tag_ids: [] },
  ]) {
    const answer = await patch(`/books/${book.id}`, body)
    assert.is(answer.status, 200, answer.text)
    assert.equal(answer.body.data, book, JSON.stringify(body))
  }
})

test('PUT and PATCH change what is named, and updated_at', async () => {
  const book = await make('/books', FULL)
  for (const method of ['PUT', 'PATCH']) {
    const changed = await app.expect(200, method, `/books/${book.id}`, STAFF, { pages: method === 'PUT' ? 7 : 8 })
    assert.equal({ ...changed, pages: 0, updated_at: 0, length: 0 }, { ...book, pages: 0, updated_at: 0, length: 0 })
    assert.ok(changed.updated_at > book.updated_at)
    assert.equal(await read(`/books/${book.id}`), changed)
  }
})

test('null clears what is optional and is refused for what is required', async () => {
  const book = await make('/books', FULL)
  const nulls = {
    pages: null,
    price: '',
    kind: null,
    printed_on: null,
    words: null,
    details: null,
    seen_at: null,
    shelf_id: null,
    notes: ' ',
  }
  const cleared = await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, nulls)
  for (const name of Object.keys(nulls)) assert.is(cleared[name], null, name)
  assert.is(cleared.shelf, null)
  for (const title of [null, '', '  ']) {
    const answer = await patch(`/books/${book.id}`, { title })
    assert.equal(answer.body.errors, { title: ['The title field is required'] })
  }
})

test('complaints come all at once, and nothing is written', async () => {
  const book = await make('/books', FULL)
  const answer = await patch(`/books/${book.id}`, {
    title: 'New',
    pages: 'many',
    shelf_id: 99,
    tag_ids: [77],
    colour: 'red',
  })
  assert.is(answer.status, 422)
  assert.equal(Object.keys(answer.body.errors).sort(), ['colour', 'pages', 'shelf_id', 'tag_ids.0'])
  assert.equal(await read(`/books/${book.id}`), book)
})

test('an immutable field may be sent as it is and not otherwise', async () => {
  const book = await make('/books', FULL)
  assert.is((await patch(`/books/${book.id}`, { isbn: 'X-1', title: 'Other' })).status, 200)
  for (const isbn of ['X-2', null]) {
    assert.match((await patch(`/books/${book.id}`, { isbn })).body.errors.isbn[0], /cannot be changed/)
  }
})

test('a stored reference stays good after its record is gone; another dead one does not', async () => {
  const [kept, dead] = [await make('/shelves', { name: 'Kept' }), await make('/shelves', { name: 'Dead' })]
  const book = await make('/books', { title: 'x', shelf_id: kept.id })
  await app.expect(204, 'DELETE', `/shelves/${kept.id}`)
  await app.expect(204, 'DELETE', `/shelves/${dead.id}`)
  const answer = await patch(`/books/${book.id}`, { title: 'y', shelf_id: kept.id })
  assert.is(answer.status, 200, answer.text)
  assert.is(answer.body.data.shelf.name, 'Kept')
  assert.equal(Object.keys((await patch(`/books/${book.id}`, { shelf_id: dead.id })).body.errors), ['shelf_id'])
})

test('404 before 403 before 422, and 403 for the role before all', async () => {
  const bens = await make('/books', { title: 'Ben’s', owner_id: 2 })
  assert.is((await patch('/books/99999', { titel: 1 }, ANN)).status, 404)
  for (const id of ['abc', '0', '-1', '1.0', '01', '2147483648', '%00', '%F0%9F%99%82']) {
    assert.is((await patch(`/books/${id}`, { titel: 1 })).status, 404, id)
    assert.is((await patch(`/books/${id}`, { titel: 1 }, STRANGER)).status, id === '%00' ? 404 : 403, id)
  }
  assert.is((await patch(`/books/${bens.id}`, { titel: 1 }, ANN)).status, 403)
  assert.is((await patch(`/books/${bens.id}`, { titel: 1 }, BEN)).status, 422)
  const loan = await make('/loans', { text: 'x', keeper: 2, state: 'closed' })
  assert.is((await patch(`/loans/${loan.id}`, { text: 'y' }, ANN)).status, 404, 'concealed')
})

test('a member may change what the clause names, send the rest unchanged, and nothing else', async () => {
  const book = await make('/books', FULL)
  const own = await read(`/books/${book.id}`, ANN)
  const changed = await app.expect(200, 'PUT', `/books/${book.id}`, ANN, { ...own, title: 'Renamed' })
  assert.is(changed.title, 'Renamed')
  for (const [name, value] of Object.entries({
    pages: 5,
    kind: 'novel',
    shelf_id: null,
    lent: false,
    owner_id: 2,
    price: null,
    tag_ids: [1],
    notes: null,
  })) {
    const answer = await patch(`/books/${book.id}`, { title: 'Again', [name]: value }, ANN)
    assert.is(answer.status, 403, name)
    assert.match(answer.body.message, new RegExp(`\\b${name}\\b`))
  }
  assert.is((await read(`/books/${book.id}`)).title, 'Renamed')
})

test('policies are judged again on what would be written', async () => {
  const closed = await make('/loans', { text: 'x', keeper: 1, state: 'closed' })
  const afterwards = 'You may change this loan as it is, but not as it would be afterwards'
  for (const keeper of [2, null]) {
    const { body, status } = await patch(`/loans/${closed.id}`, { keeper }, ANN)
    assert.equal([status, body.message], [403, afterwards])
  }
  assert.is((await read(`/loans/${closed.id}`)).keeper, 1)
  const body = { text: 'x', keeper: 2, state: 'closed' }
  const made = await app.call('POST', '/api/v1/loans', { token: ANN, body })
  assert.equal([made.status, made.body.message], [403, 'You may not create a loan with these values'])
})

test('clauses are alternatives: what a later one allows is done', async () => {
  const open = await make('/loans', { text: 'x', keeper: 1, state: 'open' })
  const given = await patch(`/loans/${open.id}`, { keeper: 2 }, ANN)
  assert.is(given.status, 200, given.text)
  assert.is(given.body.data.keeper, 2)
  const made = await app.call('POST', '/api/v1/loans', { token: ANN, body: { text: 'x', keeper: 2, state: 'open' } })
  assert.is(made.status, 201, made.text)
})

test('a relation’s condition says what may be chosen', async () => {
  const [essay, novel] = [
    await make('/books', { title: 'E', kind: 'essay' }),
    await make('/books', { title: 'N', kind: 'novel' }),
  ]
  const loan = await make('/loans', { text: 'x' })
  assert.equal((await patch(`/loans/${loan.id}`, { book_id: essay.id })).body.errors, {
    book_id: ['The selected book is invalid'],
  })
  assert.is((await patch(`/loans/${loan.id}`, { book_id: novel.id })).body.data.book.title, 'N')
})

test('what the caller may not view cannot be chosen', async () => {
  const loan = await make('/loans', { text: 'x', keeper: 1, state: 'open' }, ANN)
  const [own, bens] = [
    await make('/books', { title: 'mine', owner_id: 1 }),
    await make('/books', { title: 'his', owner_id: 2 }),
  ]
  assert.is(
    (await app.call('POST', '/api/v1/loans', { token: ANN, body: { text: 'x', keeper: 1, book_id: own.id } })).status,
    201,
  )
  const answer = await app.call('POST', '/api/v1/loans', {
    token: ANN,
    body: { text: 'x', keeper: 1, book_id: bens.id },
  })
  assert.equal(answer.body.errors, { book_id: ['The selected book is invalid'] })
  assert.is((await patch(`/loans/${loan.id}`, { book_id: own.id }, ANN)).status, 403)
})

test('links are replaced, kept, cleared; each change moves updated_at, none does not', async () => {
  const tags: number[] = []
  for (const name of ['t1', 't2', 't3']) tags.push((await make('/tags', { name })).id)
  const book = await make('/books', { title: 'Links', tag_ids: tags.slice(0, 2) })
  const names = (record: { tags: { name: string }[] }) => record.tags.map(({ name }) => name)
  const replaced = await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, { tag_ids: tags.slice(1) })
  assert.equal(names(replaced), ['t2', 't3'])
  assert.ok(replaced.updated_at > book.updated_at)
  const same = await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, { tag_ids: [tags[2], tags[1], tags[1]] })
  assert.equal(same, replaced)
  const bad = await patch(`/books/${book.id}`, { title: 'Not', tag_ids: [tags[0], 999] })
  assert.equal(Object.keys(bad.body.errors), ['tag_ids.1'])
  assert.equal(await read(`/books/${book.id}`), replaced)
  assert.equal(names(await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, { tag_ids: null })), [])
})

test('links obey their own write rule', async () => {
  const tag = await make('/tags', { name: 'ruled' })
  const loan = await make('/loans', { text: 'x', keeper: 1 }, ANN)
  const answer = await patch(`/loans/${loan.id}`, { tag_ids: [tag.id] }, ANN)
  assert.is(answer.status, 403)
  assert.match(answer.body.message, /loans\.tag/)
  assert.is((await patch(`/loans/${loan.id}`, { tag_ids: [] }, ANN)).status, 200)
  const allowed = await patch(`/loans/${loan.id}`, { tag_ids: [tag.id] }, '1:member:loans.tag')
  assert.equal(allowed.body.data.tags, [{ id: tag.id, name: 'ruled' }])
})

test.run()
