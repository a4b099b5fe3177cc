/** More requests than can be served: the others are refused at once, and the service does not notice much of them. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { type Load, type LoadFigures, runLoad } from './load.ts'
import { memory } from './measure.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, addLoad, cyclesOf } from './table.ts'

const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
const SECONDS = cyclesOf(3)
const READERS = 200
/** Of the eight that there are, one caller may hold so many. */
const PLACES = 2

interface World {
  readonly service: Restartable
  readonly headers: Readonly<Record<string, string>>
}

const test = suite<World>('faults: overload')
test.before(async (context) => {
  const service = await openRestartable({
    env: {
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      // Counted in a Redis that other runs use too.
      AUTH_RATE_LIMIT: '1000000',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
    },
  })
  Object.assign(context, { service })
  const answer = await fetch(`${service.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const { data } = (await answer.json()) as { data: { token: string } }
  Object.assign(context, { headers: { Authorization: `Bearer ${data.token}` } })
  const details = 'Smoke comes out of it. '.repeat(1_500)
  const ticket = JSON.stringify({ subject: 'Printer {n} on fire', details })
  for (let made = 0; made < 250; ) {
    const { statuses } = await load(context, {
      requests: [{ method: 'POST', path: '/api/v1/tickets', body: ticket }],
      seconds: 1,
      connections: 6,
    })
    made += statuses[201] ?? 0
  }
})
test.after(({ service }) => service.close())

function load({ service, headers }: World, given: Omit<Load, 'url' | 'headers'>): Promise<LoadFigures> {
  return runLoad({ url: service.url, headers, ...given })
}

const REQUESTS: Load['requests'] = [
  { method: 'GET', path: '/api/v1/tickets?per_page=5' },
  { method: 'GET', path: '/api/v1/tickets/1' },
  { method: 'GET', path: '/api/v1/tickets?search=printer&per_page=3' },
  { method: 'POST', path: '/api/v1/notes', body: '{"name":"note {n}","details":"x"}' },
]

function sum(statuses: LoadFigures['statuses'], wanted: (status: string) => boolean): number {
  return Object.entries(statuses).reduce((total, [status, count]) => total + (wanted(status) ? count : 0), 0)
}

for (const times of [2, 5]) {
  test(`at ${times} times its capacity the service does its work and refuses the rest at once`, async (world) => {
    await load(world, { requests: REQUESTS, seconds: 1, connections: 16 })
    const capacity = (await load(world, { requests: REQUESTS, seconds: SECONDS, connections: 16 })).perSecond
    const usual = memory(world.service)
    const { statuses, perSecond, good, refused, livez, ownLagMs } = await load(world, {
      requests: REQUESTS,
      seconds: SECONDS,
      rate: capacity * times,
    })
    const most = memory(world.service)
    const ended = performance.now()
    await sleep(1_000)
    const after = await load(world, { requests: REQUESTS, seconds: 1, connections: 4 })
    const wrong = sum(statuses, (status) => !/^2|^503$/.test(status))
    const acknowledged = sum(statuses, (status) => status.startsWith('2'))
    addFigures({
      fault: `${times}× its capacity`,
      cycles: 1,
      acknowledged,
      lost: 0,
      doubled: 0,
      torn: 0,
      wrong,
      recoveryMs: performance.now() - ended - 1_000,
    })
    addLoad({
      load: `${times}×`,
      capacity,
      delivered: perSecond,
      p99: good.p99,
      refused: statuses[503] ?? 0,
      refusedP50: refused.p50,
      livezP99: livez.p99,
      ownLagMs,
      memory: most / usual,
    })
    assert.is(wrong, 0, `every request is answered or refused: ${JSON.stringify(statuses)}`)
    // The table shows the times; a bound on them would judge the machine. That work goes on at all is no matter of speed.
    assert.ok(perSecond > capacity * 0.2, `${perSecond} a second of ${capacity}`)
    assert.ok(most < usual * 3, `memory went from ${usual} to ${most} MB`)
    assert.is(
      sum(after.statuses, (status) => !status.startsWith('2')),
      0,
      'a moment later nobody is refused',
    )
  })
}

/** A client that begins to read an export and then takes nothing more; gives the status. */
function slowReader({ service, headers }: World, sockets: Socket[]): Promise<number> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.on('error', reject)
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      resolve(Number(chunk.toString('latin1', 9, 12)))
    })
    socket.write(`GET /api/v1/tickets/export HTTP/1.1\r\nHost: desk\r\nAuthorization: ${headers.Authorization}\r\n\r\n`)
  })
}

test(`${READERS} slow readers of an export have a few places and cost others little`, async (world) => {
  const before = await load(world, { requests: REQUESTS, seconds: SECONDS, connections: 16 })
  const usual = memory(world.service)
  const sockets: Socket[] = []
  const asked: Promise<number>[] = []
  for (let i = 0; i < READERS; i++) {
    asked.push(slowReader(world, sockets))
    await sleep(2)
  }
  const statuses = await Promise.all(asked)
  const during = await load(world, { requests: REQUESTS, seconds: SECONDS, connections: 16 })
  const most = memory(world.service)
  for (const socket of sockets) socket.destroy()
  // By the place of the caller, or because there are too many requests at all.
  const refused = statuses.filter((status) => status === 429 || status === 503).length
  addLoad({
    load: `${READERS} slow readers`,
    capacity: before.perSecond,
    delivered: during.perSecond,
    p99: during.good.p99,
    refused,
    refusedP50: 0,
    livezP99: during.livez.p99,
    ownLagMs: during.ownLagMs,
    memory: most / usual,
  })
  assert.is(refused, READERS - PLACES, 'those without a place are refused')
  assert.ok(during.perSecond > before.perSecond * 0.25, `${during.perSecond} a second instead of ${before.perSecond}`)
  assert.ok(most < usual * 3, `memory went from ${usual} to ${most} MB`)
  const exported = async (): Promise<number> => {
    const answer = await fetch(`${world.service.url}/api/v1/tickets/export`, { headers: world.headers })
    return (await answer.text()).length
  }
  await until(async () => (await exported()) > 1_000_000)
})

test('a change that waits for a lock is refused after a moment, and nobody else is', async (world) => {
  const { databaseUrl, url } = world.service
  if (databaseUrl === undefined) return
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('begin; select 1 from tickets where id = 1 for update')
  const change = (id: number): Promise<Response> =>
    fetch(`${url}/api/v1/tickets/${id}`, {
      method: 'PATCH',
      headers: { ...world.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'Changed' }),
    })
  const [locked, free] = await Promise.all([change(1), change(2)])
  // The lock is still held: the refusal did not wait for it.
  await client.end()
  assert.is(free.status, 200)
  assert.is(locked.status, 503)
  assert.ok(Number(locked.headers.get('retry-after')) >= 1)
  const { message } = (await locked.json()) as { message: string }
  assert.is(message, 'Another change holds what this one needs; try again')
  assert.is((await change(1)).status, 200)
})
test.run()
