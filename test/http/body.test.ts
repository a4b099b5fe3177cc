/** What may come in as a body, how it is read, and what is refused. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Field } from '../../engine/catalog/catalog.ts'
import { FIELD_TYPES } from '../../engine/field/index.ts'
import { resolveFields } from '../../engine/resolve/fields.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

/** A resolved text field, as the composer makes them. */
function textField(name: string, required = false): Field {
  const decode = (value: unknown) => (typeof value === 'string' ? { value } : { error: 'must be a text' })
  return Object.assign(Object.create(null), {
    name,
    required,
    nullable: !required,
    readOnly: false,
    options: { name, required, nullable: !required, own: {} },
    type: {
      name: 'string',
      decode,
      parse: (text: string) => (text === 'bad' ? { error: 'must be good' } : { value: text }),
    },
  })
}

const test = suite<{ world: World }>('http: bodies')
test.before(async (context) => {
  context.world = await serve([
    route({ method: 'POST', path: '/echo', handle: async ({ body }) => ({ data: body }) }),
    route({
      method: 'POST',
      path: '/form',
      handle: async ({ body }) => ({ data: body }),
      inputFields: [textField('name', true)],
    }),
    route({
      method: 'PATCH',
      path: '/form',
      handle: async ({ body }) => ({ data: body }),
      inputFields: [textField('name', true)],
    }),
    route({
      method: 'GET',
      path: '/list',
      handle: async ({ parameters }) => ({ data: parameters }),
      queryFields: [textField('search'), textField('page')],
    }),
    route({
      method: 'GET',
      path: '/chosen',
      handle: async ({ parameters }) => ({ data: parameters }),
      queryFields: resolveFields(
        { levels: { type: 'list', of: 'integer', max_items: 3 } },
        new Map(FIELD_TYPES.map((type) => [type.name, type])),
      ).value,
    }),
    route({
      method: 'GET',
      path: '/bounded',
      handle: async ({ parameters }) => ({ data: parameters }),
      queryFields: resolveFields(
        { word: { type: 'string', max: 3 }, count: { type: 'integer', min: 2, max: 9 } },
        new Map(FIELD_TYPES.map((type) => [type.name, type])),
      ).value,
    }),
    route({
      method: 'GET',
      path: '/plain',
      handle: async ({ query }) => ({ data: [...query] }),
      queryFields: undefined,
    }),
    route({
      method: 'POST',
      path: '/raw',
      body: 'raw',
      upload: { bytes: 1_000 },
      handle: async ({ body, raw }) => ({ data: { body, type: raw?.type, hex: raw?.bytes.toString('hex') } }),
    }),
    route({
      method: 'POST',
      path: '/free-form',
      body: 'form',
      handle: async ({ body, raw }) => ({ data: [body, raw] }),
    }),
    route({
      method: 'POST',
      path: '/typed-form',
      body: 'form',
      handle: async ({ body }) => ({ data: body }),
      inputFields: resolveFields(
        {
          name: { type: 'string', required: true, max: 20 },
          count: { type: 'integer', min: 2 },
          sure: { type: 'boolean' },
          words: { type: 'list', of: 'string' },
        },
        new Map(FIELD_TYPES.map((type) => [type.name, type])),
      ).value,
    }),
    route({ method: 'DELETE', path: '/things/{id}', handle: async () => ({ status: 204 }) }),
  ])
})
test.after(async ({ world }) => {
  await world.close()
})

const JSON_TYPE = { ...AS_AGENT, 'Content-Type': 'application/json' }
const post = (world: World, body: string | Buffer, headers: Record<string, string> = {}) =>
  world.ask('POST /api/v1/echo', { headers: { ...JSON_TYPE, ...headers }, body })

for (const type of [
  'application/json',
  'Application/JSON; charset=UTF-8',
  'application/vnd.api+json',
  'application/json;charset="utf-8"',
]) {
  test(`takes ${type}`, async ({ world }) => {
    assert.equal((await post(world, '{"a":[1,{"b":"ü€😀"}]}', { 'Content-Type': type })).json.data, {
      a: [1, { b: 'ü€😀' }],
    })
  })
}

