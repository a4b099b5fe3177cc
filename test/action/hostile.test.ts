/** Hostile names, operators, values and ids on every route: a refusal or an answer, never a 5xx, and nothing harmed. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BoundRoute } from '../../engine/http/bound-route.ts'
import { state, survives, TEXTS } from './hostile.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite('hostile input')
let app: Library
let before = ''

test.before(async () => {
  app = await library()
  for (const title of ['one', 'two']) {
    const book = await app.expect(201, 'POST', '/books', STAFF, { title, owner_id: 1 })
    await app.expect(201, 'POST', `/books/${book.id}/reviews`, STAFF, { text: 'fine' })
  }
  before = await state(app)
})
test.after(() => app.close())
test.after.each(async () => {
  assert.is(await state(app), before, 'the tables are what they were')
})

const KEYS = [
  'title',
  'pages',
  'price',
  'kind',
  'printed_on',
  'words',
  'seen_at',
  'serial',
  'details',
  'shelf_id',
  'shelf.slug',
  'lent',
  'created_at',
  'id',
]
const OPERATORS = [
  'eq',
  'ne',
  'in',
  'not_in',
  'lt',
  'gte',
  'between',
  'contains',
  'starts_with',
  'ends_with',
  'null',
  'like',
  '',
  '__proto__',
  "x'",
]
const PARAMETERS = [
  'page',
  'per_page',
  'search',
  'sort',
  'order',
  'cursor',
  'printed_from',
  'seen_to',
  'paged_from',
  'nonsense',
]

test('as values of every parameter of a list', async () => {
  for (const text of TEXTS) {
    const value = encodeURIComponent(text)
    await Promise.all(
      [...KEYS, ...PARAMETERS].map((name) => survives(app, 'GET', `/api/v1/books?per_page=1&${name}=${value}`)),
    )
  }
})

test('as names and operators of parameters', async () => {
  for (const text of TEXTS) {
    const name = encodeURIComponent(text)
    await survives(app, 'GET', `/api/v1/books?${name}=1`)
    await survives(app, 'GET', `/api/v1/books?title[${name}]=1`)
    await survives(app, 'GET', `/api/v1/books?${name}[eq]=1`)
    await survives(app, 'GET', `/api/v1/books?sort=-${name}&order=${name}`)
  }
})

test('operators with values of other types', async () => {
  const anything = fc.tuple(
    fc.constantFrom(...KEYS),
    fc.constantFrom(...OPERATORS),
    fc.oneof(
      fc.constantFrom(...TEXTS),
      fc.string(),
      fc.integer().map(String),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(anything, async ([key, operator, value]) => {
      const text = value.isWellFormed() ? value : 'x'
      await survives(app, 'GET', `/api/v1/books?${key}[${encodeURIComponent(operator)}]=${encodeURIComponent(text)}`)
    }),
    { numRuns: 150, seed: 1 },
  )
})

function ownRoutes(): readonly BoundRoute[] {
  return app.engine.app.routes
}

test('as ids of every route', async () => {
  for (const route of ownRoutes().filter(({ path }) => path.includes('{id}'))) {
    for (const text of TEXTS.filter((word) => word.length < 1000)) {
      const path = `/api/v1${route.path.replace(/\{\w+\}/g, encodeURIComponent(text))}`
      const answer = await app.call(route.method, path, {
        token: STAFF,
        ...(route.body === 'json' ? { body: { title: 'x', text: 'x', name: 'x' } } : {}),
      })
      assert.ok(answer.status === 404 || answer.status === 403, `${route.method} ${path}: ${answer.text}`)
    }
  }
})

test.run()
