/** `where`: which records a condition finds that the caller writes, and what is said about a mistake in one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, BEN, FILES, type Library, library, STAFF } from './library.ts'
import { BOOKS } from './shelf.ts'

const test = suite('where')
let app: Library

const SCHEMA =
  '{ type: object, properties: { size: { type: integer }, cover: { type: string }, signed: { type: boolean }, weight: { type: number } } }'

/** The library with filters over relations and inside a json field. */
const WIDENED = {
  'books.yaml': FILES['books.yaml']
    .replace('details: { type: json }', `details: { type: json, schema: ${SCHEMA} }`)
    .replace(
      'shelf.slug, shelf.is_default]',
      'shelf.slug, shelf.is_default, owner.email, reviews.text, reviews.owner.email, details.size, details.cover, details.signed, details.weight]',
    ),
  'reviews.yaml': `${FILES['reviews.yaml']}filters: [stars]\n`,
}

test.before(async () => {
  app = await library(WIDENED)
  for (const book of BOOKS) {
    const details = book.title?.startsWith('Gamma') ? { size: 7, cover: 'red', signed: true, weight: 1.5 } : undefined
    await app.expect(201, 'POST', '/books', STAFF, { ...book, details })
  }
  for (const [book, text, stars, is_private, token] of [
    [1, 'good', 5, false, ANN],
    [1, 'bad', 1, true, STAFF],
    [3, 'so so', 3, false, ANN],
    [2, 'good too', 4, false, BEN],
  ] as const)
    await app.expect(201, 'POST', `/books/${book}/reviews`, token, { text, stars, ...(is_private && { is_private }) })
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'old' })
  await app.expect(200, 'PUT', '/books/4', STAFF, { tag_ids: [1] })
})
test.after(() => app.close())

function list(where: unknown, token = STAFF, more = ''): Promise<Answer> {
  const text = typeof where === 'string' ? where : JSON.stringify(where)
  return app.call('GET', `/api/v1/books?where=${encodeURIComponent(text)}${more}`, { token })
}

async function ids(where: unknown, token = STAFF, more = ''): Promise<number[]> {
  const answer = await list(where, token, more)
  assert.is(answer.status, 200, `${JSON.stringify(where)}: ${answer.text}`)
  assert.is(answer.body.meta.pagination.total, answer.body.data.length, JSON.stringify(where))
  return answer.body.data.map(({ id }: { id: number }) => id)
}

const FOUND: readonly (readonly [where: unknown, ids: readonly number[]])[] = [
  [{}, [1, 2, 3, 4]],
  [{ title: 'Ärger' }, [4]],
  [{ id: [1, 3] }, [1, 3]],
  [{ id: { not_in: [1, 3] } }, [2, 4]],
  [{ pages: 20, kind: 'essay' }, [3]],
  [{ any: [{ pages: 10 }, { kind: 'essay' }] }, [1, 3]],
  [{ all: [{ pages: { gte: 10 } }, { pages: { lt: 20 } }] }, [1]],
  [{ not: { pages: 20 } }, [1, 4]],
  [{ not: { any: [{ pages: 20 }, { lent: true }] } }, [4]],
  [{ pages: { gte: 10, lt: 20 } }, [1]],
  [{ pages: { between: [15, 30] } }, [2, 3]],
  [{ pages: null }, [4]],
  [{ pages: { null: false } }, [1, 2, 3]],
  [{ pages: { ne: 20 } }, [1, 4]],
  [{ price: '1.5' }, [1]],
  [{ price: { lt: 0 } }, [4]],
  [{ title: { contains: '100%' } }, [1]],
  [{ title: ['Ärger', ' Ärger'] }, [4]],
  [{ title: { contains: '$' } }, []],
  [{ title: '$actor' }, []],
  [{ lent: true }, [1]],
  [{ seen_at: '2026-01-01' }, [1, 2]],
  [{ seen_at: { gt: '2026-01-01' } }, [3]],
  [{ seen_at: { lt: '$now' } }, [1, 2, 3]],
  [{ created_at: { gt: '$now' } }, []],
  [{ words: { contains: 'b' } }, [1, 2]],
  [{ owner: '$actor' }, [1, 3]],
  [{ owner_id: { ne: '$actor' } }, [2, 4]],
  [{ shelf: null }, [4]],
  [{ 'shelf.slug': 'cellar' }, [2]],
  [{ 'shelf.slug': { ne: 'cellar' } }, [1, 3, 4]],
  [{ 'shelf.is_default': true, pages: 20 }, [3]],
  [{ 'owner.email': { ends_with: '@example.org' } }, [1, 2, 3]],
  [{ not: { 'owner.email': 'ann@example.org' } }, [2, 4]],
  [{ reviews: { some: {} } }, [1, 2, 3]],
  [{ reviews: { none: {} } }, [4]],
  [{ reviews: { some: { stars: { gte: 4 } } } }, [1, 2]],
  [{ reviews: { every: { stars: { gte: 3 } } } }, [2, 3, 4]],
  [{ reviews: { none: { stars: 1 } } }, [2, 3, 4]],
  [{ reviews: { count: 2 } }, [1]],
  [{ reviews: { count: { gte: 1 }, where: { stars: { gt: 3 } } } }, [1, 2]],
  [{ reviews: { count: { lt: 99_999_999_999 } } }, [1, 2, 3, 4]],
  [{ reviews: { some: { text: { contains: 'good' }, 'owner.email': 'ben@example.org' } } }, [2]],
  [{ 'reviews.text': { starts_with: 'so' } }, [3]],
  [{ 'reviews.owner.email': ['ben@example.org'] }, [2]],
  [{ tags: { some: { id: 1 } } }, [4]],
  [{ 'details.size': 7 }, [3]],
  [{ 'details.size': { gt: 6, lt: 8 } }, [3]],
  [{ 'details.size': { ne: 7 } }, [1, 2, 4]],
  [{ 'details.cover': { contains: 'E' } }, [3]],
  [{ 'details.signed': true }, [3]],
  [{ 'details.weight': { between: [1, 2] } }, [3]],
  [{ 'details.cover': null }, [1, 2, 4]],
]

