/**
 * What a process of the desk costs: `npm run bench:start` prints how long it takes to start and how much memory it holds,
 * on PostgreSQL and on the embedded database, what each of them answers, and what several processes cost together.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { runLoad } from '../faults/load.ts'
import { type BenchRequest, load } from './load.ts'
import { memoryNow, memoryPeak, processorTimes, secondsBetween } from './processor.ts'
import { ADMIN_ENV, adminToken, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines, median } from './table.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    redis: { type: 'string', default: process.env.BENCH_REDIS_URL ?? 'redis://127.0.0.1:6379' },
    seconds: { type: 'string', default: '5' },
    starts: { type: 'string', default: '5' },
  },
})
const seconds = Number(options.seconds)
/** To each process. */
const CONNECTIONS = 16
/** Tickets of the desk that is asked. */
const TICKETS = 500
/** How long a process has nothing to do before its memory is looked at. */
const IDLE_MS = 5_000
/** How long each process is asked before it is measured; several share what one has alone. */
const WARM_SECONDS = 3
/** Requests a second to each of several processes: few enough that all of them find a core free. */
const PACE = 100

const WORKS: readonly (readonly [name: string, goal: number, requests: readonly BenchRequest[]])[] = [
  ['get a ticket', 0.3, Array.from({ length: TICKETS }, (_, i) => ({ method: 'GET', path: `/tickets/${i + 1}` }))],
  ['list, 15 tickets, exact total', 0.4, [{ method: 'GET', path: '/tickets?sort=created_at&order=desc' }]],
  ['create a note', 0.45, [{ method: 'POST', path: '/notes', body: '{"name":"Call back ({n})"}' }]],
]

interface Kind {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
}

/** Memory that a process has in use, and the most that it ever had, in MB. */
function memoryOf({ child }: Server): { readonly now: number; readonly most: number } {
  return { now: memoryNow(child.pid!), most: memoryPeak(child.pid!) }
}

function begin({ env }: Kind): Promise<Server> {
  return startServer(PROGRAM, process.cwd(), env)
}

/** Seconds from the beginning of a process to its first answer. */
async function untilAnswer(kind: Kind): Promise<number> {
  const began = performance.now()
  const server = await begin(kind)
  const answer = await fetch(`${server.url}/api/v1/tickets`)
  if (answer.status !== 401) throw new Error(`${kind.name} answers ${answer.status}\n${server.output()}`)
  const took = (performance.now() - began) / 1000
  await server.stop('SIGTERM')
  return took
}

