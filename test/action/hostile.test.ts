/** Hostile names, operators, values and bodies on every route: a refusal or an answer, never a 5xx, and nothing harmed. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BoundRoute } from '../../engine/http/parts.ts'
import { ANN, type Library, library, STAFF } from './library.ts'

const test = suite('hostile input')
let app: Library
let before = ''

const TABLES = ['books', 'shelves', 'members', 'reviews', 'tags', 'loans', 'notes', 'events']

/** What the tables are: their columns, and the seeded rows that nothing here may touch. */
async function state(): Promise<string> {
  const { adhoc } = app.engine.database
  const columns = await adhoc.run(
    {
      text: "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
    },
    [],
  )
  const members = await adhoc.run({ text: "select id, name, email from members where name = 'Ann' order by id" }, [])
  return JSON.stringify([columns, members])
}

test.before(async () => {
  app = await library()
  for (const title of ['one', 'two']) {
    const book = await app.expect(201, 'POST', '/books', STAFF, { title, owner_id: 1 })
    await app.expect(201, 'POST', `/books/${book.id}/reviews`, STAFF, { text: 'fine' })
  }
  before = await state()
})
test.after(() => app.close())
test.after.each(async () => {
  assert.is(await state(), before, 'the tables are what they were')
})

const TEXTS = [
  "'",
  '"',
  '\\',
  "\\'",
  '`',
  ';',
  '--',
  '/*',
  '$1',
  '$$',
  '?',
  ':x',
  '%',
  '_',
  '{}',
  '{1,2}',
  '[]',
  'null',
  'NaN',
  'Infinity',
  '-0',
  "' or '1'='1",
  "'; drop table books; --",
  '1) or (1=1',
  '1; select pg_sleep(5)',
  'id) desc nulls first; --',
  't.id',
  'deleted_at',
  'password',
  'pin',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '\r\nX-Injected: 1',
  '\u202e',
  '\ufeff',
  '\uffff',
  '🙂'.repeat(20),
  'x'.repeat(3000),
  ','.repeat(300),
  '['.repeat(100),
  '9'.repeat(500),
  '1e309',
  '0x10',
  '2026-02-30',
  '+275760-09-13T00:00:00Z',
  '0000-00-00',
] as const

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

async function survives(method: string, path: string, body?: unknown, token = STAFF): Promise<void> {
  const answer = await app.call(method, path, { token, ...(body === undefined ? {} : { body }) })
  assert.ok(
    answer.status < 500,
    `${method} ${path.slice(0, 300)} ${JSON.stringify(body)?.slice(0, 300)}: ${answer.text}`,
  )
  assert.not.match(answer.text, /syntax error|SQLSTATE|column .* does not exist|at \S+\.ts/)
  assert.not.ok('x-injected' in answer.headers)
}

test('as values of every parameter of a list', async () => {
  for (const text of TEXTS) {
    const value = encodeURIComponent(text)
    await Promise.all(
      [...KEYS, ...PARAMETERS].map((name) => survives('GET', `/api/v1/books?per_page=1&${name}=${value}`)),
    )
  }
})

test('as names and operators of parameters', async () => {
  for (const text of TEXTS) {
    const name = encodeURIComponent(text)
    await survives('GET', `/api/v1/books?${name}=1`)
    await survives('GET', `/api/v1/books?title[${name}]=1`)
    await survives('GET', `/api/v1/books?${name}[eq]=1`)
    await survives('GET', `/api/v1/books?sort=-${name}&order=${name}`)
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
      await survives('GET', `/api/v1/books?${key}[${encodeURIComponent(operator)}]=${encodeURIComponent(text)}`)
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
      await survives('POST', `/api/v1/${resource.path}`, Object.fromEntries(names.map((name) => [name, value])))
      for (const name of ['title', 'name', 'shelf_id', 'tag_ids', 'details', 'words'].filter((one) =>
        names.includes(one),
      ))
        await survives('PATCH', `/api/v1/${resource.path}/2`, { [name]: value }, name === 'title' ? ANN : STAFF)
    }
  }
})

test('as keys of bodies', async () => {
  for (const text of TEXTS) {
    await survives('POST', '/api/v1/books', `{"title":"x",${JSON.stringify(text)}:1}`)
    await survives('PATCH', '/api/v1/books/1', `{${JSON.stringify(text)}:{"a":1}}`)
    await survives('POST', '/api/v1/books', `{"title":"x","details":{${JSON.stringify(text)}:1}}`)
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
        await survives(method, `/api/v1${path}`, body)
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
