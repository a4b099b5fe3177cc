/** Every answer has the same shape, whatever it says. */
import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError, invalid } from '../../engine/error.ts'
import type { Reply, RouteContext } from '../../engine/http/route.ts'
import { JsonText } from '../../engine/json.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

const replies: Record<string, (context: RouteContext) => Promise<Reply>> = {
  value: async () => ({ data: { a: 1 } }),
  text: async () => ({
    data: new JsonText('[{"id":1}]'),
    meta: { pagination: new JsonText('{"total":1}'), unread_count: 2 },
  }),
  message: async () => ({ message: 'Done "so"' }),
  created: async () => ({ status: 201, data: {}, headers: { Location: '/x' } }),
  none: async () => ({ status: 204 }),
  csv: async () => ({
    raw: { type: 'text/csv; charset=utf-8', body: 'a,b\n' },
    headers: { 'Content-Disposition': 'attachment' },
  }),
  stream: async () => ({ raw: { type: 'text/plain', body: Readable.from(['one ', 'two']) } }),
  options: async ({ options }) => ({ data: options }),
  invalid: async () => {
    throw invalid({ subject: ['The subject field is required'] })
  },
  conflict: async () => {
    throw new ApiError('conflict', { message: 'The ticket is closed' })
  },
  lost: async () => {
    throw new Error('select * from "users" where "email" = $1 - Connection terminated unexpectedly')
  },
  full: async () => {
    throw Object.assign(new Error('insert into "users" - could not extend file: No space left'), { code: '53100' })
  },
  unavailable: async () => {
    throw new ApiError('unavailable', { cause: new Error('connect ECONNREFUSED secret-host') })
  },
  crash: async () => {
    throw new Error('select password from users')
  },
  string: async () => {
    throw 'a string'
  },
  header: async () => ({ data: 1, headers: { 'X-Bad': 'line\nbreak' } }),
  params: async ({ params, ip, requestId, actor }) => ({ data: { params, ip, requestId, actor: actor.id } }),
}

const test = suite<{ world: World }>('http: envelope')
test.before(async (context) => {
  const routes = Object.entries(replies).map(([name, handle]) =>
    route({ method: 'GET', path: `/${name}`, handle, access: 'public', options: { colour: 'red' } }),
  )
  context.world = await serve([
    ...routes,
    route({ method: 'GET', path: '/params/{id}/of/{kind}', handle: replies.params!, access: 'public' }),
  ])
})
test.after(async ({ world }) => {
  await world.close()
})

