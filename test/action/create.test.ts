/** Creating records: what a body may say, what is filled in, what is refused and in which words. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('create')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const post = (path: string, body: unknown, token = STAFF): Promise<Answer> =>
  app.call('POST', `/api/v1${path}`, { token, body })
const make = (path: string, body: unknown, token = STAFF) => app.expect(201, 'POST', path, token, body)
const count = async (table: string): Promise<number> => {
  const { rows } = await app.engine.database.knex.raw<{ rows: { n: number }[] }>(`select count(*) as n from ${table}`)
  return Number(rows[0]?.n)
}

async function refused(body: unknown, errors: Readonly<Record<string, RegExp>>, path = '/books', token = STAFF) {
  const before = await count('books')
  const answer = await post(path, body, token)
  assert.is(answer.status, 422, answer.text)
  assert.is(answer.body.message, 'Validation failed')
  assert.equal(Object.keys(answer.body.errors).sort(), Object.keys(errors).sort(), answer.text)
  for (const [field, sentence] of Object.entries(errors)) {
    assert.is(answer.body.errors[field].length, 1)
    assert.match(answer.body.errors[field][0], sentence)
  }
  assert.is(await count('books'), before, 'nothing is written')
}

test('the answer is the record as it is read', async () => {
  const answer = await post('/books', { title: 'Read back' })
  assert.is(answer.status, 201)
  const read = await app.call('GET', `/api/v1/books/${answer.body.data.id}`, { token: STAFF })
  assert.equal(answer.body.data, read.body.data)
  assert.is(answer.headers.etag, read.headers.etag)
  assert.match(answer.body.data.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.is(answer.body.data.created_at, answer.body.data.updated_at)
})

test('defaults fill what is absent, records by condition too; null is not absent', async () => {
  const book = await make('/books', { title: 'Defaults' })
  assert.is(book.kind, 'novel')
  assert.is(book.lent, false)
  assert.equal(book.shelf, { id: 1, name: 'Main' })
  const bare = await make('/books', { title: 'Bare', kind: null, shelf_id: null, pages: null })
  assert.is(bare.kind, null)
  assert.is(bare.shelf, null)
  assert.is(bare.shelf_id, null)
})

test('strings are trimmed and "" is null', async () => {
  const book = await make('/books', { title: '  Trim me \t\n', isbn: '   ', notes: '', pages: '', price: ' 1.5 ' })
  assert.is(book.title, 'Trim me')
  assert.is(book.isbn, null)
  assert.is(book.notes, null)
  assert.is(book.pages, null)
  assert.is(book.price, '1.50')
})

const ROUND: readonly (readonly [field: string, sent: unknown, stored?: unknown])[] = [
  ['title', 'It\'s "quoted" \\ back / <b> & ünïcödé 🙂 %_'],
  ['notes', 'turned \u202e and \u2028 broken'],
  ['title', '$1 {x} {{y}} ; drop table books; --'],
  ['title', '🙂'.repeat(255)],
  ['notes', 'line\n\tline\r\n'.repeat(3).trim()],
  ['notes', 'x'.repeat(65_535)],
  ['pages', 1],
  ['pages', '42', 42],
  ['pages', 5000],
  ['price', '0.00'],
  ['price', '-99999999.99'],
  ['price', '99999999.99'],
  ['price', 1.5, '1.50'],
  ['price', '007.1', '7.10'],
  ['price', '-0', '0.00'],
  ['lent', 1, true],
  ['lent', 'true', true],
  ['lent', '0', false],
  ['printed_on', '2000-02-29'],
  ['printed_on', '1900-01-01'],
  ['printed_on', '2200-12-31'],
  ['seen_at', '2026-01-01T10:00:00.123456Z'],
  ['seen_at', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000000Z'],
  ['seen_at', '2026-01-01T00:30:00.1+01:00', '2025-12-31T23:30:00.100000Z'],
  ['serial', 9_000_000_000_000],
  ['serial', 0],
  ['words', []],
  ['words', ['a', 'ü', '"', '\\', '{}', ',', 'null']],
  ['words', [' a ', 'a'], ['a', 'a']],
  ['details', { b: 1, a: [true, null, { '"': '\\u0000' }], ключ: 1.5 }],
  ['details', []],
  ['details', 'text'],
  ['details', 0],
  ['details', false],
]
for (const [field, sent, stored = sent] of ROUND) {
  test(`${field} keeps ${JSON.stringify(sent).slice(0, 40)}`, async () => {
    const wanted = field === 'words' && Array.isArray(sent) && sent.length > 5 ? sent.slice(0, 5) : sent
    const expected = wanted === sent ? stored : wanted
    const made = await make('/books', { title: 'Round', [field]: wanted })
    const list = await app.call('GET', `/api/v1/books?sort=-id&per_page=1`, { token: STAFF })
    assert.equal(made[field], expected)
    assert.equal(list.body.data[0][field], expected)
  })
}

test('complaints come all at once, by field and in dot form', () =>
  refused(
    {
      titel: 'x',
      pages: 0,
      price: '1.234',
      kind: 'drama',
      printed_on: '2001-02-29',
      isbn: 'x'.repeat(256),
      words: ['a', 3, 'c'],
      lent: 'yes',
      seen_at: 'now',
      serial: -1,
      shelf_id: 'main',
    },
    {
      titel: /^Unknown field "titel"; did you mean "title"\?$/,
      title: /^The title field is required$/,
      pages: /^The pages field must be (at least 1|between 1 and 5000)/,
      price: /at most 2 decimal places/,
      kind: /must be one of novel, poetry, essay/,
      printed_on: /must be a date/,
      isbn: /at most 255 characters/,
      'words.1': /must be a string/,
      lent: /must be true or false/,
      seen_at: /must be a time/,
      serial: /0/,
      shelf_id: /must be an integer/,
    },
  ))

const WRONG: readonly (readonly [body: Readonly<Record<string, unknown>>, errors: Readonly<Record<string, RegExp>>])[] =
  [
    [{}, { title: /is required/ }],
    [{ title: null }, { title: /is required/ }],
    [{ title: '   ' }, { title: /is required/ }],
    [{ title: 7 }, { title: /must be a string/ }],
    [{ title: ['x'] }, { title: /must be a string/ }],
    [{ title: {} }, { title: /must be a string/ }],
    [{ title: true }, { title: /must be a string/ }],
    [{ title: 'x'.repeat(256) }, { title: /at most 255 characters/ }],
    [{ title: 'a\u0000b' }, { title: /./ }],
    [{ title: 'a\ud800' }, { title: /./ }],
    [{ title: 'x', notes: 'x'.repeat(65_536) }, { notes: /at most 65535/ }],
    [{ title: 'x', pages: 1.5 }, { pages: /must be an integer/ }],
    [{ title: 'x', pages: '1e3' }, { pages: /must be an integer/ }],
    [{ title: 'x', pages: 5001 }, { pages: /5000/ }],
    [{ title: 'x', pages: 99999999999 }, { pages: /5000/ }],
    [{ title: 'x', pages: [1] }, { pages: /must be an integer/ }],
    [{ title: 'x', pages: true }, { pages: /must be an integer/ }],
    [{ title: 'x', price: '100000000' }, { price: /at most 8 digits/ }],
    [{ title: 'x', price: 'NaN' }, { price: /must be a number/ }],
    [{ title: 'x', price: {} }, { price: /must be a number/ }],
    [{ title: 'x', printed_on: '1899-12-31' }, { printed_on: /between 1900/ }],
    [{ title: 'x', printed_on: 'infinity' }, { printed_on: /must be a date/ }],
    [{ title: 'x', printed_on: 20010101 }, { printed_on: /must be a date/ }],
    [{ title: 'x', words: 'a' }, { words: /must be a list/ }],
    [{ title: 'x', words: { 0: 'a' } }, { words: /must be a list/ }],
    [{ title: 'x', words: ['a', 'a', 'a', 'a', 'a', 'a'] }, { words: /at most 5 items/ }],
    [{ title: 'x', words: ['a', null] }, { 'words.1': /must have a value/ }],
    [{ title: 'x', words: ['a', ''] }, { 'words.1': /must have a value/ }],
    [{ title: 'x', words: [['a']] }, { 'words.0': /must be a string/ }],
    [{ title: 'x', shelf_id: 99 }, { shelf_id: /^The selected shelf is invalid$/ }],
    [{ title: 'x', shelf_id: 0 }, { shelf_id: /selected shelf is invalid/ }],
    [{ title: 'x', shelf_id: -1 }, { shelf_id: /selected shelf is invalid/ }],
    [{ title: 'x', shelf_id: 99999999999 }, { shelf_id: /selected shelf is invalid/ }],
    [{ title: 'x', shelf_id: { id: 1 } }, { shelf_id: /must be an integer/ }],
    [{ title: 'x', shelf_id: [1] }, { shelf_id: /must be an integer/ }],
    [
      { title: 'x', shelf_id: 99, owner_id: 99 },
      { shelf_id: /invalid/, owner_id: /invalid/ },
    ],
    [{ title: 'x', tag_ids: [99] }, { 'tag_ids.0': /invalid/ }],
    [{ title: 'x', tag_ids: [99999999999] }, { 'tag_ids.0': /./ }],
    [{ title: 'x', tag_ids: 1 }, { tag_ids: /must be a list/ }],
    [{ title: 'x', tag_ids: ['one'] }, { 'tag_ids.0': /must be an integer/ }],
    [{ title: 'x', constructor: 1 }, { constructor: /Unknown field/ }],
    [
      { title: 'x', toString: 1, hasOwnProperty: 2 },
      { toString: /Unknown field/, hasOwnProperty: /Unknown field/ },
    ],
    [
      { title: 'x', deleted_at: '2020-01-01T00:00:00Z', x: 1 },
      { x: /Unknown field/, deleted_at: /cannot be written/ },
    ],
  ]
for (const [body, errors] of WRONG) {
  test(`refuses ${JSON.stringify(body).slice(0, 60)}`, () => refused(body, errors))
}

test('what is wrong with references and unique values is told beside malformed fields', async () => {
  await refused(
    { pages: 'many', shelf_id: 99, tag_ids: [98] },
    { title: /is required/, pages: /integer/, shelf_id: /selected shelf is invalid/, 'tag_ids.0': /invalid/ },
  )
  const answer = await post('/shelves', { name: 'Main', is_default: 'maybe' })
  assert.equal(Object.keys(answer.body.errors).sort(), ['is_default', 'name'])
  assert.match(answer.body.errors.name[0], /The name has already been taken/)
})

test('what no body writes is refused, with what to use instead; nothing and the default pass', async () => {
  const refusals = {
    id: /^The id field cannot be written: leave it out$/,
    created_at: /leave it out/,
    reviews_count: /leave it out/,
    length: /leave it out/,
    shelf: /^The shelf field cannot be written: use shelf_id$/,
    reviews: /^The reviews field cannot be written: use POST \/api\/v1\/books\/{id}\/reviews$/,
    tags: /^The tags field cannot be written: use tag_ids$/,
  }
  const sent = { id: 77, created_at: '1999-01-01T00:00:00Z', reviews_count: 5, length: 'long', shelf: { id: 2 } }
  await refused({ title: 'Read-only', ...sent, reviews: [{ text: 'x' }], tags: [{ id: 1 }] }, refusals)
  const empty = { id: null, created_at: '', shelf: null, reviews: [], tags: [], length: null }
  const book = await make('/books', { title: 'Read-only', ...empty })
  assert.is(book.shelf_id, 1)
})

test('a body that is no object is 400', async () => {
  for (const body of ['[]', '1', '"x"', 'null', '{', '{"title":"x"']) {
    assert.is((await app.call('POST', '/api/v1/books', { token: STAFF, body })).status, 400, body)
  }
})

test('fields may be called as what every object has', async () => {
  const answer = await post('/teams', {})
  assert.is(JSON.stringify(answer.body.errors), '{"constructor":["The constructor field is required"]}')
  const team = await make('/teams', { constructor: 'McLaren' })
  assert.equal([team.constructor, team.valueOf, team.hasOwnProperty], ['McLaren', 'x', null])
  const changed = await app.expect(200, 'PATCH', `/teams/${team.id}`, STAFF, { hasOwnProperty: '3' })
  assert.equal([changed.constructor, changed.valueOf, changed.hasOwnProperty], ['McLaren', 'x', 3])
  assert.is((await app.call('GET', '/api/v1/teams?constructor=McLaren&sort=-valueOf')).body.data.length, 1)
})

test('a plain value where a record is embedded is a mistake, and the key is named', () =>
  refused({ title: 'x', shelf: 2 }, { shelf: /Unknown field "shelf"; did you mean "shelf_id"\?/ }))

test('below another record the path names the parent, and the body may only agree', async () => {
  const [one, other] = [await make('/books', { title: 'One' }), await make('/books', { title: 'Other' })]
  const review = await make(`/books/${one.id}/reviews`, { text: 'x', book_id: one.id })
  assert.equal(review.book, { id: one.id, title: 'One' })
  const answer = await post(`/books/${one.id}/reviews`, { text: 'x', book_id: other.id })
  assert.is(answer.status, 422)
  assert.equal(Object.keys(answer.body.errors), ['book_id'])
  const bens = await make('/books', { title: 'Ben’s', owner_id: 2 })
  assert.is((await post(`/books/${bens.id}/reviews`, { text: 'x' }, ANN)).status, 403)
  assert.is((await post('/books/9999/reviews', { text: 'x' }, ANN)).status, 404)
  assert.is((await post('/books/abc/reviews', { text: 'x' }, ANN)).status, 404)
  assert.is((await post('/books/abc/reviews', { text: 'x' }, STRANGER)).status, 403)
})

test('a chosen record must be live and one the caller may view', async () => {
  const shelf = await make('/shelves', { name: 'Gone' })
  await app.expect(204, 'DELETE', `/shelves/${shelf.id}`)
  await refused({ title: 'x', shelf_id: shelf.id }, { shelf_id: /selected shelf is invalid/ })
})

test('many-to-many links are written as ids, in any order, once each', async () => {
  const ids: number[] = []
  for (const name of ['red', 'green', 'blue']) ids.push((await make('/tags', { name })).id)
  const book = await make('/books', { title: 'Tagged', tag_ids: [ids[2], ids[0], String(ids[0])] })
  assert.equal(
    book.tags.map((tag: { name: string }) => tag.name),
    ['red', 'blue'],
  )
  await refused({ title: 'x', tag_ids: [ids[0], 9999, 8888] }, { 'tag_ids.1': /invalid/, 'tag_ids.2': /invalid/ })
})

test('a repeated Idempotency-Key gives the first answer', async () => {
  const call = { token: STAFF, body: { title: 'Once' }, headers: { 'idempotency-key': 'create-once' } }
  const first = await app.call('POST', '/api/v1/books', call)
  const again = await app.call('POST', '/api/v1/books', call)
  assert.is(again.status, 201)
  assert.is(again.body.data.id, first.body.data.id)
  assert.is(again.headers['idempotency-replayed'], 'true')
})

test.run()