for (const type of [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/xml',
  'json',
  '',
]) {
  test(`refuses ${type === '' ? 'a body without a type' : type} with 415`, async ({ world }) => {
    assert.is((await post(world, '{"a":1}', { 'Content-Type': type })).status, 415)
  })
}

const FORM = { ...AS_AGENT, 'Content-Type': 'application/x-www-form-urlencoded' }
const submit = (world: World, path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  world.ask(`POST /api/v1${path}`, { headers: { ...FORM, ...headers }, body })

test('a form is names and texts, and a name given more than once has a list', async ({ world }) => {
  const { json } = await submit(world, '/free-form', 'a=1&b=%C3%BC+%E2%82%AC&a=2&c&__proto__x=%26%3D')
  assert.equal(json.data, [{ a: ['1', '2'], b: 'ü €', c: '', __proto__x: '&=' }, null])
  const none = await world.ask('POST /api/v1/free-form', { headers: AS_AGENT })
  assert.equal(none.json.data, [{}, null])
})

test('whatever a form names comes to the handler as it was named', async ({ world }) => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => text !== '__proto__' && !/[\0\ud800-\udfff]/u.test(text))
  const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\ud800-\udfff]/u.test(text))
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 6 }),
      async (pairs) => {
        const { json, status } = await submit(world, '/free-form', new URLSearchParams(pairs).toString())
        assert.is(status, 200)
        assert.equal(json.data, [Object.fromEntries(pairs), null])
      },
    ),
    { numRuns: 60 },
  )
})

test('a form is decoded by the fields of its route', async ({ world }) => {
  const { json } = await submit(world, '/typed-form', 'name=+Ann+&count=7&sure=true&words=one')
  assert.equal(json.data, { name: 'Ann', count: 7, sure: true, words: ['one'] })
  const many = await submit(world, '/typed-form', 'name=Ann&words=one&words=two')
  assert.equal(many.json.data, { name: 'Ann', words: ['one', 'two'] })
  const wrong = await submit(world, '/typed-form', 'nmae=x&count=1&name=a&name=b')
  assert.is(wrong.status, 422)
  assert.equal(Object.keys(wrong.json.errors ?? {}).sort(), ['count', 'name', 'nmae'])
  const own = await submit(world, '/typed-form', 'name=Ann&__proto__=1&constructor=2')
  assert.equal([own.status, Object.keys(own.json.errors ?? {})], [422, ['__proto__']])
})

for (const body of ['a=%FF', 'a=%', Buffer.from([0x61, 0x3d, 0xff])]) {
  test(`refuses the form ${JSON.stringify(body)} with 400`, async ({ world }) => {
    const { json, status } = await submit(world, '/free-form', body)
    assert.equal([status, json.message], [400, 'Malformed form body'])
  })
}

test('a form with NUL is 422, too long 413, and another type 415', async ({ world }) => {
  assert.is((await submit(world, '/free-form', 'a=%00')).status, 422)
  assert.is((await submit(world, '/free-form', `a=${'x'.repeat(1_048_576)}`)).status, 413)
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded; charset=latin1', ''])
    assert.is((await submit(world, '/free-form', 'a=1', { 'Content-Type': type })).status, 415, type)
})

test('a raw body comes as its bytes, with its type', async ({ world }) => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  for (const type of [
    'application/jwt',
    'application/json; charset=utf-8',
    'image/png',
    'multipart/form-data; boundary=x',
    FORM['Content-Type'],
  ]) {
    const { json } = await submit(world, '/raw', bytes, { 'Content-Type': type })
    assert.equal(json.data, { body: {}, type, hex: bytes.toString('hex') })
  }
  const packed = await submit(world, '/raw', gzipSync(bytes), { 'Content-Encoding': 'gzip' })
  assert.equal(Object(packed.json.data).hex, bytes.toString('hex'))
  const none = await world.ask('POST /api/v1/raw', { headers: AS_AGENT })
  assert.equal(none.json.data, { body: {}, type: '', hex: '' })
})

