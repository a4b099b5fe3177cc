/** How often a caller may ask, and that every answer says so. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientAddress, countedAs } from '../../engine/http/rate-limit.ts'
import { AS_AGENT, route, serve } from './world.ts'

const done = async () => ({ data: null })
const ROUTES = [
  route({ method: 'GET', path: '/things', handle: done }),
  route({ method: 'POST', path: '/auth/login', handle: done, access: 'public', bucket: 'auth' }),
  route({ method: 'POST', path: '/auth/register', handle: done, access: 'public', bucket: 'auth' }),
]
const test = suite('http: rate limits')

test('every answer says the limit and what remains of it, whatever its status', async () => {
  const world = await serve(ROUTES, { settings: { rateLimit: 5 } })
  const seen = []
  for (const target of [
    'GET /api/v1/nothing',
    'PUT /api/v1/things',
    'GET /api/v1/things',
    'OPTIONS /api/v1/things',
    'HEAD /api/v1/things',
    'GET /api/v1/things',
  ]) {
    const { status, headers } = await world.ask(target)
    seen.push([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']])
  }
  assert.equal(seen, [
    [404, '5', '4'],
    [405, '5', '3'],
    [401, '5', '2'],
    [204, '5', '1'],
    [401, '5', '0'],
    [429, '5', '0'],
  ])
  await world.close()
})

test('429 says when to come back, and then the count starts again', async () => {
  let now = 1_000_000
  const world = await serve(ROUTES, { settings: { rateLimit: 1 }, clock: () => now })
  await world.ask('GET /api/v1/things', { headers: AS_AGENT })
  now += 59_999
  const { status, json, headers } = await world.ask('GET /api/v1/things', { headers: AS_AGENT })
  assert.is(status, 429)
  assert.is(json.message, 'Too Many Requests')
  assert.is(headers['retry-after'], '1')
  assert.is(headers['x-ratelimit-remaining'], '0')
  now += 1
  assert.is((await world.ask('GET /api/v1/things', { headers: AS_AGENT })).status, 200)
  await world.close()
})

test('whoever was limited is not limited longer when the time of the machine is set back', async () => {
  let [time, clock] = [1_000_000_000, 1_000_000]
  const options = { settings: { rateLimit: 1 }, now: () => new Date(time), clock: () => clock }
  const world = await serve(ROUTES, options)
  await world.ask('GET /api/v1/things', { headers: AS_AGENT })
  assert.is((await world.ask('GET /api/v1/things', { headers: AS_AGENT })).status, 429)
  time -= 3_600_000
  clock += 60_000
  assert.is((await world.ask('GET /api/v1/things', { headers: AS_AGENT })).status, 200)
  await world.close()
})

test('a user is counted apart from the address; a bad token counts by address', async () => {
  const world = await serve(ROUTES, { settings: { rateLimit: 2 } })
  const remaining = async (token?: string) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    return (await world.ask('GET /api/v1/things', { headers })).headers['x-ratelimit-remaining']
  }
  assert.equal([await remaining('agent'), await remaining(), await remaining('nonsense')], ['1', '1', '0'])
  assert.equal([await remaining('agent'), await remaining('restricted')], ['0', '1'])
  await world.close()
})

test('the routes that log in share one bucket by address, with or without a token', async () => {
  const world = await serve(ROUTES, { settings: { authRateLimit: 3 } })
  const statuses = []
  for (const [path, headers] of [
    ['login', {}],
    ['register', AS_AGENT],
    ['login', { Authorization: 'Bearer restricted' }],
    ['login', {}],
    ['register', AS_AGENT],
  ] as const) {
    statuses.push((await world.ask(`POST /api/v1/auth/${path}`, { headers, json: {} })).status)
  }
  assert.equal(statuses, [200, 200, 200, 429, 429])
  const general = await world.ask('GET /api/v1/things')
  assert.is(general.headers['x-ratelimit-remaining'], '999')
  await world.close()
})

test('a made-up X-Forwarded-For gives no new allowance, unless as many proxies are trusted', async () => {
  const direct = await serve(ROUTES, { settings: { rateLimit: 2 } })
  for (const sent of ['1.1.1.1', '2.2.2.2'])
    await direct.ask('GET /api/v1/things', { headers: { 'X-Forwarded-For': sent } })
  assert.is((await direct.ask('GET /api/v1/things', { headers: { 'X-Forwarded-For': '3.3.3.3' } })).status, 429)
  await direct.close()
  const behind = await serve(ROUTES, { settings: { rateLimit: 1, trustProxy: 1 } })
  const ask = (sent: string) => behind.ask('GET /api/v1/things', { headers: { 'X-Forwarded-For': sent } })
  assert.is((await ask('9.9.9.9, 1.1.1.1')).status, 401)
  assert.is((await ask('8.8.8.8, 1.1.1.1')).status, 429, 'only the last hop was seen by the proxy')
  assert.is((await ask('1.1.1.2')).status, 401)
  await behind.close()
})

test('probes are outside the limit', async () => {
  const world = await serve(ROUTES, { settings: { rateLimit: 1 } })
  for (let i = 0; i < 3; i += 1) {
    const { status, headers } = await world.ask('GET /livez')
    assert.is(status, 200)
    assert.is(headers['x-ratelimit-limit'], undefined)
  }
  await world.close()
})

const ADDRESSES: readonly (readonly [string, string | undefined, number, string])[] = [
  ['10.0.0.1', undefined, 0, '10.0.0.1'],
  ['::ffff:10.0.0.1', undefined, 0, '10.0.0.1'],
  ['10.0.0.1', '1.2.3.4', 0, '10.0.0.1'],
  ['10.0.0.1', '1.2.3.4', 1, '1.2.3.4'],
  ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', 2, '1.2.3.4'],
  ['10.0.0.1', '1.2.3.4', 2, '1.2.3.4'],
  ['10.0.0.1', '1.2.3.4:5678', 1, '1.2.3.4'],
  ['10.0.0.1', '[2001:db8::1]:5678', 1, '2001:db8::1'],
  ['10.0.0.1', 'unknown', 1, '10.0.0.1'],
  ['10.0.0.1', '', 1, '10.0.0.1'],
]
for (const [socket, forwarded, hops, expected] of ADDRESSES) {
  test(`${socket} with ${forwarded ?? 'no header'} behind ${hops} is ${expected}`, () => {
    assert.is(clientAddress(socket, forwarded, hops), expected)
  })
}

const COUNTED: readonly (readonly [string, string])[] = [
  ['1.2.3.4', '1.2.3.4'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
]
for (const [address, key] of COUNTED) {
  test(`${address} is counted as ${key}`, () => {
    assert.is(countedAs(address), key)
  })
}

test.run()