/** Makes the tickets that are asked for, a hundred at once. */
async function fill(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const ticket = { subject: 'The printer is out', details: 'Nothing comes out of it' }
  const body = JSON.stringify({ create: Array.from({ length: 100 }, () => ticket) })
  for (let made = 0; made < TICKETS; made += 100) {
    const sent = { ...headers, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v1/tickets/batch`, { method: 'POST', headers: sent, body })
    if (!answer.ok) throw new Error(`the tickets cannot be made: ${answer.status} ${await answer.text()}`)
  }
}

/** Answers a second of processes that are asked side by side, as fast as they answer. */
async function loaded(
  servers: readonly Server[],
  headers: Readonly<Record<string, string>>,
  work: readonly BenchRequest[],
  measuredSeconds = seconds,
): Promise<number> {
  const requests = work.map((one) => ({ ...one, path: `/api/v1${one.path}` }))
  const ask = (of: number) =>
    Promise.all(
      servers.map(({ url }) => load({ url, headers, requests, seconds: of, connections: CONNECTIONS, core: 1 })),
    )
  await ask(2)
  const results = await ask(measuredSeconds)
  const sum = (pick: (one: (typeof results)[number]) => number): number =>
    results.reduce((all, one) => all + pick(one), 0)
  if (sum(({ errors }) => errors) > 0) throw new Error(`${sum(({ errors }) => errors)} answers were no success`)
  return sum((one) => one.requests / one.seconds)
}

/**
 * Microseconds of processor time for each answer of processes that get so many requests a second each. Asked as fast as
 * they answer, many processes on few cores would tell what the system's scheduler costs, and not what they cost together.
 */
async function paced(
  servers: readonly Server[],
  headers: Readonly<Record<string, string>>,
  work: readonly BenchRequest[],
): Promise<number> {
  const pids = servers.map(({ child }) => child.pid!)
  const requests = work.map((one) => ({ ...one, path: `/api/v1${one.path}` }))
  const before = processorTimes(pids)
  const results = await Promise.all(servers.map(({ url }) => runLoad({ url, headers, requests, seconds, rate: PACE })))
  const used = secondsBetween(before, processorTimes(pids))
  const failed = results.flatMap(({ statuses }) => Object.keys(statuses)).filter((status) => !/^2\d\d$/.test(status))
  if (failed.length > 0) throw new Error(`answers with ${failed.join(', ')}`)
  return (used * 1e6) / results.reduce((all, { sent }) => all + sent, 0)
}

interface Figures {
  readonly starts: readonly number[]
  readonly idle: number
  readonly most: number
  /** Answers a second, by work. */
  readonly rates: readonly number[]
}

async function measure(kind: Kind): Promise<Figures> {
  process.stderr.write(`${kind.name} …\n`)
  const first = await begin(kind)
  await fill(first.url, { authorization: `Bearer ${await adminToken(first.url)}` })
  await first.stop('SIGTERM')
  const starts: number[] = []
  for (let i = 0; i < Number(options.starts); i += 1) starts.push(await untilAnswer(kind))
  const server = await begin(kind)
  try {
    await sleep(IDLE_MS)
    const idle = memoryOf(server).now
    const headers = { authorization: `Bearer ${await adminToken(server.url)}` }
    const rates: number[] = []
    for (const [, , requests] of WORKS) rates.push(await loaded([server], headers, requests))
    return { starts, idle, most: memoryOf(server).most, rates }
  } finally {
    await server.stop('SIGTERM')
  }
}

/** Several processes on one database: what a request costs each of them. */
async function together({ env }: Kind, counts: readonly number[]): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = []
  const alone: number[] = []
  for (const count of counts) {
    process.stderr.write(`${count} of them …\n`)
    const servers: Server[] = []
    for (let i = 0; i < count; i += 1)
      servers.push(await begin({ name: '', env: { ...env, REDIS_URL: options.redis } }))
    try {
      const headers = { authorization: `Bearer ${await adminToken(servers[0]!.url)}` }
      // What a process does just after it listens, and code that is compiled after its first thousands of requests.
      await sleep(IDLE_MS)
      for (const [, , requests] of WORKS) await loaded(servers, headers, requests, WARM_SECONDS * count)
      const cells: string[] = []
      for (const [at, [, , requests]] of WORKS.entries()) {
        const micros = await paced(servers, headers, requests)
        alone[at] ??= micros
        cells.push(`${Math.round(micros)} µs (${(micros / alone[at]!).toFixed(2)})`)
      }
      rows.push([`${count}`, ...cells])
    } finally {
      await Promise.all(servers.map((server) => server.stop('SIGTERM')))
    }
  }
  return rows
}

const mb = (value: number): string => `${Math.round(value)} MB`

function memoryTable(named: readonly (readonly [string, Figures])[]): string {
  const rows = named.map(([name, { starts, idle, most }]) => [
    name,
    `${median(starts).toFixed(2)} s`,
    mb(idle),
    mb(most),
  ])
  return lines([['database', 'start to the first answer', 'memory at rest', 'the most under load'], ...rows])
}

function ratesTable(server: Figures, embedded: Figures): string {
  const rows = WORKS.map(([name, goal], at) => {
    const [ours, theirs] = [embedded.rates[at] ?? 0, server.rates[at] ?? 1]
    return [name, `${Math.round(theirs)}/s`, `${Math.round(ours)}/s`, (ours / theirs).toFixed(2), goal.toFixed(2)]
  })
  return lines([['work', 'PostgreSQL', 'embedded', 'ratio', 'goal'], ...rows])
}

const folder = mkdtempSync(join(tmpdir(), 'plinth-start-'))
try {
  await onScratchDatabase(options.database, async (DATABASE_URL) => {
    const common = { ...ADMIN_ENV, NODE_ENV: 'production', APP_SECRET: 'a secret of the benchmark and of nothing else' }
    const kind = (name: string, env: Readonly<Record<string, string>>): Kind => ({
      name,
      env: bare({ ...common, DATA_DIR: join(folder, name), ...env }),
    })
    const onServer = kind('PostgreSQL', { DATABASE_URL })
    const server = await measure(onServer)
    const embedded = await measure(kind('embedded', {}))
    const counted = await together(onServer, [1, 2, 4])
    console.log(
      memoryTable([
        ['PostgreSQL', server],
        ['embedded', embedded],
      ]),
    )
    console.log(`\n${ratesTable(server, embedded)}`)
    console.log(`\n${lines([['processes', ...WORKS.map(([name]) => `Node CPU: ${name}`)], ...counted])}`)
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
