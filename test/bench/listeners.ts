/** What follows from writes, beside the writes: `npm run bench:listeners` prints what it costs and how far behind it is. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { parseDocument } from 'yaml'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { beginLoad, type Load, type LoadFigures } from '../faults/load.ts'
import { until } from '../support/wait.ts'
import { dataSql } from './data.ts'
import { processorTimes, secondsBetween } from './processor.ts'
import { ADMIN_ENV, adminToken, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines } from './table.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'plinth-listeners-'))

/** What of a resource's YAML follows from its writes and is worked off the log of changes. */
const FOLLOWS = ['listeners', 'automations', 'webhooks', 'notify']

/** The desk's YAML; `alone` without all that follows from writes. */
function filesOf(alone: boolean): string {
  const resources = join(folder, alone ? 'alone' : 'whole')
  cpSync('resources', resources, { recursive: true })
  for (const name of alone ? readdirSync(resources) : []) {
    if (name === 'app.yaml' || !name.endsWith('.yaml') || name.endsWith('.test.yaml')) continue
    const document = parseDocument(readFileSync(join(resources, name), 'utf8'))
    for (const key of FOLLOWS) document.delete(key)
    writeFileSync(join(resources, name), document.toString())
  }
  return resources
}

/** Changes of tickets that people are told of, and comments, in equal parts; each time round another status. */
function loadOn(url: string, token: string, tickets: readonly number[], statuses: readonly number[]): Load {
  const requests = statuses.flatMap((_, round) =>
    tickets.map((id, i) => {
      const path = `/api/v1/tickets/${id}`
      if (i % 2 === 0)
        return { method: 'POST', path: `${path}/comments`, body: JSON.stringify({ comment: 'We look into it ({n}).' }) }
      return { method: 'PATCH', path, body: JSON.stringify({ status_id: statuses[(i + round) % statuses.length] }) }
    }),
  )
  const [rate, seconds] = [Number(options.rate), Number(options.seconds)]
  return { url, headers: { Authorization: `Bearer ${token}` }, requests, seconds, rate }
}

interface Measured {
  readonly figures: LoadFigures
  /** Microseconds of processor time for each change, of the process and of its database. */
  readonly serverMicros: number
  readonly databaseMicros: number
  /** Seconds between a change and the moment when the slowest listener had worked it, at each look. */
  readonly lags: readonly number[]
  /** Changes that a listener had left when the load ended, and seconds until none was. */
  readonly left: number
  readonly drained: number
  /** Mails that waited in the queue then; they are worked before the processor times are taken. */
  readonly mails: number
}

/** How the listeners stand: the lag of the one that is behind most, in seconds, and the changes that wait for one of them. */
async function standing(url: string): Promise<{ readonly lag: number; readonly waiting: number }> {
  const answer = await fetch(`${url}/metrics`)
  if (!answer.ok) throw new Error(`/metrics answers ${answer.status}`)
  const text = await answer.text()
  const most = (pattern: RegExp): number =>
    Math.max(0, ...[...text.matchAll(pattern)].map(([, value]) => Number(value)))
  return {
    lag: most(/^plinth_listener_lag_seconds\{.*\} (\S+)$/gm),
    waiting: most(/^plinth_listener_changes\{.*state="waiting".*\} (\S+)$/gm),
  }
}

/** Jobs that are due, of which mails are nearly all, and those that run. */
async function queued(admin: pg.Client): Promise<number> {
  const sql = `select count(*) from plinth_job where status = 'running' or status = 'pending' and due_at <= now()`
  return Number((await admin.query<{ count: string }>(sql)).rows[0]?.count)
}

