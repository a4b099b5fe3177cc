/** POST …/query: a list whose parameters stand in a JSON body. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, type Library, STAFF } from './library.ts'
import { filledLibrary } from './shelf.ts'

const test = suite('query of a list')
let app: Library

test.before(async () => {
  app = await filledLibrary()
  for (const stars of [1, 3, 5])
    await app.expect(201, 'POST', '/books/1/reviews', STAFF, { text: `${stars} stars`, stars })
})
test.after(() => app.close())

const SAME: readonly (readonly [path: string, query: string, body: object])[] = [
  ['/books', '', {}],
  ['/books', 'pages=10,20&sort=-id', { pages: [10, 20], sort: '-id' }],
  ['/books', 'title=Ärger&title=beta_under score', { title: ['Ärger', 'beta_under score'] }],
  ['/books', 'title[contains]=a&sort=-pages,id', { 'title[contains]': 'a', sort: ['-pages', 'id'] }],
  ['/books', 'pages[between]=10,15&lent=true', { 'pages[between]': [10, 15], lent: true }],
  ['/books', 'search=alpha&per_page=2&page=1', { search: 'alpha', per_page: 2, page: 1 }],
  ['/books', 'cursor=first&per_page=2', { cursor: 'first', per_page: 2 }],
  [
    '/books',
    'where={"not":{"pages":20}}&order=desc&sort=id',
    { where: { not: { pages: 20 } }, order: 'desc', sort: 'id' },
  ],
  ['/books', 'printed_from=2002-01-01', { printed_from: '2002-01-01' }],
  ['/books/1/reviews', 'where={"id":{"gt":1}}&sort=-id', { where: { id: { gt: 1 } }, sort: '-id' }],
]

for (const [path, query, body] of SAME) {
  test(`${path} by ${JSON.stringify(body)} is ?${query}`, async () => {
    for (const token of [STAFF, ANN]) {
      const [list, asked] = await Promise.all([
        app.call('GET', `/api/v1${path}?${encodeURI(query)}`, { token }),
        app.call('POST', `/api/v1${path}/query`, { token, body }),
      ])
      assert.is(asked.status, 200, asked.text)
      assert.equal([asked.body.data, asked.body.meta.pagination], [list.body.data, list.body.meta.pagination])
    }
  })
}

test('it takes what is too long for an address', async () => {
  const titles = Array.from({ length: 200 }, (_, at) => `${'x'.repeat(100)}${at}`)
  const answer = await app.call('POST', '/api/v1/books/query', {
    token: STAFF,
    body: { where: { any: [{ title: titles }, { title: 'Ärger' }] } },
  })
  assert.equal(
    answer.body.data.map(({ id }: { id: number }) => id),
    [4],
  )
})

const REFUSED: readonly (readonly [body: object, key: string, sentence: RegExp])[] = [
  [{ titel: 'x' }, 'titel', /^Unknown parameter "titel"; did you mean "title"\?/],
  [{ where: { titel: 'x' } }, 'where.titel', /did you mean "title"/],
  [{ where: '{}' }, 'where', /must be an object/],
  [{ where: { title: 'x'.repeat(70_000) } }, 'where', /more than 65536 characters/],
  [{ owner_id: null }, 'owner_id', /must not be null/],
  [{ pages: { gte: 1 } }, 'pages', /conditions go under "where"/],
  [{ pages: [] }, 'pages', /at least 1 item/],
  [{ pages: [[1]] }, 'pages', /must be a list of values/],
  [{ page: 'x' }, 'page', /positive integer/],
  [{ page: 1, cursor: 'first' }, 'page', /cannot be used together with cursor/],
  [{ 'title[contains]': ['a', 'b'] }, 'title[contains]', /was given twice/],
  [{ title: 'a\u0000b' }, 'title', /not text|null characters/],
]

for (const [body, key, sentence] of REFUSED) {
  test(`${JSON.stringify(body).slice(0, 60)} is refused at ${key}`, async () => {
    const answer = await app.call('POST', '/api/v1/books/query', { token: STAFF, body })
    assert.is(answer.status, 422, answer.text)
    assert.equal(Object.keys(answer.body.errors), [key])
    assert.match(answer.body.errors[key][0], sentence)
  })
}

test('its query string is empty, and whoever may not list may not ask', async () => {
  const ask = (path: string, token?: string) => app.call('POST', `/api/v1${path}`, { token, body: {} })
  assert.is((await ask('/books/query?page=1', STAFF)).status, 422)
  for (const path of ['/books/query', '/books/1/reviews/query', '/drafts/query']) {
    const list = path.replace('/query', '')
    for (const token of [undefined, STAFF, BEN, '9::'])
      assert.is((await ask(path, token)).status, (await app.call('GET', `/api/v1${list}`, { token })).status, path)
  }
  assert.is((await ask('/tags/query', STAFF)).status, 200)
  assert.is((await ask('/places/query', STAFF)).status, 404)
})

test('an Idempotency-Key means nothing to it', async () => {
  const headers = { 'idempotency-key': 'the same' }
  const count = async () => {
    const rows = await app.engine.database.adhoc.run({ text: 'select count(*) from plinth_idempotency' }, [])
    return rows[0]?.[0]
  }
  const before = await count()
  for (const [body, total] of [
    [{ pages: 10 }, 1],
    [{ pages: 20 }, 2],
  ] as const) {
    const answer = await app.call('POST', '/api/v1/books/query', { token: STAFF, body, headers })
    assert.is(answer.body.meta.pagination.total, total)
    assert.is(answer.headers['idempotency-replayed'], undefined)
  }
  assert.is(await count(), before)
})

test.run()
