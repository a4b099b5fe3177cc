/** Two versions of the program beside each other under load, the one before and this one: forwards and back. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { thisProgram } from '../../engine/program.ts'
import { bare, build, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { testDatabase } from '../support/database.ts'
import { commitOf, earlierProgram } from '../support/earlier-program.ts'
import { until } from '../support/wait.ts'
import { beginLoad, type LoadFigures, runLoad } from './load.ts'
import { type Proxy as Balancer, openProxy } from './proxy.ts'
import { signalledStart } from './restartable.ts'
import { addFigures, addLoad, cyclesOf } from './table.ts'

const SERVER = process.env.TEST_DATABASE_URL
const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
/** Tickets that are there before; `VERSIONS_TICKETS=100000` for a large desk. */
const TICKETS = Number(process.env.VERSIONS_TICKETS ?? 500)
/** Starts that are killed at a drawn moment, in each direction of a cycle. */
const KILLS = 3
const READY_MS = 240_000

interface Version {
  readonly name: string
  readonly main: string
  readonly folder: string
  /** The folder with its YAML. */
  readonly resources: string
}

interface World {
  readonly folder: string
  /** The versions in their order; the last one is this program. */
  readonly versions: readonly Version[]
}

const test = suite<World>('faults: versions')

/** The version before, or those that VERSIONS names by their commits, and this one. */
async function versionsIn(folder: string): Promise<readonly Version[]> {
  build()
  const { oldest, version } = await thisProgram()
  const commits = process.env.VERSIONS?.split(',') ?? [await commitOf(oldest)]
  const names = process.env.VERSIONS === undefined ? [oldest] : commits
  const earlier = commits.map((commit, at) => {
    const program = earlierProgram(commit)
    return { name: names[at]!, main: join(program, 'dist/engine/cli/main.js'), folder: program }
  })
  const all = [...earlier, { name: version, main: PROGRAM, folder: resolve('.') }]
  return all.map((one) => {
    const resources = join(folder, one.name)
    cpSync(join(one.folder, 'resources'), resources, { recursive: true })
    return { ...one, resources }
  })
}

test.before(async (context) => {
  if (!SERVER) return
  const folder = mkdtempSync(join(tmpdir(), 'plinth-versions-'))
  Object.assign(context, { folder, versions: await versionsIn(folder) })
})
test.after(({ folder }) => rmSync(folder ?? '', { recursive: true, force: true }))

/** The environment of an instance; both have the same secret and each its own folder. */
function envOf({ resources, folder, name }: Version, databaseUrl: string, data: string): NodeJS.ProcessEnv {
  return bare({
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(data, `data-${name}`),
    RESOURCES_DIR: resources,
    PLUGINS_DIR: join(folder, 'plugins'),
    APP_SECRET: 'a secret of this test and of nothing else',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT: '1000000',
    AUTH_RATE_LIMIT: '1000000',
    SHUTDOWN_DELAY: '1',
  })
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return ((await answer.json()) as { data: { token: string } }).data.token
}

/** Copies of a first ticket. */
async function multiply(client: pg.Client, url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subject: 'There before', details: 'One of many' }),
  })
  assert.is(answer.status, 201)
  const columns = 'subject, details, status_id, priority_id, created_at, updated_at'
  await client.query(
    `insert into tickets (${columns}) select ${columns} from (select * from tickets limit 1) t, generate_series(2, $1)`,
    [TICKETS],
  )
  await client.query('vacuum analyze')
}

interface Side {
  readonly proxy: Balancer
  readonly databaseUrl: string
  readonly data: string
  /** The place at the proxy of what serves, and what serves there. */
  place: number
  server: Server
}

/** Puts another version in the place of the one that serves: killed starts first, then both, then the other alone. */
async function change(side: Side, to: Version): Promise<void> {
  const { proxy, databaseUrl, data } = side
  const env = envOf(to, databaseUrl, data)
  let mostMs = 2_000
  for (let kill = 0; kill < KILLS; kill++) {
    // The longest begin of a start that was cut off decides where the next one is.
    await signalledStart(to.main, env, 100 + Math.random() * mostMs, to.folder, 'SIGKILL')
    mostMs = Math.min(mostMs * 2, TICKETS > 10_000 ? 40_000 : 6_000)
  }
  const server = await startServer(to.main, to.folder, env)
  const place = 1 - side.place
  proxy.place(place, server.url)
  await until(() => proxy.ready() === 2, READY_MS)
  const { code } = await side.server.stop('SIGTERM')
  assert.is(code, 0, side.server.output())
  Object.assign(side, { place, server })
  await until(() => proxy.ready() === 1, READY_MS)
}