test('a raw body is bounded by its route, also after decompression, and needs a type that can be read', async ({
  world,
}) => {
  assert.is((await submit(world, '/raw', Buffer.alloc(1_000))).status, 200)
  assert.is((await submit(world, '/raw', Buffer.alloc(1_001))).status, 413)
  assert.is((await submit(world, '/raw', gzipSync(Buffer.alloc(2_000)), { 'Content-Encoding': 'gzip' })).status, 413)
  for (const type of ['json', '', `a/${'b'.repeat(400)}`])
    assert.is((await submit(world, '/raw', 'x', { 'Content-Type': type })).status, 415, type)
})

const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
for (const [name, body] of [
  ['half an object', '{"a":1'],
  ['nothing but spaces', '  '],
  ['single quotes', "{'a':1}"],
  ['33 levels', deep(33)],
  ['arrays 100,000 deep', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
] as const) {
  test(`refuses ${name} with 400`, async ({ world }) => {
    const { status, json } = await post(world, body)
    assert.is(status, 400)
    assert.is(json.message, 'Malformed JSON request body')
  })
}

for (const body of ['[1]', '"a"', 'null', '7']) {
  test(`refuses ${body} with 400, and says that it is no object`, async ({ world }) => {
    const { status, json } = await post(world, body)
    assert.is(status, 400)
    assert.is(json.message, 'The body must be a JSON object')
    assert.is(json.code, 'malformed_body')
  })
}

test('takes 32 levels', async ({ world }) => {
  assert.is((await post(world, deep(32))).status, 200)
})

test('malformed JSON is 422 where the app says so', async () => {
  const world = await serve([route({ method: 'POST', path: '/echo', handle: async () => ({}) })], {
    strictness: { malformedJson: 422 },
  })
  assert.is((await post(world, '{')).status, 422)
  await world.close()
})

test('takes exactly a megabyte and refuses a byte more', async ({ world }) => {
  const body = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  assert.is((await post(world, body(1_048_576))).status, 200)
  assert.is((await post(world, body(1_048_577))).status, 413)
})

test('refuses a chunked body over the limit with 413, although no length was declared', async ({ world }) => {
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  const head =
    'POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const answer = await world.raw([
    head,
    ...Array<string>(20).fill(chunk),
    '0\r\n\r\n',
    'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
  ])
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.match(answer, /"message":"Payload too large"/)
  assert.match(answer, /alive/, 'the connection goes on')
})

test('reads gzip, and refuses what is broken or grows too large', async ({ world }) => {
  const gzip = { 'Content-Encoding': 'gzip' }
  const packed = gzipSync('{"a":1}')
  assert.equal((await post(world, packed, gzip)).json.data, { a: 1 })
  assert.is((await post(world, packed.subarray(0, 12), gzip)).status, 400)
  assert.is((await post(world, 'not gzip at all', gzip)).status, 400)
  assert.is((await post(world, gzipSync(Buffer.alloc(50_000_000, 0x20)), gzip)).status, 413)
  assert.is((await post(world, '{}', { 'Content-Encoding': 'rot13' })).status, 415)
})

test('refuses NUL and lone surrogates by their path', async ({ world }) => {
  const { status, json } = await post(world, '{"a":"x\\u0000","tags":["ok","\\ud800"],"fine":"\\ud83d\\ude00"}')
  assert.is(status, 422)
  assert.equal(Object.keys(json.errors ?? {}), ['a', 'tags.1'])
})

