/** Pages and cursors over the same records: every order gives each record once, deep as shallow, and totals are what they say. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, type Library, library, STAFF } from './library.ts'

const test = suite('paging')
let app: Library

const COUNT = 60
const KEYS = [
  'id',
  'title',
  'pages',
  'price',
  'kind',
  'printed_on',
  'lent',
  'seen_at',
  'serial',
  'shelf.name',
  'shelf_id',
  'isbn',
]

/** Few values of each kind, so that ties and absent values are common. */
async function fill(): Promise<void> {
  await app.engine.database.knex.raw(`
    insert into books (title, pages, price, kind, printed_on, lent, seen_at, serial, shelf_id, owner_id, isbn, created_at, updated_at)
    select (array['a', 'B', 'ä', 'it''s "x"', 'back\\slash'])[1 + i % 5],
      case when i % 4 = 0 then null else i % 3 end,
      case when i % 5 = 0 then null else (i % 3) - 1.25 end,
      (array['novel', 'poetry', 'essay'])[1 + i % 3],
      case when i % 2 = 0 then null else date '2000-02-28' + i % 3 end,
      i % 3 = 0,
      case when i % 7 = 0 then null else timestamptz '2026-01-01 00:00:00.1Z' + (i % 2) * interval '1 microsecond' end,
      case when i % 6 = 0 then null else 8000000000000 + i % 2 end,
      case when i % 3 = 0 then null else 1 + i % 2 end, 1 + i % 2,
      case when i % 2 = 0 then null else repeat('é', 255) || '' end, now(), now()
    from generate_series(1, ${COUNT}) i`)
}

test.before(async () => {
  app = await library()
  await fill()
})
test.after(() => app.close())

const get = (path: string, token = STAFF): Promise<Answer> => app.call('GET', `/api/v1${path}`, { token })
const idsOf = (answer: Answer): number[] => answer.body.data.map(({ id }: { id: number }) => id)

/** Every id in the order of the pages. */
async function byPages(query: string, token: string): Promise<number[]> {
  const answer = await get(`/books?per_page=100&${query}`, token)
  assert.is(answer.status, 200, answer.text)
  return idsOf(answer)
}

async function byCursor(query: string, perPage: number, token: string, first = 'first'): Promise<number[]> {
  const found: number[] = []
  for (let cursor: string | null = first; cursor !== null; ) {
    const answer: Answer = await get(`/books?per_page=${perPage}&${query}&cursor=${cursor}`, token)
    assert.is(answer.status, 200, `${query} ${cursor}: ${answer.text}`)
    assert.ok(answer.body.data.length > 0 || found.length === 0, 'a next_cursor leads to records')
    found.push(...idsOf(answer))
    assert.ok(found.length <= COUNT, `${query} never ends`)
    cursor = answer.body.meta.pagination.next_cursor
  }
  return found
}

const sorts = fc
  .uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))).map((signed) => signed.join(',')))

test('a cursor reads exactly the records of the pages, in every order', async () => {
  const cases = fc.tuple(
    sorts,
    fc.constantFrom('', 'search=a&', 'shelf_id=1,2&', 'pages[ne]=1&'),
    fc.constantFrom(7, 13, 30),
    fc.constantFrom(STAFF, ANN),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ([sort, filter, perPage, token]) => {
      const query = `${filter}sort=${sort}`
      assert.equal(await byCursor(query, perPage, token), await byPages(query, token), query)
    }),
    { numRuns: 40, seed: 20_260_101 },
  )
})

for (const sort of KEYS.flatMap((key) => [key, `-${key}`])) {
  test(`pages by ${sort} hold each record once, and a cursor agrees`, async () => {
    const whole = await byPages(`sort=${sort}`, STAFF)
    assert.is(new Set(whole).size, COUNT)
    const second = await get(`/books?sort=${sort}&per_page=25&page=2`)
    assert.equal(idsOf(second), whole.slice(25, 50))
    assert.equal(await byCursor(`sort=${sort}`, 25, STAFF), whole)
  })
}

test('a page’s own next_cursor goes on after it', async () => {
  const page = await get('/books?sort=-pages,title&per_page=20')
  const rest = await byCursor('sort=-pages,title', 20, STAFF, page.body.meta.pagination.next_cursor)
  assert.equal([...idsOf(page), ...rest], await byPages('sort=-pages,title', STAFF))
})

