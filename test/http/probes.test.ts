/** What operators ask: does it live, is it ready, how is it doing. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Readiness } from '../../engine/http/http-app.ts'
import { AS_AGENT, route, serve } from './world.ts'

const ROUTES = [route({ method: 'GET', path: '/things/{id}', handle: async () => ({ data: 1 }) })]
const test = suite('http: probes')

test('livez depends on nothing', async () => {
  const world = await serve(ROUTES, {
    readiness: async () => {
      throw new Error('out')
    },
  })
  const { status, json } = await world.ask('GET /livez')
  assert.is(status, 200)
  assert.is(json.success, true)
  await world.close()
})

test('readyz says what was looked at', async () => {
  const world = await serve(ROUTES)
  const { status, json } = await world.ask('GET /readyz')
  assert.is(status, 200)
  assert.equal(json.data, { status: 'ready', checks: { database: 'ok' } })
  await world.close()
})

test('readyz names addresses and figures to operators alone', async () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.webUrl())
  const said = fc.oneof(
    fc.constantFrom('ok', 'out', 'differs', 'stopping', 'read-only'),
    address.map((where) => `connect ECONNREFUSED ${where}:5432`),
    address.map((where) => `${where} is out`),
    fc.nat().map((megabytes) => `full: ${megabytes} MB are free`),
  )
  const checked = fc.record({
    database: said,
    disk: said,
    s3: said,
    own: said,
    other: said,
    server: address,
    ready: fc.boolean(),
  })
  let present: Readiness = { ready: true, checks: {} }
  const world = await serve(ROUTES, { settings: { metricsToken: 'operator' }, readiness: async () => present })
  await fc.assert(
    fc.asyncProperty(checked, async ({ own, other, server, ready, ...plain }) => {
      present = { ready, checks: { ...plain, [`ai ${server}`]: own, 'ai https://other.example': other } }
      const ask = async (headers: Record<string, string>) => {
        const { status, json } = await world.ask('GET /readyz', { headers: { ...headers, Host: 'desk.example' } })
        assert.is(status, ready ? 200 : 503)
        return (ready ? Reflect.get(Object(json.data), 'checks') : json.meta?.checks) as Record<string, string>
      }
      assert.equal(await ask({ Authorization: 'Bearer operator' }), present.checks)
      for (const headers of [{}, { Authorization: 'Bearer wrong' }]) {
        const shown = await ask(headers as Record<string, string>)
        assert.equal(Object.keys(shown).sort(), ['ai', 'database', 'disk', 's3'])
        for (const word of Object.values(shown)) assert.match(word, /^(?:ok|out|differs|stopping|read-only|full)$/)
        assert.is(shown.ai === 'ok', own === 'ok' && other === 'ok')
        for (const name of ['database', 'disk', 's3'] as const) assert.is(shown[name] === 'ok', plain[name] === 'ok')
      }
    }),
    { numRuns: 60 },
  )
  await world.close()
})

test('readyz is 503 while draining, and when the check itself fails 500', async () => {
  let checks = async () => ({ ready: false, checks: { process: 'draining' } })
  const world = await serve(ROUTES, { readiness: () => checks() })
  const { status, json, headers } = await world.ask('GET /readyz')
  assert.is(status, 503)
  assert.is(json.message, 'Service unavailable')
  assert.ok(Number(headers['retry-after']) >= 1)
  await world.ask('GET /readyz')
  assert.equal(
    world.lines.map(({ fields }) => fields.checks),
    [{ process: 'draining' }],
    'logged when it changes',
  )
  checks = async () => {
    throw new Error('check')
  }
  assert.is((await world.ask('GET /readyz')).status, 500)
  await world.close()
})

test('metrics count requests by pattern, method and class of status', async () => {
  const world = await serve(ROUTES)
  for (const id of ['1', '2']) await world.ask(`GET /api/v1/things/${id}`, { headers: AS_AGENT })
  await world.ask('GET /api/v1/things/3')
  const { status, text, headers } = await world.ask('GET /metrics')
  assert.is(status, 200)
  assert.match(String(headers['content-type']), /^text\/plain/)
  const count = (labels: string) =>
    text.includes(`plinth_request_duration_seconds_count{route="/api/v1/things/{id}",method="GET",${labels}`)
  assert.ok(count('status="2xx"} 2'), text)
  assert.ok(count('status="4xx"} 1'))
  assert.match(text, /process_cpu_seconds_total/)
  assert.match(text, /^plinth_database_prepared_statements \d+$/m)
  for (const line of ['state="used"} 2', 'state="free"} 1', 'state="waiting"} 0'])
    assert.ok(text.includes(`plinth_database_connections{pool="ordinary",${line}`), line)
  await world.close()
})

test('metrics are for this machine, and not for what came through a proxy on it', async () => {
  const world = await serve(ROUTES)
  const proxied = ['X-Forwarded-For', 'X-Forwarded-Host', 'x-forwarded-proto', 'Forwarded', 'X-Real-IP', 'Via']
  for (const name of proxied)
    assert.is((await world.ask('GET /metrics', { headers: { [name]: '1.2.3.4' } })).status, 404, name)
  for (const Host of ['desk.example', '127.desk.example'])
    assert.is((await world.ask('GET /metrics', { headers: { Host } })).status, 404, Host)
  for (const Host of ['localhost:3000', '127.0.0.1', '[::1]:3000'])
    assert.is((await world.ask('GET /metrics', { headers: { Host } })).status, 200, Host)
  await world.close()
})

test('where the settings speak of a proxy, metrics need the token even from this machine', async () => {
  for (const settings of [{ trustProxy: 1 }, { baseUrl: 'https://desk.example' }]) {
    const closed = await serve(ROUTES, { settings })
    assert.is((await closed.ask('GET /metrics')).status, 404)
    await closed.close()
    const open = await serve(ROUTES, { settings: { ...settings, metricsToken: 'secret' } })
    assert.is((await open.ask('GET /metrics')).status, 401)
    assert.is((await open.ask('GET /metrics', { headers: { Authorization: 'Bearer secret' } })).status, 200)
    await open.close()
  }
})

test('elsewhere metrics need the token', async () => {
  const world = await serve(ROUTES, { settings: { metricsToken: 'secret' } })
  const ask = (authorization: string) =>
    world.ask('GET /metrics', { headers: { 'X-Forwarded-For': '1.2.3.4', Authorization: authorization } })
  assert.is((await ask('Bearer secret')).status, 200)
  for (const wrong of ['Bearer secreT', 'Bearer ', 'secret']) assert.is((await ask(wrong)).status, 401)
  await world.close()
})

test('probes leave no line in the log', async () => {
  const world = await serve(ROUTES)
  for (const path of ['/livez', '/readyz', '/metrics']) await world.ask(`GET ${path}`)
  assert.equal(world.lines, [])
  await world.close()
})

test.run()