for (const [where, expected] of FOUND) {
  test(`${JSON.stringify(where)} finds ${expected.join(' ') || 'nothing'}`, async () => {
    assert.equal(await ids(where), expected)
  })
}

test('parameters over relations to many and inside json ask the same', async () => {
  for (const [query, expected] of [
    ['reviews.text[contains]=good', [1, 2]],
    ['reviews.owner.email=ben@example.org', [2]],
    ['details.size=7', [3]],
    ['details.size[lt]=8&details.signed=1', [3]],
    ['details.cover=red,blue', []],
    ['owner.email=ann@example.org', [1, 3]],
  ] as const) {
    const answer = await app.call('GET', `/api/v1/books?${query}`, { token: STAFF })
    assert.equal(
      answer.body.data?.map(({ id }: { id: number }) => id),
      expected,
      `${query}: ${answer.text}`,
    )
  }
})

test('it combines with parameters, search, sort, cursors and nested lists', async () => {
  assert.equal(await ids({ pages: { gte: 10 } }, STAFF, '&kind=novel,poetry&sort=-id'), [2, 1])
  assert.equal(await ids({ pages: { gte: 10 } }, STAFF, '&search=a&sort=-id'), [3, 2, 1])
  const where = { not: { pages: 10 } }
  const first = await list(where, STAFF, '&cursor=first&per_page=2')
  const next = await list(where, STAFF, `&cursor=${first.at('meta.pagination.next_cursor')}&per_page=2`)
  assert.equal(
    [first, next].map((answer) => answer.body.data.map(({ id }: { id: number }) => id)),
    [[2, 3], [4]],
  )
  const path = `/api/v1/books/1/reviews?where=${encodeURIComponent('{"stars":{"gt":3}}')}`
  const nested = await app.call('GET', path, { token: STAFF })
  assert.is(nested.body.meta.pagination.total, 1)
})

test('the same shape with other values, and other lengths of lists, is one statement', async () => {
  const seen = new Set<unknown>()
  const { statements } = app.engine.app.foundation
  const get = statements.get.bind(statements)
  const compiled: string[] = []
  Object.assign(statements, {
    get: ((compile, scope, ...parts) => {
      const found = get(compile, scope, ...parts)
      if (!seen.has(found)) compiled.push(found.statement.text)
      seen.add(found)
      return found
    }) satisfies typeof statements.get,
  })
  for (const values of [[1], [1, 2], [3, 4, 2, 1]])
    await ids({ any: [{ id: values }, { reviews: { count: values.length } }], title: { ne: `x${values[0]}` } })
  Object.assign(statements, { get })
  assert.is(new Set(compiled).size, compiled.length)
  assert.is(seen.size, 2, compiled.join('\n'))
})