test('a cursor of five long keys can be sent back', async () => {
  const sort = 'isbn,title,kind,shelf.name,id'
  assert.equal(await byCursor(`sort=${sort}`, 50, STAFF), await byPages(`sort=${sort}`, STAFF))
})

test('a record that comes or goes between two pages moves no other', async () => {
  const first = await get('/books?sort=-id&per_page=5&cursor=first')
  const made = await app.expect(201, 'POST', '/books', STAFF, { title: 'late' })
  await app.expect(204, 'DELETE', `/books/${idsOf(first)[0]}`, STAFF)
  const rest = await byCursor('sort=-id', 50, STAFF, first.body.meta.pagination.next_cursor)
  assert.is(rest.length, COUNT - 5)
  assert.not.ok(rest.includes(made.id))
  await app.expect(204, 'DELETE', `/books/${made.id}`, STAFF)
  await app.expect(200, 'POST', `/books/${idsOf(first)[0]}/restore`, STAFF)
})

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const TAMPERED: readonly (readonly [sort: string, cursor: string])[] = [
  ['id', encoded(['id'])],
  ['id', encoded(['id', '1', '2'])],
  ['id', encoded(['id', null])],
  ['id', encoded(['id', 1])],
  ['id', encoded(['id', '1; drop table books'])],
  ['id', encoded(['id', '-'])],
  ['id', encoded(['id', ['1']])],
  ['id', encoded(['title', '1'])],
  ['id', encoded({ 0: 'id', 1: '1' })],
  ['id', encoded('id')],
  ['id', encoded(null)],
  ['id', 'AAAA'],
  ['id', '..%2F..'],
  ['id', 'x'.repeat(7000)],
  ['pages', encoded(['pages,id', '3.5', '1'])],
  ['pages', encoded(['pages,id', '99999999999', '1'])],
  ['pages', encoded(['pages,id', 'null', '1'])],
  ['serial', encoded(['serial,id', '99999999999999999999', '1'])],
  ['serial', encoded(['serial,id', 'x', '1'])],
  ['price', encoded(['price,id', 'cheap', '1'])],
  ['price', encoded(['price,id', '', '1'])],
  ['price', encoded(['price,id', '1e400', '1'])],
  ['lent', encoded(['lent,id', 'maybe', '1'])],
  ['printed_on', encoded(['printed_on,id', '2001-02-30', '1'])],
  ['printed_on', encoded(['printed_on,id', '2001-13-01', '1'])],
  ['printed_on', encoded(['printed_on,id', 'infinite', '1'])],
  ['seen_at', encoded(['seen_at,id', '2026-02-30 00:00:00+00', '1'])],
  ['seen_at', encoded(['seen_at,id', '2026-01-01 24:00:00+00', '1'])],
  ['seen_at', encoded(['seen_at,id', 'now', '1'])],
  ['title', encoded(['title,id', 'a\u0000', '1'])],
  ['title', encoded(['title,id', '\ud800', '1'])],
  ['-title', encoded(['title,id', 'a', '1'])],
]

test('a cursor that no list gave is refused', async () => {
  for (const [sort, cursor] of TAMPERED) {
    const answer = await get(`/books?sort=${sort}&cursor=${cursor}`)
    assert.is(answer.status, 422, `${sort} ${cursor.slice(0, 80)}: ${answer.text}`)
    assert.equal(Object.keys(answer.body.errors), ['cursor'])
  }
})

