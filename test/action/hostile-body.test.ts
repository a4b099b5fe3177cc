/** Hostile bodies and headers on every route: a refusal or an answer, never a 5xx, and nothing harmed. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { state, survives, TABLES, TEXTS } from './hostile.ts'
import { ANN, type Library, library, STAFF } from './library.ts'

const test = suite('hostile bodies')
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

const DEEP = JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`)
const VALUES: readonly unknown[] = [
  ...TEXTS,
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  [],
  {},
  [[]],
  [null],
  { id: 1 },
  { $ne: null },
  { toString: 'x' },
  { length: 5 },
  ['1', 2, {}],
  Array.from({ length: 2000 }, () => 1),
  DEEP,
]

test('as values of every field of every body', async () => {
  for (const resource of app.engine.app.catalog.resources.values()) {
    if (!TABLES.includes(resource.name) || !resource.actions.has('create')) continue
    const names = [...resource.fields.keys(), ...resource.relations.keys(), 'tag_ids', 'mood']
    for (const value of VALUES) {
      await survives(app, 'POST', `/api/v1/${resource.path}`, Object.fromEntries(names.map((name) => [name, value])))
      for (const name of ['title', 'name', 'shelf_id', 'tag_ids', 'details', 'words'].filter((one) =>
        names.includes(one),
      ))
        await survives(app, 'PATCH', `/api/v1/${resource.path}/2`, { [name]: value }, name === 'title' ? ANN : STAFF)
    }
  }
})

test('as keys of bodies', async () => {
  for (const text of TEXTS) {
    await survives(app, 'POST', '/api/v1/books', `{"title":"x",${JSON.stringify(text)}:1}`)
    await survives(app, 'PATCH', '/api/v1/books/1', `{${JSON.stringify(text)}:{"a":1}}`)
    await survives(app, 'POST', '/api/v1/books', `{"title":"x","details":{${JSON.stringify(text)}:1}}`)
  }
})

test('bodies of any shape', async () => {
  const bodies = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc
      .dictionary(
        fc.constantFrom(
          'title',
          'pages',
          'price',
          'words',
          'details',
          'shelf_id',
          'tag_ids',
          'kind',
          'seen_at',
          '__proto__',
          'x',
        ),
        fc.jsonValue({ maxDepth: 3 }),
      )
      .map((body) => JSON.stringify(body)),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.constantFrom('POST /books', 'PATCH /books/1', 'POST /books/1/reviews', 'POST /loans', 'POST /notes'),
      async (body, where) => {
        const [method = '', path = ''] = where.split(' ')
        await survives(app, method, `/api/v1${path}`, body)
      },
    ),
    { numRuns: 150, seed: 2 },
  )
})

for (const [name, body, status] of [
  ['nested deeper than allowed', `{"details":${'['.repeat(40)}${']'.repeat(40)}}`, 400],
  ['nested beyond any stack', `{"details":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400],
  ['more than a megabyte', JSON.stringify({ title: 'x'.repeat(1_100_000) }), 413],
  ['a NUL in a key of a json field', '{"title":"x","details":{"a\\u0000":1}}', 422],
  ['half a surrogate in a json field', '{"title":"x","details":["\\ud800"]}', 422],
  ['half a surrogate in a list', '{"title":"x","words":["\\udc00"]}', 422],
  ['a prototype deep inside', '{"title":"x","details":{"a":{"__proto__":{"admin":true}}}}', 422],
] as const) {
  test(`a body with ${name} is ${status}`, async () => {
    const answer = await app.call('POST', '/api/v1/books', { token: STAFF, body })
    assert.is(answer.status, status, answer.text.slice(0, 500))
  })
}

test('bodies that are no JSON are refused before anything else of them is looked at', async () => {
  for (const [type, status] of [
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
    ['multipart/form-data', 415],
  ] as const) {
    const answer = await app.call('POST', '/api/v1/books', {
      token: STAFF,
      body: 'title=x',
      headers: { 'content-type': type },
    })
    assert.is(answer.status, status)
  }
})

test('an Idempotency-Key or If-Match of any text', async () => {
  for (const text of TEXTS.filter((word) => /^[\x20-\x7e]+$/.test(word))) {
    const headers = { 'idempotency-key': text, 'if-match': text, 'if-none-match': text }
    for (const [method, path] of [
      ['POST', '/api/v1/tags'],
      ['PATCH', '/api/v1/books/1'],
      ['GET', '/api/v1/books/1'],
    ] as const) {
      const answer = await app.call(method, path, {
        token: STAFF,
        headers,
        ...(method === 'GET' ? {} : { body: { name: 'x' } }),
      })
      assert.ok(answer.status < 500, `${method} ${text}: ${answer.text}`)
    }
  }
})

test.run()