test('refuses __proto__ as an unknown key, at any depth', async ({ world }) => {
  const { status, text } = await post(world, '{"__proto__":{"admin":true},"a":{"__proto__":1}}')
  assert.is(status, 422)
  assert.match(text, /"errors":\{"__proto__":\[.*"a\.__proto__":\[/)
})

test('of a key given twice the last counts', async ({ world }) => {
  assert.equal((await post(world, '{"a":1,"a":2}')).json.data, { a: 2 })
})

test('decodes by the route’s input: unknown keys, missing and wrong values are 422', async ({ world }) => {
  const ask = (json: unknown) => world.ask('POST /api/v1/form', { headers: AS_AGENT, json })
  assert.equal((await ask({ name: ' Ann ' })).json.data, { name: 'Ann' })
  assert.equal(Object.keys((await ask({ nam: 'Ann' })).json.errors ?? {}).sort(), ['nam', 'name'])
  assert.equal(Object.keys((await ask({ name: 4 })).json.errors ?? {}), ['name'])
})

test('PATCH may leave out what POST requires', async ({ world }) => {
  assert.is((await world.ask('PATCH /api/v1/form', { headers: AS_AGENT, json: {} })).status, 200)
})

test('a body on a route that takes none is left alone', async ({ world }) => {
  assert.is((await world.ask('DELETE /api/v1/things/1', { headers: AS_AGENT, json: { a: 1 } })).status, 204)
})

test('decodes the declared parameters; an empty one counts as absent', async ({ world }) => {
  assert.equal((await world.ask('GET /api/v1/list?search=a%20b&page=', { headers: AS_AGENT })).json.data, {
    search: 'a b',
  })
})

test('a list takes its items with commas, repeated, or both', async ({ world }) => {
  const ask = async (query: string) => (await world.ask(`GET /api/v1/chosen?${query}`, { headers: AS_AGENT })).json
  for (const query of ['levels=1,2,3', 'levels=1&levels=2&levels=3', 'levels=1,2&levels=&levels=3'])
    assert.equal((await ask(query)).data, { levels: [1, 2, 3] })
  assert.equal((await ask('levels=')).data, {})
  assert.equal(Object.keys((await ask('levels=1&levels=x')).errors ?? {}), ['levels'])
  assert.equal(Object.keys((await ask('levels=1,2,3&levels=4')).errors ?? {}), ['levels'])
})

test('a parameter keeps to the bounds of its field', async ({ world }) => {
  const ask = async (query: string) => (await world.ask(`GET /api/v1/bounded?${query}`, { headers: AS_AGENT })).json
  assert.equal((await ask('word=abc&count=9')).data, { word: 'abc', count: 9 })
  assert.equal((await ask('word=abcd&count=1')).errors, {
    word: ['The word must be at most 3 characters'],
    count: ['The count must be between 2 and 9'],
  })
})

for (const [query, key] of [
  ['serch=a', 'serch'],
  ['search=bad', 'search'],
  ['search=a&search=b', 'search'],
  ['search=%00', 'search'],
] as const) {
  test(`the query ${query} is 422`, async ({ world }) => {
    const { status, json } = await world.ask(`GET /api/v1/list?${query}`, { headers: AS_AGENT })
    assert.is(status, 422)
    assert.equal(Object.keys(json.errors ?? {}), [key])
  })
}

test('an unknown parameter is told the nearest known one', async ({ world }) => {
  const { json } = await world.ask('GET /api/v1/list?serch=a', { headers: AS_AGENT })
  assert.equal(json.errors, { serch: ['Unknown parameter "serch"; did you mean "search"?'] })
})

test('a query that is broken or endless is 400', async ({ world }) => {
  for (const query of ['a=%zz', 'a=%ff', `a=${'x'.repeat(8_200)}`]) {
    assert.is((await world.ask(`GET /api/v1/plain?${query}`, { headers: AS_AGENT })).status, 400, query.slice(0, 9))
  }
})

test('a body full of what is wrong is refused at once, and the answer stays small', async ({ world }) => {
  const bodies = [
    { ['k'.repeat(20_000)]: Array<string>(2_000).fill('\0') },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key ${at}`, 1])),
    { ['k'.repeat(500_000)]: 1 },
  ]
  for (const body of bodies) {
    const { status, text } = await world.ask('POST /api/v1/form', { headers: JSON_TYPE, body: JSON.stringify(body) })
    assert.is(status, 422)
    assert.ok(text.length < 50_000, `${text.length} characters`)
  }
})

test.run()
