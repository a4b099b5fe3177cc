/** Lists as callers see them: which records a query string finds. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, BEN, type Library, STAFF } from './library.ts'
import { filledLibrary } from './shelf.ts'

const test = suite('list')
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
  ['pages=10&pages=20', [1, 2, 3]],
  ['pages=10&pages=20,30&pages=&pages=10', [1, 2, 3]],
  ['pages[in]=10&pages[in]=20', [1, 2, 3]],
  ['pages[not_in]=10&pages[not_in]=20', [4]],
  ['kind=poetry&kind=essay', [2, 3]],
  ['lent=true&lent=false', [1, 2, 3, 4]],
  ['title=Ärger&title=beta_under score', [2, 4]],
  ['title=Ärger,beta_under score&title=Ärger', [4]],
  ['seen_at=2026-01-01&seen_at=2026-01-02', [1, 2, 3]],
  ['sort=-pages&sort=id&pages[null]=false', [2, 3, 1]],
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

test.run()
