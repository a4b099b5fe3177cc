/** Measures the engine against the hand-written reference on the same data; `npm run bench` prints the table. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Contender, startContender } from './contender.ts'
import { COMMENT_COUNT, dataSql } from './data.ts'
import { compareGrowth } from './growth.ts'
import { type BenchRequest, GENERATOR, load } from './load.ts'
import { pin, processorTimes, secondsBetween } from './processor.ts'
import { ADMIN_ENV, adminToken, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { latencies, type Round, row, type Sample, table } from './table.ts'
import { type Facts, listPath, SAID, type Workload, workloads } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    comments: { type: 'string', default: String(COMMENT_COUNT) },
    only: { type: 'string' },
    growth: { type: 'boolean' },
  },
})
const SERVER_CORE = 0
const OTHER_CORE = 1
/** Code is compiled after its first thousands of runs, and a server runs for longer than that. */
const WARM_SECONDS = 5
const seconds = Number(options.seconds)
const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))

/** The desk's own YAML, with a list that is searched in comments. */
const resources = join(folder, 'resources')
cpSync('resources', resources, { recursive: true })
writeFileSync(join(resources, 'said_tickets.yaml'), SAID)

const ENGINE_ENV = {
  ...ADMIN_ENV,
  APP_SECRET: 'a secret of the benchmark and of nothing else',
  DATA_DIR: folder,
  RESOURCES_DIR: resources,
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
}

function startEngine(databaseUrl: string, admin: pg.Client): Promise<Contender> {
  const args = ['dist/engine/cli/main.js', 'start']
  return startContender({ name: 'engine', args, port: 4711, core: SERVER_CORE, databaseUrl, env: ENGINE_ENV, admin })
}

function startReference(databaseUrl: string, admin: pg.Client): Promise<Contender> {
  const args = ['--import', 'tsx', 'test/bench/reference.ts']
  return startContender({ name: 'reference', args, port: 4712, core: SERVER_CORE, databaseUrl, env: {}, admin })
}

async function login(engine: Contender): Promise<Contender> {
  return { ...engine, headers: { Authorization: `Bearer ${await adminToken(engine.url)}` } }
}

async function cursorsOf(engine: Contender, list: string): Promise<Facts['cursors']> {
  const cursors: { engine: string; reference: string }[] = []
  let cursor = 'first'
  while (cursors.length < 60) {
    const answer = await fetch(`${engine.url}/api/v1/tickets${list}&cursor=${encodeURIComponent(cursor)}`, {
      headers: engine.headers,
    })
    const page = (await answer.json()) as {
      data: { id: number; created_at: string }[]
      meta: { pagination: { next_cursor: string | null } }
    }
    const last = page.data.at(-1)
    if (last === undefined || page.meta.pagination.next_cursor === null) break
    cursor = page.meta.pagination.next_cursor
    cursors.push({ engine: cursor, reference: `${last.created_at}|${last.id}` })
  }
  return cursors
}

async function gatherFacts(admin: pg.Client, engine: Contender): Promise<Facts> {
  const { rows } = await admin.query<Omit<Facts, 'cursors'>>(`select
    (select min(id) from statuses) as "statusId", (select id from priorities order by id offset 1 limit 1) as "priorityId",
    (select min(id) from categories) as "categoryId", (select min(id) from departments) as "departmentId",
    (select min(id) from types) as "typeId", (select min(id) from contacts) as "contactId",
    (select min(u.id) from users u join roles r on r.id = u.role_id where r.slug = 'agent') as "agentId",
    (select min(id) from tickets) as "firstTicketId"`)
  // Ids are bigint on some databases, which pg gives as text.
  const ids = Object.entries(rows[0] ?? {}).map(([name, id]) => [name, Number(id)])
  const facts = Object.fromEntries(ids) as Omit<Facts, 'cursors'>
  return { ...facts, cursors: await cursorsOf(engine, listPath(facts)) }
}

