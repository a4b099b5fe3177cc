/** The desk on a database that takes no writes, ends every session or lets nobody in: nothing but 503, and it serves again by itself. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
const CYCLES = cyclesOf(1)
const FAULT_MS = 1_500

interface World {
  service: Restartable
  token: string
  ticket: number
}

const test = suite<World>('faults: the database is out')
const onServer = process.env.TEST_DATABASE_URL === undefined ? test.skip : test
test.before(async (world) => {
  if (process.env.TEST_DATABASE_URL === undefined) return
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, AUTH_RATE_LIMIT: '1000000' }
  world.service = await openRestartable({ env })
  world.token = (await ask(world, 'POST', '/auth/login', ADMIN)).data.token
  world.ticket = (await ask(world, 'POST', '/tickets', { subject: 'It rains', details: 'Through the roof' })).data.id
})
test.after(async ({ service }) => service?.close())

async function fetched({ service, token }: World, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
}

async function ask(world: World, method: string, path: string, body?: object) {
  const answer = await fetched(world, method, path, body)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { data: { token: string; id: number } }
}

/** A request of each kind: the engine's own, of plugins, with their own SQL, by models, streamed, and signing in. */
const REQUESTS: readonly (readonly [method: string, path: (world: World) => string, body?: object])[] = [
  ['GET', () => '/tickets'],
  ['POST', () => '/tickets', { subject: 'One more', details: 'Of them' }],
  ['PATCH', ({ ticket }) => `/tickets/${ticket}`, { subject: `Changed` }],
  ['POST', ({ ticket }) => `/tickets/${ticket}/comments`, { comment: 'Still raining' }],
  ['GET', () => '/tickets/export'],
  ['POST', () => '/auth/login', ADMIN],
  ['POST', () => '/auth/login', { email: 'nobody@desk.example', password: 'wrong and long' }],
  ['POST', () => '/auth/password/reset', { email: ADMIN.email }],
  ['GET', () => '/auth/me'],
  ['GET', () => '/auth/sessions'],
  ['POST', () => '/notifications/read-all'],
  ['GET', () => '/notifications'],
  ['POST', () => '/reports/generate', { type: 'tickets' }],
  ['GET', () => '/dashboard/metrics'],
  ['POST', ({ ticket }) => `/ai/tickets/${ticket}/classify`],
  ['POST', () => '/ai/settings', { max_suggestions: 4 }],
  ['GET', ({ ticket }) => `/tickets/${ticket}/activity`],
]

/** What no answer may show. */
const DRIVER = /select |insert |update "|relation|postgres|ECONN|terminat|read-only|knex|transaction/i

interface Seen {
  acknowledged: number
  readonly wrong: string[]
}

async function look(world: World, seen: Seen): Promise<void> {
  const [method, path, body] = REQUESTS[Math.floor(Math.random() * REQUESTS.length)]!
  const told = `${method} ${path(world)}`
  try {
    const answer = await fetched(world, method, path(world), body)
    const text = await answer.text()
    if (answer.ok) seen.acknowledged += 1
    else if (answer.status === 503 && answer.headers.has('retry-after') && !DRIVER.test(text)) return
    else if (answer.status === 401 && body !== undefined && path(world) === '/auth/login') return
    else if (answer.status === 409 || answer.status === 429) return
    else seen.wrong.push(`${told}: ${answer.status} ${text.slice(0, 200)}`)
  } catch (error) {
    // An export that had begun can only break off.
    if (!path(world).endsWith('/export')) seen.wrong.push(`${told}: ${error}`)
  }
}

const FAULTS: readonly (readonly [name: string, begin: readonly string[], end: readonly string[]])[] = [
  [
    'read-only database',
    ['alter database $ set default_transaction_read_only = on', 'END SESSIONS'],
    ['alter database $ reset default_transaction_read_only'],
  ],
  ['sessions ended by the server', ['END SESSIONS'], ['END SESSIONS']],
  [
    'database that lets nobody in',
    ['alter database $ with allow_connections false', 'END SESSIONS'],
    ['alter database $ with allow_connections true'],
  ],
]

async function administer(databaseUrl: string, steps: readonly string[]): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL })
  await client.connect()
  for (const step of steps) {
    if (step === 'END SESSIONS')
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    else await client.query(step.replace('$', name))
  }
  await client.end()
}

for (const [fault, begin, end] of FAULTS) {
  onServer(fault, async (world) => {
    const { databaseUrl = '' } = world.service
    const seen: Seen = { acknowledged: 0, wrong: [] }
    let recoveryMs = 0
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      let over = false
      const callers = Array.from({ length: 4 }, async () => {
        while (!over) await look(world, seen)
      })
      await sleep(300)
      await administer(databaseUrl, begin)
      await sleep(FAULT_MS)
      await administer(databaseUrl, end)
      const ended = performance.now()
      while (!(await fetched(world, 'POST', '/tickets', { subject: 'Again', details: 'It works' })).ok) {
        if (performance.now() - ended > 15_000) throw new Error('it does not serve again')
        await sleep(20)
      }
      recoveryMs = Math.max(recoveryMs, performance.now() - ended)
      await sleep(300)
      over = true
      await Promise.all(callers)
    }
    const figures = { lost: 0, doubled: 0, torn: 0, wrong: seen.wrong.length }
    addFigures({ fault, cycles: CYCLES, acknowledged: seen.acknowledged, ...figures, recoveryMs })
    assert.equal([...new Set(seen.wrong)], [])
    const lines = world.service.server
      .output()
      .split('\n')
      .filter((line) => line.includes('"database unavailable"'))
    assert.ok(lines.length <= 20 * CYCLES, `${lines.length} lines for an outage`)
  })
}
test.run()
