/** The order of lists, and where their pages stand. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { type Library, STAFF } from './library.ts'
import { filledLibrary } from './shelf.ts'

const test = suite('list order')
let app: Library

test.before(async () => {
  app = await filledLibrary()
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
  assert.is(searched.body.meta.pagination.total, 4)
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
