/** Requests that wait while the tables change under them, and what is answered meanwhile. */
import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { AS_AGENT, type Options, route, serve } from './world.ts'

const test = suite('http: held requests')

const THING = 'GET /api/v1/things/1'
/** No test takes so long. */
const NEVER_MS = 600_000

/** A server whose one route counts its requests. */
async function begin(options: Options) {
  const served: string[] = []
  const handle = async () => {
    served.push('a thing')
    return { data: 1 }
  }
  const world = await serve([route({ method: 'GET', path: '/things/{id}', handle })], options)
  return { world, served, ask: () => world.ask(THING, { headers: AS_AGENT }) }
}

test('a request waits while another version is on its way, and is served behind it', async () => {
  const { world, served, ask } = await begin({ heldMs: NEVER_MS })
  await world.passage.hold(0)
  const asked = ask()
  await until(() => world.inFlight() === 1)
  assert.equal(served, [])
  world.passage.open()
  assert.is((await asked).status, 200)
  assert.equal(served, ['a thing'])
  await world.close()
})

test('where two have requests wait, they wait for both', async () => {
  const { world, served, ask } = await begin({ heldMs: NEVER_MS })
  await Promise.all([world.passage.hold(0), world.passage.hold(0)])
  const asked = ask()
  await until(() => world.inFlight() === 1)
  world.passage.open()
  assert.equal(served, [])
  world.passage.open()
  assert.is((await asked).status, 200)
  await world.close()
})

test('the probes answer while requests wait, and a change does not wait for them', async () => {
  const readiness = async () => ({ ready: true, checks: {} })
  const { world, ask } = await begin({ heldMs: NEVER_MS, readiness })
  await world.passage.hold(0)
  const asked = ask()
  for (const path of ['/livez', '/readyz', '/readyz?verbose', '/metrics']) {
    assert.is((await world.ask(`GET ${path}`)).status, 200, path)
  }
  world.passage.open()
  assert.is((await asked).status, 200)
  await world.close()
})

test('a probe that takes its time holds up no change', async () => {
  let answer = (): void => {}
  const readiness = () =>
    new Promise<{ ready: true; checks: object }>((done) => {
      answer = () => done({ ready: true, checks: {} })
    })
  const { world } = await begin({ heldMs: NEVER_MS, readiness: readiness as Options['readiness'] & object })
  const asked = world.ask('GET /readyz')
  await until(() => world.passage.inside.size === 1)
  await world.passage.hold(NEVER_MS)
  world.passage.open()
  answer()
  assert.is((await asked).status, 200)
  await world.close()
})

test('a request that waits for too long is told so with 503 and Retry-After, and does nothing', async () => {
  const { world, served, ask } = await begin({ heldMs: 20 })
  await world.passage.hold(0)
  const { status, headers, json } = await ask()
  assert.is(status, 503)
  assert.is(headers['retry-after'], '1')
  assert.is(json.message, 'The service is changing to another version of the application; try again')
  assert.is(json.code, 'unavailable')
  assert.is(world.inFlight(), 0)
  world.passage.open()
  assert.is((await ask()).status, 200)
  assert.equal(served, ['a thing'])
  await world.close()
})

test('a body that was announced is taken although its request waited for too long', async () => {
  const { world } = await begin({ heldMs: 20 })
  await world.passage.hold(0)
  const said = await world.raw([
    'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n',
    '{}',
  ])
  assert.match(said, 'HTTP/1.1 503')
  world.passage.open()
  await world.close()
})

test('a caller who hangs up while it waits leaves nothing behind', async () => {
  const { world, served } = await begin({ heldMs: NEVER_MS })
  await world.passage.hold(0)
  const [, path] = THING.split(' ')
  const asked = request({ port: world.port, path, headers: AS_AGENT })
  asked.on('error', () => {})
  asked.end()
  await until(() => world.inFlight() === 1)
  asked.destroy()
  await until(() => world.inFlight() === 0)
  assert.is(world.passage.inside.size, 0)
  world.passage.open()
  assert.equal(served, [])
  await world.close()
})

test('a server that stops tells those who wait, and has nobody wait from then on', async () => {
  const { world, ask } = await begin({ heldMs: NEVER_MS })
  await world.passage.hold(0)
  const waiting = ask()
  await until(() => world.inFlight() === 1)
  world.passage.closing()
  for (const { status, headers } of [await waiting, await ask()]) {
    assert.is(status, 503)
    assert.is(headers.connection, 'close')
  }
  await world.close()
})

test.run()
