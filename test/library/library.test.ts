/** An application of another field, from YAML alone: its records are made, changed and found as its files say. */
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { eachWay, type Library, openLibrary, record, refusal, rows } from './client.ts'

const library = eachWay('library')
let town: Library

library.before(async () => {
  town = await openLibrary()
})
library.after(() => town?.close())

library('serves the seeds in the default order, in the envelope of every answer', async () => {
  const answer = await town.get('/genres')
  assert.equal(
    rows(answer).map((genre) => genre.slug),
    ['crime', 'poetry', 'science-fiction'],
  )
  assert.is(answer.body.success, true)
  assert.is(answer.body.meta.version, 'v2')
  assert.equal(answer.body.meta.pagination?.total, 3)
})

library('leaves timestamps out where the file says so, and puts them in everywhere else', async () => {
  assert.equal(Object.keys(rows(await town.get('/genres'))[0] ?? {}), ['id', 'name', 'slug'])
  const [branch] = rows(await town.get('/branches'))
  assert.equal(branch?.name, 'Harbour')
  assert.match(String(branch?.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
})

library('creates a record, computes a field, and counts related ones', async () => {
  const author = await town.make('leguin', '/authors', {
    first_name: 'Ursula',
    last_name: 'Le Guin',
    born_on: '1929-10-21',
  })
  assert.is(author.name, 'Ursula Le Guin')
  assert.is(author.books_count, 0)
  assert.is(author.born_on, '1929-10-21')
  assert.equal(author.books, [])
  await town.make('christie', '/authors', {
    first_name: 'Agatha',
    last_name: 'Christie',
    website: 'https://christie.example/',
  })
})

library('creates a record with defaults, relations of both kinds, and exact decimals', async () => {
  const genres = rows(await town.get('/genres'))
  const book = await town.make('dispossessed', '/books', {
    isbn: '978-0061054884',
    title: 'The Dispossessed',
    price: '12.50',
    pages: 387,
    published_on: '1974-05-01',
    keywords: ['anarchy', 'physics'],
    edition: { number: 2, note: 'signed' },
    author_id: town.id('leguin'),
    genre_ids: [genres[2]?.id ?? 0, genres[1]?.id ?? 0],
  })
  assert.is(book.price, '12.50')
  assert.is(book.format, 'paper')
  assert.is(book.is_reference, false)
  assert.equal(book.keywords, ['anarchy', 'physics'])
  assert.equal(book.edition, { number: 2, note: 'signed' })
  assert.equal(book.author, { id: town.id('leguin'), name: 'Ursula Le Guin' })
  assert.equal((book.branch as JsonObject).name, 'Old Town')
  assert.equal(
    (book.genres as JsonObject[]).map((genre) => genre.slug),
    ['poetry', 'science-fiction'],
  )
  assert.is(book.latest_loan, null)
})

library('finds a record by either of its lookups, and answers 404 with its label otherwise', async () => {
  assert.is(record(await town.get('/books/978-0061054884')).id, town.id('dispossessed'))
  assert.is(record(await town.get(`/books/${town.id('dispossessed')}`)).isbn, '978-0061054884')
  const absent = await town.get('/books/978-9999999999')
  assert.is(absent.status, 404)
  assert.is(absent.body.message, 'Book not found')
})

library('shows in lists what lists show, and alone what is shown alone', async () => {
  await town.post('/books', {
    isbn: '978-0007113804',
    title: 'Curtain',
    author_id: town.id('christie'),
    price: '8.00',
    pages: 224,
    published_on: '1975-09-01',
    summary: 'The last case.',
  })
  const [first] = rows(await town.get('/books?sort=title'))
  assert.is(first?.title, 'Curtain')
  for (const key of ['summary', 'reviews', 'latest_loan']) assert.not.ok(key in (first ?? {}), key)
  assert.is(record(await town.get('/books/978-0007113804')).summary, 'The last case.')
})

library('refuses each mistake under its own key, in a sentence', async () => {
  const book = { isbn: '979-1234567890', title: 'Untitled', author_id: town.id('leguin') }
  assert.match(refusal(await town.post('/books', { ...book, price: 'cheap' }), 'price'), 'price')
  assert.match(refusal(await town.post('/books', { ...book, price: '1.005' }), 'price'), 'price')
  assert.match(refusal(await town.post('/books', { ...book, pages: 0 }), 'pages'), '1')
  assert.match(refusal(await town.post('/books', { ...book, isbn: '123' }), 'isbn'), 'isbn')
  assert.match(refusal(await town.post('/books', { ...book, format: 'stone' }), 'format'), 'format')
  assert.match(refusal(await town.post('/books', { ...book, published_on: '2023-02-30' }), 'published_on'), 'published')
  assert.ok(refusal(await town.post('/books', { ...book, edition: { number: 0 } }), 'edition.number').length > 0)
  assert.match(
    refusal(await town.post('/books', { ...book, author_id: 999 }), 'author_id'),
    'The selected author is invalid',
  )
  assert.match(refusal(await town.post('/books', { ...book, titel: 'x' }), 'titel'), 'title')
  assert.ok(refusal(await town.post('/books', { isbn: book.isbn, title: book.title }), 'author_id'))
})

library('keeps a unique field unique among live records, and says whose it is', async () => {
  const again = { isbn: '978-0061054884', title: 'Another', author_id: town.id('leguin') }
  assert.match(refusal(await town.post('/books', again), 'isbn'), 'isbn')
})

library('refuses the sixth keyword, and names the place of a bad one', async () => {
  const book = { isbn: '979-1234567890', title: 'Untitled', author_id: town.id('leguin') }
  refusal(await town.post('/books', { ...book, keywords: ['a', 'b', 'c', 'd', 'e', 'f'] }), 'keywords')
  refusal(await town.post('/books', { ...book, keywords: ['a', { b: 'c' }] }), 'keywords.1')
})

library('changes only what is sent, keeps what is immutable, and replaces many-to-many as a whole', async () => {
  const [crime] = rows(await town.get('/genres'))
  const path = `/books/${town.id('dispossessed')}`
  const changed = await town.request('PATCH', path, { price: '9.99', genre_ids: [crime?.id ?? 0] })
  assert.is(changed.status, 200, JSON.stringify(changed.body))
  assert.is(record(changed).price, '9.99')
  assert.is(record(changed).title, 'The Dispossessed')
  assert.equal(
    (record(changed).genres as JsonObject[]).map((genre) => genre.slug),
    ['crime'],
  )
  const moved = await town.request('PATCH', path, { isbn: '978-0000000000' })
  assert.is(moved.status, 422)
  assert.is(record(await town.get(path)).isbn, '978-0061054884')
})

library('filters with operators, on own fields, lists and fields of related records', async () => {
  const titles = async (query: string): Promise<unknown> =>
    rows(await town.get(`/books?${query}`)).map((book) => book.title)
  assert.equal(await titles(`author_id=${town.id('leguin')}`), ['The Dispossessed'])
  assert.equal(await titles('price[lt]=9'), ['Curtain'])
  assert.equal(await titles('pages[between]=200,300'), ['Curtain'])
  assert.equal(await titles('title[contains]=POSSESS'), ['The Dispossessed'])
  assert.equal(await titles('author.last_name=Christie'), ['Curtain'])
  assert.equal(await titles('published_from=1975-01-01'), ['Curtain'])
  assert.equal(await titles('published_to=1974-12-31'), ['The Dispossessed'])
  assert.equal(await titles('format=paper,electronic&sort=-price'), ['The Dispossessed', 'Curtain'])
  assert.equal(await titles(`branch_id[null]=true`), [])
})

library('refuses filters and sort keys it does not know, with the nearest that it does', async () => {
  assert.match(refusal(await town.get('/books?autor_id=1'), 'autor_id'), 'author_id')
  assert.match(refusal(await town.get('/books?sort=titel'), 'sort'), 'title')
  refusal(await town.get('/books?price=cheap'), 'price')
})

library('sorts by a field of a related record', async () => {
  assert.equal(
    rows(await town.get('/books?sort=author.last_name')).map((book) => book.title),
    ['Curtain', 'The Dispossessed'],
  )
})

library('searches parts of words in own and related fields, without case', async () => {
  assert.equal(
    rows(await town.get('/books?search=guin')).map((book) => book.title),
    ['The Dispossessed'],
  )
  assert.equal(
    rows(await town.get('/books?search=URTAI')).map((book) => book.title),
    ['Curtain'],
  )
  assert.equal(rows(await town.get('/books?search=100%25')), [])
})

library.run()
