/** The library's rules, from YAML alone: scopes, numbers, nested records, choices, concealment, deletion, pages and versions. */
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { eachWay, type Library, openLibrary, record, refusal, rows } from './client.ts'

const library = eachWay('library rules')
let town: Library

library.before(async () => {
  town = await openLibrary()
})
library.after(() => town?.close())

library('has a book and its author', async () => {
  await town.make('leguin', '/authors', { first_name: 'Ursula', last_name: 'Le Guin' })
  await town.make('christie', '/authors', { first_name: 'Agatha', last_name: 'Christie' })
  await town.make('dispossessed', '/books', {
    isbn: '978-0061054884',
    title: 'The Dispossessed',
    author_id: town.id('leguin'),
    genre_ids: [1],
    price: '9.99',
  })
  await town.make('curtain', '/books', {
    isbn: '978-0007113804',
    title: 'Curtain',
    author_id: town.id('christie'),
    price: '8.00',
  })
})

library('serves a part of a table as a resource of its own', async () => {
  const book = await town.make('ebook', '/e-books', {
    isbn: '978-1473211629',
    title: 'The Lathe of Heaven',
    author_id: town.id('leguin'),
  })
  assert.equal(Object.keys(book).includes('pages'), false)
  assert.is(record(await town.get(`/books/${town.id('ebook')}`)).format, 'electronic')
  assert.equal(
    rows(await town.get('/e-books')).map((one) => one.title),
    ['The Lathe of Heaven'],
  )
  assert.is((await town.get(`/e-books/${town.id('dispossessed')}`)).status, 404)
  assert.is((await town.request('DELETE', `/e-books/${town.id('ebook')}`)).status, 405)
})

library('numbers members from where the file says, and finds them by that number', async () => {
  const member = await town.make('ada', '/members', { name: 'Ada', email: 'Ada@Example.com', joined_on: '2026-01-02' })
  assert.is(member.card, '5000000001')
  assert.is(member.email, 'ada@example.com')
  assert.not.ok('remarks' in member)
  assert.is(record(await town.get('/members/5000000001')).id, town.id('ada'))
})

library('serves records below another, and embeds a path under a name of its own', async () => {
  const loan = await town.make('loan', `/members/${town.id('ada')}/loans`, {
    book_id: town.id('dispossessed'),
    due_on: '2026-02-01',
  })
  assert.equal(loan.book, { id: town.id('dispossessed'), title: 'The Dispossessed', writer: 'Ursula Le Guin' })
  assert.is(loan.fee, '0.00')
  assert.equal(
    rows(await town.get(`/members/${town.id('ada')}/loans`)).map((one) => one.id),
    [town.id('loan')],
  )
  assert.is((await town.get('/members/999/loans')).status, 404)
  assert.is(record(await town.get(`/members/${town.id('ada')}`)).loans_count, 1)
  assert.equal(record(await town.get(`/books/${town.id('dispossessed')}`)).latest_loan, {
    id: town.id('loan'),
    due_on: '2026-02-01',
    reader: 'Ada',
  })
})

library('lets only those records be chosen that a relation admits', async () => {
  const blocked = await town.make('bob', '/members', { name: 'Bob', email: 'bob@example.com', status: 'blocked' })
  const loan = { member_id: blocked.id ?? 0, book_id: town.id('dispossessed'), due_on: '2026-02-01' }
  assert.is(refusal(await town.post('/loans', loan), 'member_id'), 'The selected member is invalid')
})

library('refuses a field that a policy does not let be written', async () => {
  const answer = await town.request('PATCH', `/loans/${town.id('loan')}`, { fee: '3.00' })
  assert.is(answer.status, 403)
  const returned = await town.request('PATCH', `/loans/${town.id('loan')}`, { returned_at: '2026-01-20T10:00:00Z' })
  assert.is(record(returned).returned_at, '2026-01-20T10:00:00.000000Z')
})