test('a success has data, and meta with a timestamp of six digits and the version', async ({ world }) => {
  const { status, json, headers } = await world.ask('GET /api/v1/value')
  assert.is(status, 200)
  assert.equal(Object.keys(json), ['success', 'data', 'meta'])
  assert.equal(json.data, { a: 1 })
  assert.is(json.meta?.version, 'v1')
  assert.match(String(json.meta?.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.is(headers['content-type'], 'application/json; charset=utf-8')
})

test('JSON that is made already goes out as it is', async ({ world }) => {
  const { text, json } = await world.ask('GET /api/v1/text')
  assert.ok(text.startsWith('{"success":true,"data":[{"id":1}],"meta":{"timestamp":'))
  assert.equal(json.meta?.pagination, { total: 1 })
  assert.is(json.meta?.unread_count, 2)
})

test('a message alone has data null', async ({ world }) => {
  const { json } = await world.ask('GET /api/v1/message')
  assert.is(json.data, null)
  assert.is(json.message, 'Done "so"')
})

test('status and headers are the handler’s', async ({ world }) => {
  const { status, headers } = await world.ask('GET /api/v1/created')
  assert.is(status, 201)
  assert.is(headers.location, '/x')
})

test('204 has no byte of body', async ({ world }) => {
  const { status, bytes, headers } = await world.ask('GET /api/v1/none')
  assert.is(status, 204)
  assert.is(bytes.length, 0)
  assert.is(headers['content-type'], undefined)
})

test('a body of another type is no envelope', async ({ world }) => {
  const csv = await world.ask('GET /api/v1/csv')
  assert.is(csv.text, 'a,b\n')
  assert.is(csv.headers['content-type'], 'text/csv; charset=utf-8')
  assert.is((await world.ask('GET /api/v1/stream')).text, 'one two')
})

test('the options are those of the plugin that gave the route', async ({ world }) => {
  assert.equal((await world.ask('GET /api/v1/options')).json.data, { colour: 'red' })
})

test('422 has errors by field', async ({ world }) => {
  const { status, json } = await world.ask('GET /api/v1/invalid')
  assert.is(status, 422)
  assert.equal(Object.keys(json), ['success', 'message', 'code', 'errors', 'error_codes', 'meta'])
  assert.is(json.message, 'Validation failed')
  assert.equal(json.errors, { subject: ['The subject field is required'] })
})

test('other refusals have a message and no errors', async ({ world }) => {
  const { status, json } = await world.ask('GET /api/v1/conflict')
  assert.is(status, 409)
  assert.equal(Object.keys(json), ['success', 'message', 'code', 'meta'])
  assert.is(json.message, 'The ticket is closed')
})

test('503 says when to come back, carries the request id and tells nothing else', async ({ world }) => {
  const { status, json, headers, text } = await world.ask('GET /api/v1/unavailable', {
    headers: { 'X-Request-Id': 'abc' },
  })
  assert.is(status, 503)
  assert.is(json.message, 'Service unavailable')
  assert.is(json.meta?.request_id, 'abc')
  assert.ok(Number(headers['retry-after']) >= 1)
  assert.not.match(text, /secret-host/)
})

for (const name of ['lost', 'full']) {
  test(`a database that fails a plugin's own query is 503 too, and nobody reads the SQL (${name})`, async ({
    world,
  }) => {
    const { status, headers, text } = await world.ask(`GET /api/v1/${name}`)
    assert.is(status, 503)
    assert.ok(Number(headers['retry-after']) >= 1)
    assert.not.match(text, /users|insert|space/)
  })
}

for (const name of ['crash', 'string', 'header']) {
  test(`what nobody meant to throw is 500, logged once with its stack and told to nobody (${name})`, async ({
    world,
  }) => {
    world.lines.length = 0
    const { status, json, text } = await world.ask(`GET /api/v1/${name}`, { headers: { 'X-Request-Id': `id-${name}` } })
    assert.is(status, 500)
    assert.is(json.message, 'Server error')
    assert.is(json.meta?.request_id, `id-${name}`)
    assert.not.match(text, /password|a string|break|at Object/)
    const errors = world.lines.filter(({ level }) => level === 'error')
    assert.is(errors.length, 1)
    assert.is(errors[0]?.fields.requestId, `id-${name}`)
    assert.ok(errors[0]?.fields.err !== undefined)
  })
}

test('a sane request id is echoed, any other replaced', async ({ world }) => {
  const id = async (sent: string) =>
    (await world.ask('GET /api/v1/value', { headers: { 'X-Request-Id': sent } })).headers['x-request-id']
  assert.is(await id('trace-1/a:b'), 'trace-1/a:b')
  assert.is(await id('x'.repeat(128)), 'x'.repeat(128))
  for (const bad of ['x'.repeat(129), 'two words', 'ü', '']) assert.match(String(await id(bad)), /^id-\d+$/)
})

test('the path’s parameters are decoded', async ({ world }) => {
  const { json } = await world.ask('GET /api/v1/params/a%20b%2Fc/of/%E2%82%AC')
  assert.equal(json.data, { ...Object(json.data), params: { id: 'a b/c', kind: '€' }, ip: '127.0.0.1', actor: null })
})

test('HEAD is GET without a body, with its length', async ({ world }) => {
  const get = await world.ask('GET /api/v1/value', { headers: { 'X-Request-Id': 'same' } })
  const head = await world.ask('HEAD /api/v1/value', { headers: { 'X-Request-Id': 'same' } })
  assert.is(head.status, 200)
  assert.is(head.bytes.length, 0)
  assert.is(head.headers['content-length'], get.headers['content-length'])
  assert.is((await world.ask('HEAD /api/v1/stream')).status, 200)
})

test('every answer carries the security headers, refusals too', async ({ world }) => {
  for (const path of ['value', 'invalid', 'crash', 'nothing']) {
    const { headers } = await world.ask(`GET /api/v1/${path}`)
    assert.is(headers['x-content-type-options'], 'nosniff')
    assert.is(headers['cache-control'], 'private, no-cache')
    assert.match(String(headers.vary), /Authorization/)
    assert.is(headers['x-powered-by'], undefined)
  }
})

test('the log has one line a request: who, which route, how it ended, and no query', async ({ world }) => {
  world.lines.length = 0
  await world.ask('GET /api/v1/params/4/of/x?token=topsecret', { headers: { ...AS_AGENT, 'X-Request-Id': 'r1' } })
  const { ms, ...fields } = world.lines[0]!.fields
  assert.is(world.lines.length, 1)
  assert.equal(fields, {
    requestId: 'r1',
    actorId: 7,
    route: '/api/v1/params/{id}/of/{kind}',
    method: 'GET',
    status: 200,
  })
  assert.ok(typeof ms === 'number' && ms > 0)
})

test('an app is replaced while the server listens, and old requests end on the old one', async () => {
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  const world = await serve([
    route({
      method: 'GET',
      path: '/which',
      access: 'public',
      handle: async () => {
        await held
        return { data: 'old' }
      },
    }),
  ])
  const old = world.ask('GET /api/v1/which')
  await world.ask('GET /livez')
  world.replace([route({ method: 'GET', path: '/which', access: 'public', handle: async () => ({ data: 'new' }) })])
  assert.is((await world.ask('GET /api/v1/which')).json.data, 'new')
  release()
  assert.is((await old).json.data, 'old')
  await world.close()
})

test.run()
