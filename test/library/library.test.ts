/** An application of another field, from YAML alone: what it serves is what its files say. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { type Answer, type Served, serve } from './serve.ts'

const library = suite('library')
let served: Served

/** Ids of what the first tests have made and the later ones look at. */
const made: Record<string, number> = {}

library.before(async () => {
  served = await serve('test/library/resources', '/library')
})
library.after(() => served?.close())

function get(path: string): Promise<Answer> {
  return served.request('GET', path)
}

function post(path: string, body: JsonObject): Promise<Answer> {
  return served.request('POST', path, body)
}

function record(answer: Answer): JsonObject {
  return answer.body.data as JsonObject
}

function rows(answer: Answer): readonly JsonObject[] {
  assert.is(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data as readonly JsonObject[]
}

async function make(name: string, path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await post(path, body)
  assert.is(answer.status, 201, JSON.stringify(answer.body))
  made[name] = record(answer).id as number
  return record(answer)
}

async function refused(answer: Answer, key: string): Promise<string> {
  assert.is(answer.status, 422, JSON.stringify(answer.body))
  assert.is(answer.body.message, 'Validation failed')
  assert.equal(Object.keys(answer.body.errors ?? {}), [key])
  return answer.body.errors?.[key]?.[0] ?? ''
}

library('serves the seeds in the default order, in the envelope of every answer', async () => {
  const answer = await get('/genres')
  assert.equal(
    rows(answer).map((genre) => genre.slug),
    ['crime', 'poetry', 'science-fiction'],
  )
  assert.is(answer.body.success, true)
  assert.is(answer.body.meta.version, 'v2')
  assert.equal(answer.body.meta.pagination?.total, 3)
})

library('leaves timestamps out where the file says so, and puts them in everywhere else', async () => {
  assert.equal(Object.keys(rows(await get('/genres'))[0] ?? {}), ['id', 'name', 'slug'])
  const [branch] = rows(await get('/branches'))
  assert.equal(branch?.name, 'Harbour')
  assert.match(String(branch?.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
})

library('creates a record, computes a field, and counts related ones', async () => {
  const author = await make('leguin', '/authors', { first_name: 'Ursula', last_name: 'Le Guin', born_on: '1929-10-21' })
  assert.is(author.name, 'Ursula Le Guin')
  assert.is(author.books_count, 0)
  assert.is(author.born_on, '1929-10-21')
  assert.equal(author.books, [])
  await make('christie', '/authors', {
    first_name: 'Agatha',
    last_name: 'Christie',
    website: 'https://christie.example/',
  })
})

library('creates a record with defaults, relations of both kinds, and exact decimals', async () => {
  const genres = rows(await get('/genres'))
  const book = await make('dispossessed', '/books', {
    isbn: '978-0061054884',
    title: 'The Dispossessed',
    price: '12.50',
    pages: 387,
    published_on: '1974-05-01',
    keywords: ['anarchy', 'physics'],
    edition: { number: 2, note: 'signed' },
    author_id: made.leguin ?? 0,
    genre_ids: [genres[2]?.id ?? 0, genres[1]?.id ?? 0],
  })
  assert.is(book.price, '12.50')
  assert.is(book.format, 'paper')
  assert.is(book.is_reference, false)
  assert.equal(book.keywords, ['anarchy', 'physics'])
  assert.equal(book.edition, { number: 2, note: 'signed' })
  assert.equal(book.author, { id: made.leguin ?? 0, name: 'Ursula Le Guin' })
  assert.equal((book.branch as JsonObject).name, 'Old Town')
  assert.equal(
    (book.genres as JsonObject[]).map((genre) => genre.slug),
    ['poetry', 'science-fiction'],
  )
  assert.is(book.latest_loan, null)
})

library('finds a record by either of its lookups, and answers 404 with its label otherwise', async () => {
  assert.is(record(await get('/books/978-0061054884')).id, made.dispossessed)
  assert.is(record(await get(`/books/${made.dispossessed}`)).isbn, '978-0061054884')
  const absent = await get('/books/978-9999999999')
  assert.is(absent.status, 404)
  assert.is(absent.body.message, 'Book not found')
})

library('shows in lists what lists show, and alone what is shown alone', async () => {
  await post('/books', {
    isbn: '978-0007113804',
    title: 'Curtain',
    author_id: made.christie ?? 0,
    price: '8.00',
    pages: 224,
    published_on: '1975-09-01',
    summary: 'The last case.',
  })
  const [first] = rows(await get('/books?sort=title'))
  assert.is(first?.title, 'Curtain')
  for (const key of ['summary', 'reviews', 'latest_loan']) assert.not.ok(key in (first ?? {}), key)
  assert.is(record(await get('/books/978-0007113804')).summary, 'The last case.')
})

library('refuses each mistake under its own key, in a sentence', async () => {
  const book = { isbn: '979-1234567890', title: 'Untitled', author_id: made.leguin ?? 0 }
  assert.match(await refused(await post('/books', { ...book, price: 'cheap' }), 'price'), 'price')
  assert.match(await refused(await post('/books', { ...book, price: '1.005' }), 'price'), 'price')
  assert.match(await refused(await post('/books', { ...book, pages: 0 }), 'pages'), '1')
  assert.match(await refused(await post('/books', { ...book, isbn: '123' }), 'isbn'), 'isbn')
  assert.match(await refused(await post('/books', { ...book, format: 'stone' }), 'format'), 'format')
  assert.match(
    await refused(await post('/books', { ...book, published_on: '2023-02-30' }), 'published_on'),
    'published',
  )
  assert.ok((await refused(await post('/books', { ...book, edition: { number: 0 } }), 'edition')).length > 0)
  assert.match(
    await refused(await post('/books', { ...book, author_id: 999 }), 'author_id'),
    'The selected author is invalid',
  )
  assert.match(await refused(await post('/books', { ...book, titel: 'x' }), 'titel'), 'title')
  assert.ok(await refused(await post('/books', { isbn: book.isbn, title: book.title }), 'author_id'))
})

library('keeps a unique field unique among live records, and says whose it is', async () => {
  const again = { isbn: '978-0061054884', title: 'Another', author_id: made.leguin ?? 0 }
  assert.match(await refused(await post('/books', again), 'isbn'), 'isbn')
})

library('refuses the sixth keyword, and names the place of a bad one', async () => {
  const book = { isbn: '979-1234567890', title: 'Untitled', author_id: made.leguin ?? 0 }
  await refused(await post('/books', { ...book, keywords: ['a', 'b', 'c', 'd', 'e', 'f'] }), 'keywords')
  await refused(await post('/books', { ...book, keywords: ['a', { b: 'c' }] }), 'keywords.1')
})

library('changes only what is sent, keeps what is immutable, and replaces many-to-many as a whole', async () => {
  const [crime] = rows(await get('/genres'))
  const path = `/books/${made.dispossessed}`
  const changed = await served.request('PATCH', path, { price: '9.99', genre_ids: [crime?.id ?? 0] })
  assert.is(changed.status, 200, JSON.stringify(changed.body))
  assert.is(record(changed).price, '9.99')
  assert.is(record(changed).title, 'The Dispossessed')
  assert.equal(
    (record(changed).genres as JsonObject[]).map((genre) => genre.slug),
    ['crime'],
  )
  const moved = await served.request('PATCH', path, { isbn: '978-0000000000' })
  assert.is(moved.status, 422)
  assert.is(record(await get(path)).isbn, '978-0061054884')
})

library('filters with operators, on own fields, lists and fields of related records', async () => {
  const titles = async (query: string): Promise<unknown> => rows(await get(`/books?${query}`)).map((book) => book.title)
  assert.equal(await titles(`author_id=${made.leguin}`), ['The Dispossessed'])
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
  assert.match(await refused(await get('/books?autor_id=1'), 'autor_id'), 'author_id')
  assert.match(await refused(await get('/books?sort=titel'), 'sort'), 'title')
  await refused(await get('/books?price=cheap'), 'price')
})

library('sorts by a field of a related record', async () => {
  assert.equal(
    rows(await get('/books?sort=author.last_name')).map((book) => book.title),
    ['Curtain', 'The Dispossessed'],
  )
})

library('searches parts of words in own and related fields, without case', async () => {
  assert.equal(
    rows(await get('/books?search=guin')).map((book) => book.title),
    ['The Dispossessed'],
  )
  assert.equal(
    rows(await get('/books?search=URTAI')).map((book) => book.title),
    ['Curtain'],
  )
  assert.equal(rows(await get('/books?search=100%25')), [])
})

library('serves a part of a table as a resource of its own', async () => {
  const book = await make('ebook', '/e-books', {
    isbn: '978-1473211629',
    title: 'The Lathe of Heaven',
    author_id: made.leguin ?? 0,
  })
  assert.equal(Object.keys(book).includes('pages'), false)
  assert.is(record(await get(`/books/${made.ebook}`)).format, 'electronic')
  assert.equal(
    rows(await get('/e-books')).map((one) => one.title),
    ['The Lathe of Heaven'],
  )
  assert.is((await get(`/e-books/${made.dispossessed}`)).status, 404)
  assert.is((await served.request('DELETE', `/e-books/${made.ebook}`)).status, 405)
})

library('numbers members from where the file says, and finds them by that number', async () => {
  const member = await make('ada', '/members', { name: 'Ada', email: 'Ada@Example.com', joined_on: '2026-01-02' })
  assert.is(member.card, '5000000001')
  assert.is(member.email, 'ada@example.com')
  assert.not.ok('remarks' in member)
  assert.is(record(await get('/members/5000000001')).id, made.ada)
})

library('serves records below another, and embeds a path under a name of its own', async () => {
  const loan = await post(`/members/${made.ada}/loans`, { book_id: made.dispossessed ?? 0, due_on: '2026-02-01' })
  assert.is(loan.status, 201, JSON.stringify(loan.body))
  made.loan = record(loan).id as number
  assert.equal(record(loan).book, { id: made.dispossessed ?? 0, title: 'The Dispossessed', writer: 'Ursula Le Guin' })
  assert.is(record(loan).fee, '0.00')
  assert.equal(
    rows(await get(`/members/${made.ada}/loans`)).map((one) => one.id),
    [made.loan],
  )
  assert.is((await get('/members/999/loans')).status, 404)
  assert.is(record(await get(`/members/${made.ada}`)).loans_count, 1)
  assert.equal(record(await get(`/books/${made.dispossessed}`)).latest_loan, {
    id: made.loan,
    due_on: '2026-02-01',
    reader: 'Ada',
  })
})

library('lets only those records be chosen that a relation admits', async () => {
  const blocked = await make('bob', '/members', { name: 'Bob', email: 'bob@example.com', status: 'blocked' })
  const loan = { member_id: blocked.id ?? 0, book_id: made.dispossessed ?? 0, due_on: '2026-02-01' }
  assert.is(await refused(await post('/loans', loan), 'member_id'), 'The selected member is invalid')
})

library('refuses a field that a policy does not let be written', async () => {
  const answer = await served.request('PATCH', `/loans/${made.loan}`, { fee: '3.00' })
  assert.is(answer.status, 403)
  const returned = await served.request('PATCH', `/loans/${made.loan}`, { returned_at: '2026-01-20T10:00:00Z' })
  assert.is(record(returned).returned_at, '2026-01-20T10:00:00.000000Z')
})

library('conceals what a policy hides, in lists, counts, embeds and alone', async () => {
  const path = `/books/${made.dispossessed}/reviews`
  const good = record(await post(path, { rating: 5, body: 'Twice!' }))
  const bad = record(await post(path, { rating: 1 }))
  assert.is((await served.request('PATCH', `/reviews/${bad.id}`, { is_hidden: true })).status, 200)
  assert.equal(
    rows(await get(path)).map((review) => review.id),
    [good.id],
  )
  assert.is((await get(`/reviews/${bad.id}`)).status, 404)
  const book = record(await get(`/books/${made.dispossessed}`))
  assert.is(book.reviews_count, 1)
  assert.equal(
    (book.reviews as JsonObject[]).map((review) => review.rating),
    [5],
  )
})

library('deletes softly what is kept, and restores it; a policy may forbid it', async () => {
  const path = '/books/978-0007113804'
  const gone = await served.request('DELETE', path)
  assert.is(gone.status, 204)
  assert.is((await get(path)).status, 404)
  const book = rows(await get('/books?sort=id')).map((one) => one.title)
  assert.not.ok(book.includes('Curtain'))
  const curtain = await served.request('POST', `${path}/restore`)
  assert.is(curtain.status, 200, JSON.stringify(curtain.body))
  assert.is((await get(path)).status, 200)
  await served.request('PATCH', path, { is_reference: true })
  assert.is((await served.request('DELETE', path)).status, 403)
})

library('deletes for good what is not kept, with what hangs on it where the file says so', async () => {
  assert.is((await served.request('DELETE', `/members/${made.ada}`)).status, 204)
  assert.is((await get(`/loans/${made.loan}`)).status, 404)
  assert.is((await served.request('POST', `/members/${made.ada}/restore`)).status, 404)
  const [genre] = rows(await get('/genres'))
  assert.is((await served.request('DELETE', `/genres/${genre?.id}`)).status, 409)
})

library('sets a reference to null when its record is deleted for good and the file says so', async () => {
  const { branch } = record(await get(`/books/${made.dispossessed}`))
  assert.is((await served.request('DELETE', `/branches/${(branch as JsonObject).id}`)).status, 204)
  assert.is(record(await get(`/books/${made.dispossessed}`)).branch, null)
})

library('pages by number within its own limit, and by cursor without counting', async () => {
  const all = rows(await get('/books?sort=id')).map((book) => book.id)
  const second = await get('/books?sort=id&per_page=2&page=2')
  assert.equal(
    rows(second).map((book) => book.id),
    all.slice(2, 4),
  )
  assert.equal((await get('/books?per_page=1000')).body.meta.pagination?.per_page, 50)
  const seen: unknown[] = []
  let cursor: unknown = 'first'
  while (typeof cursor === 'string') {
    const page = await get(`/books?sort=-price,id&per_page=2&cursor=${encodeURIComponent(cursor)}`)
    seen.push(...rows(page).map((book) => book.id))
    assert.is(page.body.meta.pagination?.total, null)
    cursor = page.body.meta.pagination?.next_cursor
  }
  assert.equal([...seen].sort(), [...all].sort())
})

library('answers an unchanged record with its entity tag, and refuses a change to another version', async () => {
  const path = `/books/${made.dispossessed}`
  const tag = (await get(path)).headers.get('etag') ?? ''
  assert.ok(tag.length > 2)
  assert.is((await served.request('PATCH', path, { pages: 400 }, { 'if-match': '"another"' })).status, 412)
  assert.is((await served.request('PATCH', path, { pages: 400 }, { 'if-match': tag })).status, 200)
})

library('knows no route of any desk', async () => {
  assert.is((await get('/tickets')).status, 404)
  assert.is((await get('/auth/me')).body.message, 'Route not found')
})

library.run()