const requestsOf = (): readonly { method: string; path: string; body?: string }[] => [
  { method: 'GET', path: '/api/v1/tickets?per_page=20' },
  { method: 'POST', path: '/api/v1/tickets', body: '{"subject":"load {n}","details":"while versions change"}' },
  { method: 'GET', path: '/api/v1/tickets?search=many&per_page=5' },
]

const good = ({ statuses }: LoadFigures): number => (statuses[200] ?? 0) + (statuses[201] ?? 0)

/** One cycle: the first version serves, then each later one, then each earlier one again. */
async function cycle({ versions, folder }: World, at: number) {
  const database = await testDatabase()
  const databaseUrl = String(database.url)
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  const proxy = await openProxy()
  const data = join(folder, `cycle-${at}`)
  const [first, ...later] = versions
  const server = await startServer(first!.main, first!.folder, envOf(first!, databaseUrl, data))
  const side: Side = { proxy, databaseUrl, data, place: 0, server }
  try {
    const token = await signIn(server.url)
    await multiply(client, server.url, token)
    proxy.place(0, server.url)
    await until(() => proxy.ready() === 1, READY_MS)
    const load = { url: proxy.url, headers: { authorization: `Bearer ${token}` }, requests: requestsOf() }
    const paced = { ...load, connections: 4, pauseMs: 20 }
    const warm = await runLoad({ ...paced, seconds: 3 })
    const before = await runLoad({ ...paced, seconds: 8 })
    const running = beginLoad({ ...paced, seconds: 36_000 })
    const back = versions.slice(0, -1).reverse()
    for (const version of [...later, ...back]) await change(side, version)
    running.end()
    const during = await running.figures
    const made = await client.query<{ rows: number; subjects: number }>(
      `select count(*)::int as rows, count(distinct subject)::int as subjects from tickets where subject like 'load %'`,
    )
    return {
      loads: [warm, before, during],
      before,
      during,
      made: made.rows[0]!,
      failures: proxy.failures,
      changes: later.length + back.length,
    }
  } finally {
    await proxy.close()
    await side.server.stop('SIGKILL')
    await client.end()
    await database.close()
  }
}

test('the version before and this one serve side by side, forwards and back, and starts are killed', async (world) => {
  if (!SERVER) return
  const cycles = cyclesOf(1)
  const sum = { acknowledged: 0, wrong: 0, lost: 0, doubled: 0, kills: 0 }
  const failures: string[] = []
  for (let at = 0; at < cycles; at++) {
    const { loads, before, during, made, changes, failures: of } = await cycle(world, at)
    const all = loads.flatMap(({ statuses }) => Object.values(statuses)).reduce((a, b) => a + b, 0)
    const acknowledged = loads.map(good).reduce((a, b) => a + b, 0)
    const created = loads.map(({ statuses }) => statuses[201] ?? 0).reduce((a, b) => a + b, 0)
    sum.acknowledged += acknowledged
    sum.wrong += all - acknowledged
    sum.kills += changes * KILLS
    failures.push(...of, JSON.stringify(loads.map(({ statuses }) => statuses)))
    sum.doubled += made.rows - made.subjects
    sum.lost += Math.max(0, created - made.subjects)
    addLoad({
      load: `${world.versions.map(({ name }) => name).join(' → ')} and back, ${TICKETS} tickets; p99 before ${Math.round(before.good.p99)} ms`,
      capacity: before.perSecond,
      delivered: during.perSecond,
      p99: during.good.p99,
      refused: during.statuses[503] ?? 0,
      refusedP50: during.refused.p50,
      livezP99: during.livez.p99,
      ownLagMs: during.ownLagMs,
      memory: 1,
    })
  }
  const { kills, ...figures } = sum
  addFigures({ fault: `versions side by side, ${kills} starts killed`, cycles, torn: 0, recoveryMs: 0, ...figures })
  assert.equal([sum.wrong, sum.lost, sum.doubled], [0, 0, 0], failures.slice(0, 8).join('\n'))
  assert.ok(sum.acknowledged > 200)
})

test.run()
