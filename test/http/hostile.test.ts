/** What attackers and broken clients send: each gets an envelope or a closed connection, and the next request works. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

const test = suite<{ world: World }>('http: hostile input')
test.before(async (context) => {
  context.world = await serve([
    route({ method: 'GET', path: '/things/{id}', handle: async ({ params }) => ({ data: params }), access: 'public' }),
    route({
      method: 'GET',
      path: '/slow',
      access: 'public',
      handle: async () => {
        // What follows on the connection is there before the answer.
        await sleep(100)
        return { data: 'slow' }
      },
    }),
    route({ method: 'POST', path: '/things', handle: async ({ body }) => ({ data: body }) }),
  ])
})
test.after.each(async ({ world }) => {
  assert.is((await world.ask('GET /livez')).status, 200, 'the server lives')
})
test.after(async ({ world }) => {
  await world.close()
})

for (const path of [
  '/things/%00',
  '/things/a%00b',
  '/things/%',
  '/things/%zz',
  '/things/%ff',
  '/things/',
  '/things/1/',
  '/Things/1',
  '//things/1',
  '/things//1',
  '/things/1;x/y',
  '',
]) {
  test(`the path ${path || '(none)'} is 404`, async ({ world }) => {
    const { status, json } = await world.ask(`GET /api/v1${path}`)
    assert.is(status, 404)
    assert.is(json.message, 'Route not found')
  })
}

test('dots in a path are no way up', async ({ world }) => {
  assert.match(
    await world.raw('GET /api/v1/things/../../../livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 404 /,
  )
})

test('an escaped literal is the same path', async ({ world }) => {
  assert.equal((await world.ask('GET /api/v1/%74hings/1')).json.data, { id: '1' })
})

test('names of Object’s own are no routes, parameters or fields', async ({ world }) => {
  for (const path of ['/constructor', '/__proto__', '/things/__proto__/constructor']) {
    assert.is((await world.ask(`GET /api/v1${path}`)).status, 404)
  }
  assert.equal((await world.ask('GET /api/v1/things/__proto__')).json.data, { id: '__proto__' })
})

/** A parser error's answer: status line, headers, envelope, end of connection. */
function check(answer: string, status: number): void {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
  assert.match(answer, /Content-Type: application\/json/i)
  assert.match(answer, /X-Request-Id: /i)
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
  assert.is(body.success, false)
  assert.is(typeof body.message, 'string')
  assert.is(body.meta.version, 'v1')
}

const BROKEN: readonly (readonly [string, string, number])[] = [
  ['garbage', 'ABC\r\n\r\n', 400],
  ['a protocol that is not HTTP', 'GET / HTTQ/1.1\r\n\r\n', 400],
  ['a header without a colon', 'GET /livez HTTP/1.1\r\nHost x\r\n\r\n', 400],
  ['headers of 20 KB', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [
    'both lengths',
    'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['a length that is no number', 'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
  [
    'a chunk that is no number',
    'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    400,
  ],
]
for (const [name, text, status] of BROKEN) {
  test(`${name} gets an envelope`, async ({ world }) => {
    check(await world.raw(text), status)
  })
}

test('garbage behind a request does not overtake its answer', async ({ world }) => {
  const answer = await world.raw('GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\n\u0001\u0002garbage\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 200 /)
  const second = answer.indexOf('HTTP/1.1 400')
  assert.ok(second > answer.indexOf('"slow"'), answer)
})

test('pipelined requests are answered in order', async ({ world }) => {
  const answer = await world.raw(
    'GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/things/2 HTTP/1.1\r\nHost: x\r\n\r\n',
  )
  assert.ok(answer.indexOf('"slow"') < answer.indexOf('"id":"2"') && answer.includes('"slow"'))
})

const port = fc.constantFrom('', ':', ':80', ':65535')
const named = fc.constantFrom(
  'localhost',
  '127.0.0.1',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[v1.a:b]',
  'b%C3%BCro.example',
  'a_b',
)
const host = fc.tuple(fc.oneof(named, fc.domain()), port).map((parts) => parts.join(''))
const noHost = fc.constantFrom(
  'a b',
  'a/b',
  'user@a',
  'a:b',
  '[::1',
  '::1',
  'a%zz',
  'a:1:2',
  'http://a',
  '"a"',
  'a\tb',
  'b\u00fcr',
)
/** What stands in the headers, and whether a request of HTTP/1.1 with it says which host it is for. */
const hosts = fc.oneof(
  host.map((one) => ({ given: [one], right: true })),
  fc.constant({ given: [''], right: true }),
  noHost.map((one) => ({ given: [one], right: false })),
  fc.array(host, { minLength: 2, maxLength: 3 }).map((given) => ({ given, right: false })),
  host.map((one) => ({ given: [one, one], right: false })),
  fc.constant({ given: [], right: false }),
)

test('a request has one Host that can be one, or is 400 with the envelope; HTTP/1.0 needs none', async ({ world }) => {
  const header = fc.constantFrom('Host', 'host', 'HOST')
  await fc.assert(
    fc.asyncProperty(hosts, fc.constantFrom('1.0', '1.1'), header, async ({ given, right }, version, name) => {
      const lines = given.map((one) => `${name}: ${one}\r\n`).join('')
      const answer = await world.raw(`GET /api/v1/things/1 HTTP/${version}\r\n${lines}Connection: close\r\n\r\n`)
      const served = right || (given.length === 0 && version === '1.0')
      assert.match(answer, served ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 400 /, `${version} ${lines}`)
      assert.match(answer, served ? /"success":true/ : /"code":"bad_request"/, `${version} ${lines}`)
    }),
    { numRuns: 100 },
  )
})

test('a strange expectation gets an envelope', async ({ world }) => {
  assert.match(
    await world.raw('GET /api/v1/things/1 HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n'),
    /"success":true/,
  )
})

test('an absolute address is its path', async ({ world }) => {
  assert.match(
    await world.raw('GET http://anything/api/v1/things/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /"id":"1"/,
  )
})

test('methods that no route has are 405, and CONNECT is not served', async ({ world }) => {
  for (const method of ['TRACE', 'PROPFIND', 'PUT']) {
    assert.match(
      await world.raw(`${method} /api/v1/things/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 405 /,
      method,
    )
  }
  assert.not.match(await world.raw('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'), /200/)
})

test('a client that goes away in the middle of its body leaves no error in the log', async ({ world }) => {
  world.lines.length = 0
  const socket = connect(world.port, '127.0.0.1')
  socket.write(
    'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
  )
  await until(() => world.inFlight() === 1)
  socket.destroy()
  await until(() => world.inFlight() === 0)
  assert.equal(
    world.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('a body that comes slowly is read to its end', async ({ world }) => {
  const socket = connect(world.port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  socket.write(
    'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n',
  )
  for (const part of ['{"', 'a":', '1}']) {
    // Each part comes alone.
    await sleep(20)
    socket.write(part)
  }
  await new Promise((done) => socket.once('close', done))
  assert.match(received, /"data":\{"a":1\}/)
})

test('a request that never ends is 408', async ({ world }) => {
  world.server.headersTimeout = 200
  const answer = await world.raw('GET /livez HTTP/1.1\r\nHost: x\r\n', 3_000)
  world.server.headersTimeout = 10_000
  check(answer, 408)
})

test('a refused body does not end the connection of a client that keeps it', async ({ world }) => {
  const body = 'x'.repeat(2_000_000)
  const { status } = await world.ask('POST /api/v1/things', {
    headers: { ...AS_AGENT, 'Content-Type': 'application/json' },
    body,
  })
  assert.is(status, 413)
})

test.run()