library('conceals what a policy hides, in lists, counts, embeds and alone', async () => {
  const path = `/books/${town.id('dispossessed')}/reviews`
  const good = record(await town.post(path, { rating: 5, body: 'Twice!' }))
  const bad = record(await town.post(path, { rating: 1 }))
  assert.is((await town.request('PATCH', `/reviews/${bad.id}`, { is_hidden: true })).status, 200)
  assert.equal(
    rows(await town.get(path)).map((review) => review.id),
    [good.id],
  )
  assert.is((await town.get(`/reviews/${bad.id}`)).status, 404)
  const book = record(await town.get(`/books/${town.id('dispossessed')}`))
  assert.is(book.reviews_count, 1)
  assert.equal(
    (book.reviews as JsonObject[]).map((review) => review.rating),
    [5],
  )
})

library('deletes softly what is kept, and restores it; a policy may forbid it', async () => {
  const path = '/books/978-0007113804'
  const gone = await town.request('DELETE', path)
  assert.is(gone.status, 204)
  assert.is((await town.get(path)).status, 404)
  const book = rows(await town.get('/books?sort=id')).map((one) => one.title)
  assert.not.ok(book.includes('Curtain'))
  const curtain = await town.request('POST', `${path}/restore`)
  assert.is(curtain.status, 200, JSON.stringify(curtain.body))
  assert.is((await town.get(path)).status, 200)
  await town.request('PATCH', path, { is_reference: true })
  assert.is((await town.request('DELETE', path)).status, 403)
})

library('deletes for good what is not kept, with what hangs on it where the file says so', async () => {
  assert.is((await town.request('DELETE', `/members/${town.id('ada')}`)).status, 204)
  assert.is((await town.get(`/loans/${town.id('loan')}`)).status, 404)
  assert.is((await town.request('POST', `/members/${town.id('ada')}/restore`)).status, 404)
  const [genre] = record(await town.get(`/books/${town.id('dispossessed')}`)).genres as JsonObject[]
  assert.is((await town.request('DELETE', `/genres/${genre?.id}`)).status, 204)
  assert.equal(record(await town.get(`/books/${town.id('dispossessed')}`)).genres, [])
})

library('sets a reference to null when its record is deleted for good and the file says so', async () => {
  const { branch } = record(await town.get(`/books/${town.id('dispossessed')}`))
  assert.is((await town.request('DELETE', `/branches/${(branch as JsonObject).id}`)).status, 204)
  assert.is(record(await town.get(`/books/${town.id('dispossessed')}`)).branch, null)
})

library('pages by number within its own limit, and by cursor without counting', async () => {
  const all = rows(await town.get('/books?sort=id')).map((book) => book.id)
  const second = await town.get('/books?sort=id&per_page=2&page=2')
  assert.equal(
    rows(second).map((book) => book.id),
    all.slice(2, 4),
  )
  assert.equal((await town.get('/books?per_page=1000')).body.meta.pagination?.per_page, 50)
  const seen: unknown[] = []
  let cursor: unknown = 'first'
  while (typeof cursor === 'string') {
    const page = await town.get(`/books?sort=-price,id&per_page=2&cursor=${encodeURIComponent(cursor)}`)
    seen.push(...rows(page).map((book) => book.id))
    assert.is(page.body.meta.pagination?.total, null)
    cursor = page.body.meta.pagination?.next_cursor
  }
  assert.equal([...seen].sort(), [...all].sort())
})

library('answers an unchanged record with its entity tag, and refuses a change to another version', async () => {
  const path = `/books/${town.id('dispossessed')}`
  const tag = (await town.get(path)).headers.etag ?? ''
  assert.ok(tag.length > 2)
  assert.is((await town.request('PATCH', path, { pages: 400 }, { 'if-match': '"another"' })).status, 412)
  assert.is((await town.request('PATCH', path, { pages: 400 }, { 'if-match': tag })).status, 200)
})

library('knows no route of any desk', async () => {
  assert.is((await town.get('/tickets')).status, 404)
  assert.is((await town.get('/auth/me')).body.message, 'Route not found')
})

library.run()
