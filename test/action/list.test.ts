/** Lists as callers see them: which records a query string finds, in which order, and what it is refused for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, BEN, type Library, library, STAFF } from './library.ts'

const test = suite('list')
let app: Library

const BOOKS = [
  {
    title: 'Alpha 100% true',
    pages: 10,
    price: '1.50',
    kind: 'novel',
    printed_on: '2001-01-01',
    words: ['a', 'b'],
    lent: true,
    seen_at: '2026-01-01T00:00:00.000000Z',
    serial: 4_000_000_000,
    shelf_id: 1,
    owner_id: 1,
    notes: 'quiet',
    bought_on: '2020-05-05',
  },
  {
    title: 'beta_under score',
    pages: 20,
    price: '10.00',
    kind: 'poetry',
    printed_on: '2002-02-02',
    words: ['b'],
    seen_at: '2026-01-01T23:59:59.999999Z',
    serial: 1,
    shelf_id: 2,
    owner_id: 2,
    details: { a: 1 },
  },
  {
    title: 'Gamma back\\slash',
    pages: 20,
    price: '9.99',
    kind: 'essay',
    words: [],
    seen_at: '2026-01-02T00:00:00.000000Z',
    shelf_id: 1,
    owner_id: 1,
  },
  { title: 'Ärger', price: '-3.00', shelf_id: null, seen_at: null },
]

test.before(async () => {
  app = await library()
  for (const book of BOOKS) await app.expect(201, 'POST', '/books', STAFF, book)
})
test.after(() => app.close())

async function list(query: string, token = STAFF): Promise<Answer> {
  return app.call('GET', `/api/v1/books?${query}`, { token })
}

async function ids(query: string, token = STAFF): Promise<number[]> {
  const answer = await list(query, token)
  assert.is(answer.status, 200, `${query}: ${answer.text}`)
  assert.is(answer.body.meta.pagination.total, answer.body.data.length, query)
  return answer.body.data.map(({ id }: { id: number }) => id)
}

const FOUND: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['', [1, 2, 3, 4]],
  ['title=Ärger', [4]],
  ['title=ärger', []],
  ['title[ne]=Ärger', [1, 2, 3]],
  ['title[in]=Ärger,beta_under score', [2, 4]],
  ['title[not_in]=Ärger,beta_under score', [1, 3]],
  ['title[contains]=A', [1, 2, 3]],
  ['title[contains]=%25', [1]],
  ['title[contains]=_', [2]],
  ['title[contains]=%5C', [3]],
  ['title[starts_with]=alpha', [1]],
  ['title[starts_with]=%25', []],
  ['title[ends_with]=SCORE', [2]],
  ['title[null]=false', [1, 2, 3, 4]],
  ['pages=20', [2, 3]],
  ['pages=10,20', [1, 2, 3]],
  ['pages=10, 20', [1, 2, 3]],
  ['pages=+10', [1]],
  ['pages=99999999999999999999', []],
  ['pages[lt]=99999999999999999999', [1, 2, 3]],
  ['pages[gt]=-99999999999999999999', [1, 2, 3]],
  ['pages[ne]=20', [1, 4]],
  ['pages[not_in]=20', [1, 4]],
  ['pages[lt]=20', [1]],
  ['pages[lte]=20', [1, 2, 3]],
  ['pages[gt]=10', [2, 3]],
  ['pages[gte]=20', [2, 3]],
  ['pages[between]=10,19', [1]],
  ['pages[between]=20,10', []],
  ['pages[null]=true', [4]],
  ['pages[null]=0', [1, 2, 3]],
  ['pages[gte]=10&pages[lt]=20', [1]],
  ['serial=4000000000', [1]],
  ['serial[gt]=3999999999', [1]],
  ['price=1.5', [1]],
  ['price=10', [2]],
  ['price[gt]=9.985', [2, 3]],
  ['price[lt]=0', [4]],
  ['price[in]=1.50,9.99', [1, 3]],
  ['price[between]=1.5,9.99', [1, 3]],
  ['kind=novel', [1, 4]],
  ['kind=novel,essay', [1, 3, 4]],
  ['kind[ne]=novel', [2, 3]],
  ['kind[not_in]=novel,poetry', [3]],
  ['lent=true', [1]],
  ['lent=0', [2, 3, 4]],
  ['lent[ne]=1', [2, 3, 4]],
  ['lent[in]=true,false', [1, 2, 3, 4]],
  ['printed_on=2001-01-01', [1]],
  ['printed_on[gt]=2001-01-01', [2]],
  ['printed_on[lte]=2002-02-02', [1, 2]],
  ['printed_on[between]=2001-01-01,2002-02-01', [1]],
  ['printed_on[null]=true', [3, 4]],
  ['printed_from=2001-01-02', [2]],
  ['printed_to=2001-01-01', [1]],
  ['printed_from=2001-01-01&printed_to=2002-02-02', [1, 2]],
  ['printed_from=2002-02-02&printed_to=2001-01-01', []],
  ['paged_from=11', [2, 3]],
  ['paged_to=10', [1]],
  ['seen_from=2026-01-01&seen_to=2026-01-01', [1, 2]],
  ['seen_to=2025-12-31', []],
  ['seen_at=2026-01-01', [1, 2]],
  ['seen_at[ne]=2026-01-01', [3, 4]],
  ['seen_at[gt]=2026-01-01', [3]],
  ['seen_at[gte]=2026-01-01', [1, 2, 3]],
  ['seen_at[lt]=2026-01-02', [1, 2]],
  ['seen_at[lte]=2026-01-01', [1, 2]],
  ['seen_at[lte]=2026-01-01T00:00:00Z', [1]],
  ['seen_at[lt]=2026-01-01T23:59:59.999999Z', [1]],
  ['seen_at[gt]=2026-01-01T23:59:59.999999Z', [3]],
  ['seen_at=2026-01-01T01:00:00%2B01:00', [1]],
  ['seen_at=2026-01-01T01:00:00+01:00', [1]],
  ['seen_at[in]=2026-01-01,2026-01-02T00:00:00Z', [1, 2, 3]],
  ['seen_at[in]=2026-01-02T00:00:00Z,2026-01-01', [1, 2, 3]],
  ['seen_at[not_in]=2026-01-01', [3, 4]],
  ['seen_at[between]=2026-01-01,2026-01-01', [1, 2]],
  ['seen_at[between]=2026-01-01,2026-01-01T00:00:00Z', [1]],
  ['seen_at[between]=2026-01-01T00:00:00Z,2026-01-01', [1, 2]],
  ['seen_at[between]=2026-01-01T00:00:01Z,2026-01-02', [2, 3]],
  ['seen_at[null]=true', [4]],
  ['words[contains]=b', [1, 2]],
  ['words=a', [1]],
  ['words[contains]=c', []],
  ['words[null]=true', [4]],
  ['details[null]=false', [2]],
  ['shelf_id=1', [1, 3]],
  ['shelf_id=1,2', [1, 2, 3]],
  ['shelf_id[ne]=1', [2, 4]],
  ['shelf_id[not_in]=1', [2, 4]],
  ['shelf_id[null]=true', [4]],
  ['shelf_id=0', []],
  ['shelf_id=99999999999', []],
  ['shelf_id[ne]=99999999999', [1, 2, 3, 4]],
  ['shelf.slug=main', [1, 3]],
  ['shelf.slug[ne]=main', [2, 4]],
  ['shelf.slug[not_in]=main,cellar', [4]],
  ['shelf.slug[in]=main,cellar', [1, 2, 3]],
  ['shelf.slug[contains]=ELL', [2]],
  ['shelf.slug[null]=true', [4]],
  ['shelf.slug[null]=false', [1, 2, 3]],
  ['shelf.is_default=true', [1, 3]],
  ['notes=quiet', [1]],
  ['created_at[gte]=2020-01-01', [1, 2, 3, 4]],
  ['created_at[lt]=2020-01-01', []],
  ['title=&pages=20&kind=', [2, 3]],
  ['pages[gt]=&sort=&order=&page=&per_page=&search=&cursor=', [1, 2, 3, 4]],
  ['pages=20&kind=essay&shelf_id=1', [3]],
  ['pages=20&pages=20', [2, 3]],
]

test('finds by every operator of every type', async () => {
  for (const [query, expected] of FOUND) assert.equal(await ids(query), [...expected], query)
})

test('gives the same answer by cursor, without a total', async () => {
  for (const [query, expected] of FOUND) {
    if (query.includes('page=') || query.includes('cursor=')) continue
    const answer = await list(`${query}&cursor=first`)
    assert.equal(
      answer.body.data.map(({ id }: { id: number }) => id),
      [...expected],
      query,
    )
    assert.is(answer.body.meta.pagination.total, null)
  }
})

const REFUSED: readonly (readonly [query: string, parameter: string, sentence: RegExp])[] = [
  ['titel=x', 'titel', /Unknown parameter "titel"; did you mean "title"\?/],
  ['titel=', 'titel', /Unknown parameter/],
  ['sheff.slug=x', 'sheff.slug', /did you mean "shelf.slug"/],
  ['perpage=3', 'perpage', /did you mean "per_page"/],
  ['isbn=1', 'isbn', /Unknown parameter/],
  ['__proto__=1', '__proto__', /Unknown parameter/],
  ['__proto__[eq]=1', '__proto__[eq]', /Unknown parameter/],
  ['constructor=1', 'constructor', /Unknown parameter/],
  ['toString=1', 'toString', /Unknown parameter/],
  ['hasOwnProperty[x]=1', 'hasOwnProperty[x]', /Unknown parameter/],
  ['pages=abc', 'pages', /must be an integer/],
  ['pages=1.5', 'pages', /must be an integer/],
  ['pages=1,x', 'pages', /must be an integer/],
  ['pages[between]=1', 'pages[between]', /two values/],
  ['pages[between]=1,2,3', 'pages[between]', /two values/],
  ['pages[between]=a,2', 'pages[between]', /must be an integer/],
  ['pages[contains]=1', 'pages[contains]', /does not go with this field; allowed: eq/],
  ['pages[like]=1', 'pages[like]', /Unknown operator "like"/],
  ['pages[constructor]=1', 'pages[constructor]', /Unknown operator/],
  ['pages[gt][x]=1', 'pages[gt][x]', /Unknown parameter "pages"/],
  ['pages[null]=maybe', 'pages[null]', /must be true or false/],
  ['price=cheap', 'price', /must be a number/],
  ['price=1e5', 'price', /must be a number/],
  ['kind=drama', 'kind', /must be one of novel, poetry, essay/],
  ['lent=yes', 'lent', /must be true or false/],
  ['printed_on=2001-02-30', 'printed_on', /must be a date/],
  ['printed_from=yesterday', 'printed_from', /must be a date/],
  ['seen_from=2026-01-01T00:00:00Z', 'seen_from', /must be a day/],
  ['seen_at=now', 'seen_at', /must be a time/],
  ['seen_at=infinity', 'seen_at', /must be a time/],
  ['seen_at=2026-01-01T00:00:00', 'seen_at', /must be a time with a zone/],
  ['shelf_id=abc', 'shelf_id', /must be an integer/],
  ['shelf_id[gt]=1', 'shelf_id[gt]', /does not go with/],
  ['shelf_id[in]=1,b', 'shelf_id[in]', /must be an integer/],
  ['details=1', 'details', /./],
  ['pages=1&pages=2', 'pages', /given twice/],
  [`pages=${Array.from({ length: 201 }, (_, i) => i).join(',')}`, 'pages', /at most 200 values/],
  ['sort=titel', 'sort', /Cannot sort by "titel"; did you mean "title"\?/],
  ['sort=-', 'sort', /Cannot sort by ""/],
  ['sort=id,,title', 'sort', /Cannot sort by ""/],
  ['sort=words', 'sort', /Cannot sort by "words"/],
  ['sort=__proto__', 'sort', /Cannot sort/],
  ['sort=id,title,pages,price,kind,lent', 'sort', /At most 5 sort keys/],
  ['order=up', 'order', /asc or desc/],
  ['page=0', 'page', /positive integer/],
  ['page=-1', 'page', /positive integer/],
  ['page=1.0', 'page', /positive integer/],
  ['page=abc', 'page', /positive integer/],
  ['page=1e3', 'page', /positive integer/],
  ['per_page=0', 'per_page', /positive integer/],
  ['per_page=many', 'per_page', /positive integer/],
  ['cursor=first&page=1', 'page', /cannot stand beside cursor/],
  ['cursor=nonsense', 'cursor', /"first" or the next_cursor/],
  [`search=${'x'.repeat(256)}`, 'search', /at most 255/],
]

test('refuses what it cannot honour with 422, keyed by the parameter', async () => {
  for (const [query, parameter, sentence] of REFUSED) {
    const answer = await list(query)
    assert.is(answer.status, 422, `${query}: ${answer.text}`)
    assert.is(answer.body.message, 'Validation failed')
    assert.equal(Object.keys(answer.body.errors), [parameter], query)
    assert.match(answer.body.errors[parameter].join(' '), sentence)
  }
})

test('reports all mistakes of a query at once', async () => {
  const { body } = await list('pages=x&kind=y&sort=z&order=w&page=0&nonsense=1')
  assert.equal(Object.keys(body.errors).sort(), ['kind', 'nonsense', 'order', 'page', 'pages', 'sort'])
})

test('more than fifty conditions are too many', async () => {
  const words = ['eq', 'ne', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte']
  const fields = [
    'pages=1',
    'price=1',
    'printed_on=2020-01-01',
    'seen_at=2020-01-01',
    'serial=1',
    'created_at=2020-01-01',
  ]
  const terms = fields.flatMap((field) => words.map((word) => field.replace('=', `[${word}]=`)))
  const fifty = [...terms, 'lent=1', 'kind=novel'].join('&')
  assert.is((await list(fifty)).status, 200)
  assert.equal((await list(`${fifty}&title=x`)).body.errors, { filter: ['At most 50 conditions are allowed'] })
})

test('a field that the caller may not read is no filter, range, sort key or search text', async () => {
  for (const parameter of ['notes', 'notes[contains]', 'notes[null]', 'bought_from', 'bought_to', 'bought_on']) {
    const answer = await list(`${parameter}=2020-01-01`, ANN)
    assert.is(answer.status, 422, parameter)
    assert.match(answer.body.errors[parameter][0], /Unknown parameter/)
    assert.not.match(answer.body.errors[parameter][0], /did you mean "(notes|bought)/)
  }
  for (const key of ['notes', 'bought_on']) {
    const answer = await list(`sort=${key}`, ANN)
    assert.is(answer.status, 422)
    assert.not.match(answer.text.slice(answer.text.indexOf('allowed')), new RegExp(key))
  }
  assert.equal(await ids('search=quiet', STAFF), [1])
  assert.equal(await ids('search=quiet', ANN), [])
  assert.equal(await ids('bought_from=2020-01-01', STAFF), [1])
})

test('only what the policy shows is listed, counted, searched and found', async () => {
  assert.equal(await ids('', ANN), [1, 3])
  assert.equal(await ids('', BEN), [2])
  assert.equal(await ids('owner_id=2', ANN), [])
  assert.equal(await ids('owner_id[ne]=1', ANN), [])
  assert.equal(await ids('search=beta', ANN), [])
  assert.equal(await ids('search=a', ANN), [1, 3])
  assert.is((await list('', '9::')).status, 403)
  assert.is((await app.call('GET', '/api/v1/books')).status, 401)
})

const SORTED: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['sort=id&order=desc', [4, 3, 2, 1]],
  ['order=desc', [4, 3, 2, 1]],
  ['order=DESC', [4, 3, 2, 1]],
  ['sort=-id', [4, 3, 2, 1]],
  ['sort=-id&order=asc', [4, 3, 2, 1]],
  ['sort=%2Bid&order=desc', [1, 2, 3, 4]],
  ['sort=pages', [1, 2, 3, 4]],
  ['sort=-pages', [4, 3, 2, 1]],
  ['sort=pages,-id', [1, 3, 2, 4]],
  ['sort=-pages,id', [4, 2, 3, 1]],
  ['sort=pages,-price', [1, 2, 3, 4]],
  ['sort=-pages,price', [4, 3, 2, 1]],
  ['sort=price', [4, 1, 3, 2]],
  ['sort=kind,price', [3, 4, 1, 2]],
  ['sort=kind,price&order=desc', [2, 1, 4, 3]],
  ['sort=shelf.name', [2, 1, 3, 4]],
  ['sort=-shelf.name', [4, 3, 1, 2]],
  ['sort=shelf.name,-price', [2, 3, 1, 4]],
  ['sort=lent,-id', [4, 3, 2, 1]],
  ['sort=seen_at', [1, 2, 3, 4]],
  ['sort=-created_at', [4, 3, 2, 1]],
  ['sort=id,title', [1, 2, 3, 4]],
]

test('sorts by keys, signs and order, NULL last when ascending', async () => {
  for (const [query, expected] of SORTED) assert.equal(await ids(query), [...expected], query)
})

test('a space stands for the plus sign that a client forgot to escape', async () => {
  assert.is((await list('sort=+id&order=desc')).status, 200)
})

test('pages tell where they stand', async () => {
  const { body } = await list('per_page=3&page=2')
  assert.equal(
    body.data.map(({ id }: { id: number }) => id),
    [4],
  )
  assert.equal(body.meta.pagination, {
    current_page: 2,
    per_page: 3,
    total: 4,
    last_page: 2,
    from: 4,
    to: 4,
    next_cursor: null,
  })
})

test('a page past the end is empty, however far', async () => {
  for (const page of ['3', '20000000', '9999999999999999']) {
    const { status, body } = await list(`per_page=100&page=${page}`)
    assert.is(status, 200)
    assert.equal(body.data, [])
    assert.is(body.meta.pagination.total, 4)
    assert.is(body.meta.pagination.last_page, 1)
    assert.is(body.meta.pagination.from, null)
  }
  const searched = await list('search=a&page=7')
  assert.equal(searched.body.data, [])
  assert.is(searched.body.meta.pagination.total, 3)
})

test('per_page over a hundred is served as a hundred', async () => {
  for (const size of ['101', '100000', '999999999999999']) {
    assert.is((await list(`per_page=${size}`)).body.meta.pagination.per_page, 100)
  }
})

test('an empty list has one empty page', async () => {
  const { pagination } = (await list('pages=77')).body.meta
  assert.equal(pagination, {
    current_page: 1,
    per_page: 15,
    total: 0,
    last_page: 1,
    from: null,
    to: null,
    next_cursor: null,
  })
})

test('a list has an entity tag that follows its content', async () => {
  const first = await list('pages=10')
  assert.is((await list('pages=10')).headers.etag, first.headers.etag)
  assert.is.not((await list('pages=20')).headers.etag, first.headers.etag)
  const again = await app.call('GET', '/api/v1/books?pages=10', {
    token: STAFF,
    headers: { 'if-none-match': String(first.headers.etag) },
  })
  assert.is(again.status, 304)
  assert.is(again.text, '')
})

test.run()
