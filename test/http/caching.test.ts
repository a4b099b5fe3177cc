/** Entity tags, CORS and compression: what clients and browsers negotiate. */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { matchesTag } from '../../engine/http/send.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

/** Text that does not compress to nothing. */
const LONG = Array.from({ length: 200 }, (_, i) => createHash('sha256').update(String(i)).digest('hex')).join(' ')

const ROUTES = [
  route({ method: 'GET', path: '/thing', handle: async () => ({ data: 1, etag: 'abc' }) }),
  route({ method: 'POST', path: '/thing', handle: async () => ({ data: 1, etag: 'abc' }) }),
  route({ method: 'GET', path: '/long', handle: async () => ({ data: LONG }) }),
]

const test = suite<{ world: World; cors: World }>('http: negotiation')
test.before(async (context) => {
  context.world = await serve(ROUTES)
  context.cors = await serve(ROUTES, { settings: { corsOrigins: ['https://desk.example', 'https://other.example'] } })
})
test.after(async ({ world, cors }) => {
  await world.close()
  await cors.close()
})

test('a tag is sent, and a request that knows it gets 304 without a body', async ({ world }) => {
  const first = await world.ask('GET /api/v1/thing', { headers: AS_AGENT })
  assert.is(first.headers.etag, '"abc"')
  const again = await world.ask('GET /api/v1/thing', { headers: { ...AS_AGENT, 'If-None-Match': '"abc"' } })
  assert.is(again.status, 304)
  assert.is(again.bytes.length, 0)
  assert.is(again.headers.etag, '"abc"')
  assert.is(again.headers['content-type'], undefined)
  assert.is(again.headers['cache-control'], 'private, no-cache')
})

test('304 is for GET and HEAD alone', async ({ world }) => {
  const headers = { ...AS_AGENT, 'If-None-Match': '"abc"' }
  assert.is((await world.ask('HEAD /api/v1/thing', { headers })).status, 304)
  assert.is((await world.ask('POST /api/v1/thing', { headers, json: {} })).status, 200)
})

for (const [header, matches] of [
  ['"abc"', true],
  ['W/"abc"', true],
  ['"x", W/"abc"', true],
  ['"a,b" , "abc"', true],
  ['*', true],
  ['"abcd"', false],
  ['abc', false],
  ['', false],
] as const) {
  test(`If-None-Match ${header || '(empty)'} ${matches ? 'matches' : 'does not match'}`, () => {
    assert.is(matchesTag(header, '"abc"'), matches)
  })
}

test('a long answer is compressed for those who ask, and only for them', async ({ world }) => {
  const plain = await world.ask('GET /api/v1/long', { headers: AS_AGENT })
  assert.is(plain.headers['content-encoding'], undefined)
  const packed = await world.ask('GET /api/v1/long', { headers: { ...AS_AGENT, 'Accept-Encoding': 'gzip' } })
  assert.is(packed.headers['content-encoding'], 'gzip')
  assert.is(JSON.parse(gunzipSync(packed.bytes).toString()).data, LONG)
  assert.ok(packed.bytes.length < plain.bytes.length)
  const short = await world.ask('GET /api/v1/thing', { headers: { ...AS_AGENT, 'Accept-Encoding': 'gzip' } })
  assert.is(short.headers['content-encoding'], undefined)
  assert.match(String(plain.headers.vary), /Accept-Encoding/)
})

const PREFLIGHT = { Origin: 'https://desk.example', 'Access-Control-Request-Method': 'POST' }

test('a preflight of an allowed origin is 204 with what may be sent', async ({ cors }) => {
  const { status, headers, bytes } = await cors.ask('OPTIONS /api/v1/thing', { headers: PREFLIGHT })
  assert.is(status, 204)
  assert.is(bytes.length, 0)
  assert.is(headers['access-control-allow-origin'], 'https://desk.example')
  assert.is(headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS, POST')
  assert.match(String(headers['access-control-allow-headers']), /Authorization.*Idempotency-Key/)
  assert.ok(Number(headers['access-control-max-age']) > 0)
})

test('every answer to an allowed origin may be read, refusals and limits too', async ({ cors }) => {
  for (const path of ['thing', 'nothing']) {
    const { headers } = await cors.ask(`GET /api/v1/${path}`, { headers: { Origin: 'https://other.example' } })
    assert.is(headers['access-control-allow-origin'], 'https://other.example')
    for (const name of ['X-RateLimit-Remaining', 'Retry-After', 'X-Request-Id', 'ETag', 'Idempotency-Replayed']) {
      assert.ok(headers['access-control-expose-headers']?.includes(name), name)
    }
    assert.match(String(headers.vary), /Origin/)
  }
})

test('another origin is told nothing', async ({ cors, world }) => {
  for (const at of [cors, world]) {
    const { headers } = await at.ask('OPTIONS /api/v1/thing', {
      headers: { ...PREFLIGHT, Origin: 'https://evil.example' },
    })
    assert.is(headers['access-control-allow-origin'], undefined)
  }
})

test('OPTIONS without CORS is 204 with the methods; of an unknown path 404', async ({ world }) => {
  const { status, headers } = await world.ask('OPTIONS /api/v1/thing')
  assert.is(status, 204)
  assert.is(headers.allow, 'GET, HEAD, OPTIONS, POST')
  assert.is((await world.ask('OPTIONS /api/v1/nothing')).status, 404)
})

test.run()