async function measure(server: Server, admin: pg.Client, load: Load): Promise<Measured> {
  const backends = async (): Promise<readonly number[]> => {
    const sql = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    return (await admin.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid)
  }
  const pids = [server.child.pid ?? 0]
  const before = { server: processorTimes(pids), database: processorTimes(await backends()) }
  const running = beginLoad(load)
  const lags: number[] = []
  const looking = new AbortController()
  const looks = (async () => {
    while (!looking.signal.aborted) {
      lags.push((await standing(server.url)).lag)
      await sleep(200)
    }
  })()
  const figures = await running.figures
  looking.abort()
  await looks
  const ended = performance.now()
  const { waiting: left } = await standing(server.url)
  await until(async () => (await standing(server.url)).waiting === 0, 120_000)
  const drained = (performance.now() - ended) / 1_000
  const mails = await queued(admin)
  await until(async () => (await queued(admin)) === 0, 240_000)
  // What was left counts too: the work is not cheaper for being late.
  const after = { server: processorTimes(pids), database: processorTimes(await backends()) }
  const micros = (seconds: number): number => Math.round((seconds * 1e6) / figures.sent)
  return {
    figures,
    serverMicros: micros(secondsBetween(before.server, after.server)),
    databaseMicros: micros(secondsBetween(before.database, after.database)),
    lags: lags.sort((one, other) => one - other),
    left,
    drained,
    mails,
  }
}

function envOf(databaseUrl: string, alone: boolean): NodeJS.ProcessEnv {
  const RESOURCES_DIR = filesOf(alone)
  const DATA_DIR = join(folder, 'data')
  return bare({
    ...ADMIN_ENV,
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    DATA_DIR,
    RESOURCES_DIR,
    NODE_ENV: 'production',
  })
}

async function run(databaseUrl: string, admin: pg.Client, alone: boolean): Promise<Measured> {
  const server = await startServer(PROGRAM, process.cwd(), envOf(databaseUrl, alone))
  try {
    const { rows } = await admin.query<{ id: string }>('select id from tickets order by id % 997, id limit 1000')
    const { rows: statuses } = await admin.query<{ id: string }>(
      `select id from statuses where category in ('open', 'pending') order by id`,
    )
    const ids = (found: readonly { readonly id: string }[]): readonly number[] => found.map(({ id }) => Number(id))
    const load = loadOn(server.url, await adminToken(server.url), ids(rows), ids(statuses))
    // The first seconds compile statements; with the last round of statuses, of which the first one makes others.
    await beginLoad({ ...load, requests: load.requests.slice(-rows.length), seconds: 3 }).figures
    await until(async () => (await standing(server.url)).waiting === 0, 120_000)
    await until(async () => (await queued(admin)) === 0, 240_000)
    return await measure(server, admin, load)
  } finally {
    await server.stop('SIGTERM')
  }
}

function rowOf(
  name: string,
  { databaseMicros, drained, figures, lags, left, mails, serverMicros }: Measured,
): string[] {
  const at = (share: number): string => `${((lags[Math.floor(share * (lags.length - 1))] ?? 0) * 1_000).toFixed(0)} ms`
  const failed = Object.entries(figures.statuses).filter(([status]) => !/^2\d\d$/.test(status))
  return [
    name,
    `${figures.perSecond.toFixed(0)}/s`,
    failed.map(([status, count]) => `${count} × ${status}`).join(', ') || '0',
    `${figures.good.p50} / ${figures.good.p99} ms`,
    `${serverMicros} µs`,
    `${databaseMicros} µs`,
    `${at(0.5)} / ${at(0.99)}`,
    `${left}, ${drained.toFixed(1)} s`,
    String(mails),
  ]
}

const HEADINGS = [
  'desk',
  'changes',
  'failed',
  'p50 / p99',
  'Node CPU a change',
  'database CPU a change',
  'lag p50 / p99',
  'left at the end, worked in',
  'mails left then',
]

async function bench(databaseUrl: string): Promise<void> {
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  try {
    const env = envOf(databaseUrl, false)
    await (await startServer(PROGRAM, process.cwd(), env)).stop('SIGTERM')
    for (const sql of dataSql(10_000)) await admin.query(sql)
    await admin.query('vacuum analyze')
    const alone = await run(databaseUrl, admin, true)
    const whole = await run(databaseUrl, admin, false)
    const rows = [rowOf('without what follows', alone), rowOf('as it is shipped', whole)]
    process.stdout.write(`Node ${process.version}, ${options.rate} changes a second for ${options.seconds} s\n\n`)
    process.stdout.write(`${lines([HEADINGS, ...rows])}\n`)
  } finally {
    await admin.end()
  }
}

try {
  await onScratchDatabase(options.database, bench)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
