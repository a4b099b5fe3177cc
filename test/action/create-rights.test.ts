/** Who may create what: clauses, fields that a role may not set, and values that a rule sets. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('create: rights')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const post = (path: string, body: unknown, token = STAFF): Promise<Answer> =>
  app.call('POST', `/api/v1${path}`, { token, body })
const make = (path: string, body: unknown, token = STAFF) => app.expect(201, 'POST', path, token, body)

test('who may not create is told what is missing', async () => {
  assert.is((await app.call('POST', '/api/v1/books', { body: { title: 'x' } })).status, 401)
  const answer = await post('/books', { nonsense: 1 }, STRANGER)
  assert.is(answer.status, 403)
  assert.match(answer.body.message, /books\.edit/)
})

test('a clause lists what may be set; a default may be sent', async () => {
  const book = await make('/books', { title: 'Mine', pages: 3, kind: 'essay', lent: false, tag_ids: [] }, ANN)
  assert.is(book.owner_id, 1)
  assert.equal(book.shelf, { id: 1, name: 'Main' })
  assert.not.ok('notes' in book, 'what may not be read is not answered')
  await make('/books', { title: 'Mine', owner_id: 1 }, ANN)
  for (const body of [{ price: '1.00' }, { owner_id: 2 }, { lent: true }, { shelf_id: 2 }, { tag_ids: [1] }]) {
    const answer = await post('/books', { title: 'x', ...body }, ANN)
    assert.is(answer.status, 403, JSON.stringify(body))
    assert.match(answer.body.message, new RegExp(Object.keys(body)[0]!))
  }
})

test('what may not be set is 403 also when it is malformed', async () => {
  for (const body of [{ notes: 5 }, { price: 'cheap' }, { tag_ids: 'x' }, { owner_id: 'me' }, { words: [1] }]) {
    const answer = await post('/books', { title: 'x', ...body }, ANN)
    assert.is(answer.status, 403, answer.text)
  }
  assert.is((await post('/books', { title: 'x', pages: 'many', colour: 1 }, ANN)).status, 422)
})

test('a field that the role may not write is 403 unless it holds its default', async () => {
  const book = await make('/books', { title: 'Reviewed' }, ANN)
  const path = `/books/${book.id}/reviews`
  assert.is((await post(path, { text: 'x', is_private: true }, ANN)).status, 403)
  const review = await make(path, { text: 'x', is_private: false }, ANN)
  assert.is(review.is_private, false)
  assert.is((await make(path, { text: 'x', is_private: true }, STAFF)).is_private, true)
})

test('what a clause sets is never silently changed: another value is 403', async () => {
  const book = await make('/books', { title: 'Set' }, ANN)
  const path = `/books/${book.id}/reviews`
  assert.is((await make(path, { text: 'x', owner_id: 1 }, ANN)).owner.name, 'Ann')
  const answer = await post(path, { text: 'x', owner_id: 2 }, ANN)
  assert.is(answer.status, 403, answer.text)
})

test('an Idempotency-Key gives nothing back that its owner may not do any more', async () => {
  const headers = { 'idempotency-key': 'taken-away' }
  const ask = (path: string, token: string, body: object) =>
    app.call('POST', `/api/v1${path}`, { token, body, headers })
  const staff = '1:staff:books.edit,shelves.manage'
  assert.is((await ask('/shelves', staff, { name: 'Keyed' })).status, 201)
  const taken = await ask('/shelves', '1:staff:books.edit', { name: 'Keyed' })
  assert.equal([taken.status, taken.body.message], [403, 'You need the permission shelves.manage'])
  assert.is((await ask('/books', staff, { title: 'Keyed', notes: 'for staff' })).status, 201)
  const member = await ask('/books', ANN, { title: 'Keyed', notes: 'for staff' })
  assert.is(member.status, 403)
  assert.not.ok(member.text.includes('for staff'))
})

test('secrets of a body do not enter what is kept of it', async () => {
  const headers = { 'idempotency-key': 'secrets' }
  const ask = (pin: string) =>
    app.call('POST', '/api/v1/members', { token: STAFF, body: { name: 'Pin', pin }, headers })
  const first = await ask('1111')
  assert.is((await ask('2222')).body.data.id, first.body.data.id)
})

test.run()