async function measure(
  contender: Contender,
  requests: Workload['engine'],
  duration: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Sample> {
  const backends = await contender.backends()
  pin(backends, OTHER_CORE)
  const before = { server: processorTimes([contender.pid]), database: processorTimes(backends) }
  const { url, headers } = contender
  const connections = Math.min(most, Number(options.connections))
  const result = await load({ url, headers, requests, seconds: duration, connections, core: OTHER_CORE })
  const after = { server: processorTimes([contender.pid]), database: processorTimes(await contender.backends()) }
  const micros = (used: number): number => (used * 1e6) / Math.max(1, result.requests)
  return {
    perSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    serverMicros: micros(secondsBetween(before.server, after.server)),
    databaseMicros: micros(secondsBetween(before.database, after.database)),
    errors: result.errors,
  }
}

async function answerOf(contender: Contender, { method, path, body }: BenchRequest): Promise<unknown> {
  const headers = { ...contender.headers, 'content-type': 'application/json' }
  const answer = await fetch(contender.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  if (!answer.ok)
    throw new Error(`${contender.name} answers ${answer.status} to ${method} ${path}: ${await answer.text()}`)
  return ((await answer.json()) as { data: unknown }).data
}

/** The keys of an answer, of all that it holds, without the values. */
function shapeOf(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(shapeOf)
  if (data === null || typeof data !== 'object') return 0
  return Object.entries(data)
    .map(([key, value]) => [key, shapeOf(value)])
    .sort()
}

/** A contender that leaves something out would win: both must answer as many rows, with the same keys. */
async function mustAgree(workload: Workload, engine: Contender, reference: Contender): Promise<void> {
  for (const [index, request] of workload.engine.slice(0, 20).entries()) {
    const other = workload.reference[index] ?? request
    const [ours, theirs] = await Promise.all([answerOf(engine, request), answerOf(reference, other)])
    if (JSON.stringify(shapeOf(ours)) === JSON.stringify(shapeOf(theirs))) continue
    const [first, second] = [ours, theirs].map((data) => JSON.stringify(Array.isArray(data) ? data[0] : data))
    throw new Error(`${workload.name}: the answers differ, in keys or in their number:\n${first}\n${second}`)
  }
}

async function measureWorkload(workload: Workload, engine: Contender, reference: Contender): Promise<readonly Round[]> {
  await mustAgree(workload, engine, reference)
  const by = (who: Contender, of: 'engine' | 'reference', duration: number): Promise<Sample> =>
    measure(who, workload[of], duration, workload.connections)
  await by(engine, 'engine', WARM_SECONDS)
  await by(reference, 'reference', WARM_SECONDS)
  const rounds: Round[] = []
  for (let round = 0; round < Number(options.rounds); round += 1) {
    // Whoever goes first finds the machine as the other left it, so they take turns.
    const first = round % 2 === 0 ? await by(engine, 'engine', seconds) : undefined
    const other = await by(reference, 'reference', seconds)
    rounds.push({ engine: first ?? (await by(engine, 'engine', seconds)), reference: other })
  }
  return rounds
}

async function prepare(databaseUrl: string, admin: pg.Client): Promise<void> {
  const empty = await startEngine(databaseUrl, admin)
  await empty.stop()
  for (const sql of dataSql(Number(options.comments))) await admin.query(sql)
  await admin.query('vacuum analyze')
}

async function compare(engine: Contender, reference: Contender, admin: pg.Client): Promise<void> {
  const chosen = workloads(await gatherFacts(admin, engine)).filter(({ name }) => name.includes(options.only ?? ''))
  const rows: (readonly string[])[] = []
  for (const workload of chosen) {
    process.stderr.write(`${workload.name} …\n`)
    const measured = await measureWorkload(workload, engine, reference)
    process.stderr.write(`${latencies(measured)}\n`)
    rows.push(row(workload.name, measured))
  }
  const { connections, rounds } = options
  process.stdout.write(
    `Node ${process.version}, ${GENERATOR}, ${connections} connections, ${rounds} rounds of ${seconds} s\n\n`,
  )
  process.stdout.write(`${table(rows)}\n`)
}

async function bench(databaseUrl: string): Promise<void> {
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  const contenders: Contender[] = []
  try {
    process.stderr.write('making the tables and the data …\n')
    const began = performance.now()
    await prepare(databaseUrl, admin)
    process.stderr.write(`made in ${Math.round((performance.now() - began) / 1000)} s\n`)
    const engine = await startEngine(databaseUrl, admin)
    contenders.push(engine)
    const reference = await startReference(databaseUrl, admin)
    contenders.push(reference)
    await compare(await login(engine), reference, admin)
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
    await admin.end()
  }
}

try {
  if (options.growth) await compareGrowth(options.database)
  else await onScratchDatabase(options.database, bench)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