const REFUSED: (readonly [where: unknown, place: string, sentence: RegExp])[] = [
  ['{', 'where', /must be an object of JSON/],
  ['[1]', 'where', /map of conditions/],
  ['"a"', 'where', /map of conditions/],
  [{ titel: 'x' }, 'where.titel', /^Unknown field "titel"; did you mean "title"\?$/],
  [
    { any: [{ 'shelf.slg': 'x' }] },
    'where.any.0.shelf.slg',
    /^Unknown field "shelf.slg"; did you mean "shelf.slug"\?$/,
  ],
  [{ 'shlef.slug': 'x' }, 'where.shlef.slug', /did you mean "shelf.slug"\?/],
  [{ reviews: { some: { star: 1 } } }, 'where.reviews.some.star', /did you mean "stars"\?/],
  [{ review: { some: {} } }, 'where.review', /did you mean "reviews"\?/],
  [{ 'reviews.stars': 1 }, 'where.reviews.stars', /leads to many records, as in \{"reviews":\{"some":/],
  [{ 'owner.pin': 'x' }, 'where.owner.pin', /^Unknown field "owner.pin"/],
  [{ isbn: 'x' }, 'where.isbn', /^Unknown field "isbn"/],
  [{ with_deleted: { title: 'x' } }, 'where.with_deleted.title', /^Unknown operator/],
  [{ pages: 'x' }, 'where.pages', /^The value of "pages" must be an integer$/],
  [{ or: [{ pages: 1 }, { pages: 2 }] }, 'where.or', /; did you mean "any"\?$/],
  [{ pages: { equals: 1 } }, 'where.pages.equals', /^Unknown operator "equals"; did you mean "eq"\?$/],
  [{ pages: { gtt: 1 } }, 'where.pages.gtt', /^Unknown operator "gtt"; did you mean "gt"\?/],
  [{ pages: { contains: 1 } }, 'where.pages', /does not go with this field; allowed: eq/],
  [{ pages: {} }, 'where.pages', /names no operator/],
  [{ any: {} }, 'where.any', /takes a list/],
  [{ pages: { between: [1] } }, 'where.pages.between', /takes two values/],
  [{ pages: { eq: [1] } }, 'where.pages.eq', /takes one value/],
  [{ pages: { null: 'maybe' } }, 'where.pages.null', /true or false/],
  [{ kind: 'opera' }, 'where.kind', /must be one of novel/],
  [{ title: 'a\u0000b' }, 'where.title', /null characters/],
  [{ title: { contains: '\ud800' } }, 'where.title', /well-formed/],
  [{ 'ti tle': 1 }, 'where.ti tle', /is not a path/],
  [{ reviews: { count: -1 } }, 'where.reviews.count', /whole number/],
  [{ reviews: { some: {}, none: {} } }, 'where.reviews.none', /does not go with/],
  [{ shelf: { some: {} } }, 'where.shelf', /Unknown field "shelf"/],
  [{ pages: Array.from({ length: 201 }, (_, at) => at) }, 'where.pages', /at most 200 values/],
  [{ any: Array.from({ length: 51 }, () => ({})) }, 'where', /at most 50 conditions; this one has 51/],
  [deep(9), `where${'.not'.repeat(8)}`, /at most 8 deep/],
  [
    { reviews: { some: { 'book.reviews': { some: { 'book.reviews': { some: {} } } } } } },
    'where.reviews.some.book.reviews.some.book.reviews',
    /at most 4 relations/,
  ],
]

for (const number of ['1e400', '9007199254740993', '0.10000000000000000001'])
  REFUSED.push([
    `{"all":[{"pages":{"gt":${number}}}]}`,
    'where.all.0.pages.gt',
    /^The value of "all\.0\.pages\.gt" is a number that cannot be kept exactly/,
  ])

function deep(levels: number): unknown {
  return levels === 0 ? { title: 'x' } : { not: deep(levels - 1) }
}

for (const [where, place, sentence] of REFUSED) {
  const name = (typeof where === 'string' ? where : JSON.stringify(where)).slice(0, 80)
  test(`${name} is refused at ${place}`, async () => {
    const answer = await list(where)
    assert.is(answer.status, 422, answer.text)
    assert.equal(Object.keys(answer.body.errors), [place])
    assert.match(answer.body.errors[place][0], sentence)
  })
}

test('as many mistakes as one likes give a short answer', async () => {
  const names = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x${at}`, 1]))
  for (const where of [names, { ['y'.repeat(7_000)]: { some: { a: 1 } } }]) {
    const answer = await list(where)
    assert.is(answer.status, 422)
    assert.ok(answer.text.length < 40_000, String(answer.text.length))
  }
})

test('a member asks within its own sight only', async () => {
  assert.equal(await ids({}, ANN), [1, 3])
  assert.equal(await ids({ reviews: { some: { stars: { lt: 2 } } } }, ANN), [])
  assert.equal(await ids({ reviews: { count: 1 } }, ANN), [1, 3])
  assert.equal(await ids({ reviews: { every: { stars: { gt: 2 } } } }, ANN), [1, 3])
  for (const name of ['notes', 'bought_on']) {
    const [hidden, absent] = await Promise.all([list({ [name]: 'x' }, ANN), list({ nonsenses: 'x' }, ANN)])
    const words = (answer: Answer, word: string) => answer.text.replaceAll(word, '').replace(/"timestamp":"[^"]*"/, '')
    assert.is(hidden.status, 422)
    assert.is(words(hidden, name).replace(/; did you mean[^"]*\\"[^"]*"\?/, ''), words(absent, 'nonsenses'))
  }
})

test.run()