test('a cursor with a bit turned is refused or reads on, and never breaks', async () => {
  const { next_cursor: cursor } = (await get('/books?sort=price,seen_at,shelf.name&per_page=3')).body.meta.pagination
  const mutated = fc
    .tuple(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09_-'))
    .map(([at, letter]) => `${cursor.slice(0, at)}${letter}${cursor.slice(at + 1)}`)
  await fc.assert(
    fc.asyncProperty(mutated, async (text) => {
      const { status } = await get(`/books?sort=price,seen_at,shelf.name&cursor=${text}`)
      assert.ok(status === 200 || status === 422, text)
    }),
    { numRuns: 60, seed: 7 },
  )
})

test('a search is paged with its own total', async () => {
  const first = await get('/books?search=slash&per_page=5')
  assert.is(first.body.meta.pagination.total, COUNT / 5)
  assert.is(first.body.meta.pagination.last_page, 3)
  const third = await get('/books?search=slash&per_page=5&page=3')
  assert.equal([third.body.meta.pagination.from, third.body.meta.pagination.to], [11, 12])
  assert.equal(
    [...idsOf(first), ...idsOf(await get('/books?search=slash&per_page=5&page=2')), ...idsOf(third)],
    await byPages('search=slash', STAFF),
  )
})

for (const [term, total] of [
  ['ä', 52],
  ['Ä', 52],
  ['slash back', 12],
  ['b', 24],
  ['BACK', 12],
  ['%', 0],
  ['_', 0],
  ['k\\s', 12],
  ['"x"', 12],
  ["it's", 12],
  ['  slash  ', 12],
  ['MAIN', 20],
  ['zzz', 0],
] as const) {
  test(`search for ${term} finds ${total}`, async () => {
    const answer = await get(`/books?search=${encodeURIComponent(term)}&per_page=100`)
    assert.is(answer.body.meta.pagination.total, total)
    assert.is(answer.body.data.length, total)
    const cursor = await get(`/books?search=${encodeURIComponent(term)}&per_page=100&cursor=first`)
    assert.equal(idsOf(cursor), idsOf(answer))
    const filtered = await get(`/books?search=${encodeURIComponent(term)}&per_page=100&shelf_id=1`)
    assert.equal(
      filtered.body.data,
      answer.body.data.filter((book: { shelf_id: number }) => book.shelf_id === 1),
    )
  })
}

test('deep pages are what shallow ones would be', async () => {
  await app.engine.database.knex.raw(
    `insert into tags (name, created_at, updated_at) select 'tag ' || i % 10, now(), now() from generate_series(1, 700) i`,
  )
  const all: string[] = []
  for (let page = 1; page <= 7; page++)
    all.push(
      ...(await get(`/tags?sort=-name&per_page=100&page=${page}`)).body.data.map((tag: object) => JSON.stringify(tag)),
    )
  assert.is(new Set(all).size, 700)
  const deep = await get('/tags?sort=-name&per_page=20&page=31')
  assert.equal(
    deep.body.data.map((tag: object) => JSON.stringify(tag)),
    all.slice(600, 620),
  )
})

test('a capped total stops at its cap and says so', async () => {
  const { pagination } = (await get('/tags?per_page=3')).body.meta
  assert.is(pagination.total, 5)
  assert.is(pagination.total_exact, false)
  assert.is(pagination.last_page, 2)
  const few = (await get('/tags?per_page=3&sort=id&page=1&search=')).body.meta.pagination
  assert.is(few.total_exact, false)
})

test('an estimate never denies the pages that there are', async () => {
  await app.engine.database.knex.raw(
    `insert into events (text, created_at, updated_at) select 'x', now(), now() from generate_series(1, 25)`,
  )
  const query = '/events?per_page=10&created_at[between]=2020-01-01,2100-01-01&created_at[gte]=2020-01-01'
  for (const [page, total, exact] of [
    [1, 11, false],
    [2, 21, false],
    [3, 25, undefined],
  ] as const) {
    const { pagination } = (await get(`${query}&page=${page}`)).body.meta
    assert.is(pagination.total_exact, exact)
    if (exact === undefined) assert.is(pagination.total, total)
    else assert.ok(pagination.total >= total && pagination.last_page > page, JSON.stringify(pagination))
  }
  const beyond = (await get(`${query}&page=9`)).body.meta.pagination
  assert.ok(beyond.total <= 80, JSON.stringify(beyond))
  await app.engine.database.knex.raw('delete from events')
})

test('an estimated total is a number that says it is none to count on', async () => {
  await app.engine.database.knex.raw(
    `insert into events (text, created_at, updated_at) select 'x', now(), now() from generate_series(1, 300)`,
  )
  await app.engine.database.knex.raw('analyze events')
  const { pagination } = (await get('/events?per_page=10&created_at[gte]=2020-01-01')).body.meta
  assert.is(pagination.total_exact, false)
  assert.ok(pagination.total > 100 && pagination.total < 900, String(pagination.total))
})

test.run()
