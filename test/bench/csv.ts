/** CSV files against PostgreSQL's own COPY: `npm run bench:csv` prints how long both take, and how a get beside them fares. */
import { cpSync, mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { until } from '../support/wait.ts'
import { copyOut } from './copy.ts'
import { copyFile, SUBJECTS, type Subject, writeFileOf } from './csv-files.ts'
import { dataSql } from './data.ts'
import { memoryPeak, processorTimes, resetMemoryPeak, secondsBetween } from './processor.ts'
import { ADMIN_ENV, adminToken, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines, median } from './table.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    rows: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
})
const ROWS = Number(options.rows)
const ROUNDS = Number(options.rounds)
/** A get begins so long after the one before began. */
const GET_EVERY_MS = 20
const USUAL_MS = 3_000
const folder = mkdtempSync(join(tmpdir(), 'plinth-csv-'))

/** The desk's YAML; notes are a file too, and no file is too large. */
function resources(): string {
  const path = join(folder, 'resources')
  cpSync('resources', path, { recursive: true })
  const rewrite = (name: string, change: (text: string) => string): void =>
    writeFileSync(join(path, name), change(readFileSync(join(path, name), 'utf8')))
  const columns = '{ User: user.email, Name: { path: name, required: true }, Details: details }'
  rewrite('notes.yaml', (text) => `${text}\ncsv:\n  import: [{ who: signed_in }]\n  columns: ${columns}\n`)
  rewrite('app.yaml', (text) => text.replace(/import_bytes: \d+/, 'import_bytes: 104857600'))
  return path
}

/** The columns and the order of an export of tickets. One process does it: what helpers use would not be counted. */
const EXPORT = `copy (select t.uid, t.subject, p.name, c.name, s.name, d.name, st.name, a.email,
    a.first_name || ' ' || a.last_name, t.created_at, t.details, ty.name, u.email, k.email, t.due_date, t.tags,
    t.resolved_at, t.closed_at, t.first_response_at, u.first_name || ' ' || u.last_name
  from tickets t left join priorities p on p.id = t.priority_id left join categories c on c.id = t.category_id
    left join categories s on s.id = t.sub_category_id left join departments d on d.id = t.department_id
    left join statuses st on st.id = t.status_id left join users a on a.id = t.assigned_to
    left join types ty on ty.id = t.type_id left join users u on u.id = t.user_id
    left join contacts k on k.id = t.contact_id
  where t.deleted_at is null order by t.id) to stdout (format csv)`

/** One run of one side: seconds by the clock and of processor time, and milliseconds of the gets beside it. */
interface Run {
  readonly seconds: number
  readonly node: number
  readonly database: number
  /** Of the server, in MB. */
  readonly peak: number
  readonly gets: readonly number[]
}

interface Both {
  readonly engine: Run
  readonly copy: Run
}

interface Desk {
  readonly server: Server
  readonly pid: number
  readonly headers: Readonly<Record<string, string>>
  readonly admin: pg.Client
  /** Ids of tickets that the gets ask for. */
  readonly ids: readonly number[]
}

async function ask(desk: Desk, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(`${desk.server.url}/api/v1${path}`, {
    headers: { 'accept-encoding': 'identity', ...desk.headers },
    ...init,
  })
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  return answer
}

/** Milliseconds of gets, one after the other, until it is told to end. */
async function getsUntil(desk: Desk, signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = []
  while (!signal.aborted) {
    const began = performance.now()
    await (await ask(desk, `/tickets/${desk.ids[times.length % desk.ids.length]}`)).arrayBuffer()
    times.push(performance.now() - began)
    await sleep(Math.max(0, GET_EVERY_MS - (performance.now() - began)))
  }
  return times
}

/** Measures a piece of work, whose Node process is `node`, with gets beside it. */
async function measured(desk: Desk, node: number, work: () => Promise<unknown>): Promise<Run> {
  const backends = async (): Promise<readonly number[]> => {
    const sql = 'select pid from pg_stat_activity where datname = current_database()'
    return (await desk.admin.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid)
  }
  await until(async () => (await waiting(desk)) === 0, 300_000)
  await desk.admin.query('checkpoint')
  resetMemoryPeak(desk.pid)
  const before = { node: processorTimes([node]), database: processorTimes(await backends()) }
  const ending = new AbortController()
  const gets = getsUntil(desk, ending.signal)
  const began = performance.now()
  try {
    await work()
  } finally {
    ending.abort()
  }
  const seconds = (performance.now() - began) / 1000
  const after = { node: processorTimes([node]), database: processorTimes(await backends()) }
  return {
    seconds,
    node: secondsBetween(before.node, after.node),
    database: secondsBetween(before.database, after.database),
    peak: memoryPeak(desk.pid),
    gets: await gets,
  }
}

/** Changes that a listener has not worked yet. */
async function waiting(desk: Desk): Promise<number> {
  const text = await (await fetch(`${desk.server.url}/metrics`)).text()
  const found = text.matchAll(/^plinth_listener_changes\{.*state="waiting".*\} (\S+)$/gm)
  return Math.max(0, ...[...found].map(([, value]) => Number(value)))
}

async function exported(desk: Desk): Promise<void> {
  const { body } = await ask(desk, '/tickets/export')
  for await (const _ of body!);
}

/** Sends the file as somebody does who then looks how far it is. */
async function imported(desk: Desk, { name }: Subject, path: string): Promise<void> {
  const body = new FormData()
  body.set('file', await openAsBlob(path, { type: 'text/csv' }), 'file.csv')
  const sent = await ask(desk, `/${name}/import`, { method: 'POST', body })
  const { data } = (await sent.json()) as { data: { job_id: string } }
  for (;;) {
    await sleep(50)
    const answer = await ask(desk, `/jobs/${data.job_id}`)
    const job = ((await answer.json()) as { data: { status: string; result: { imported: number } | null } }).data
    if (job.status === 'completed' && job.result?.imported === ROWS) return
    if (job.status === 'completed' || job.status === 'failed')
      throw new Error(`the import is ${job.status}: ${JSON.stringify(job).slice(0, 500)}`)
  }
}

/** Both fill the table as it was before them. */
async function compareImports(desk: Desk, subject: Subject): Promise<readonly Both[]> {
  const { admin, pid } = desk
  const path = join(folder, `${subject.name}.csv`)
  const [row] = (await admin.query<{ last: string }>(`select coalesce(max(id), 0) as last from ${subject.name}`)).rows
  const asBefore = async (): Promise<void> => {
    // No other table names these rows, and to look for that takes minutes.
    await admin.query('set session_replication_role = replica')
    await admin.query(`delete from ${subject.name} where id > ${row?.last}`)
    await admin.query('reset session_replication_role')
    await admin.query(`vacuum analyze ${subject.name}`)
  }
  const rounds: Both[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await writeFileOf(subject, path, ROWS, round)
    const copy = await measured(desk, process.pid, () => copyFile(admin, subject, path))
    await asBefore()
    const engine = await measured(desk, pid, () => imported(desk, subject, path))
    await asBefore()
    rounds.push({ copy, engine })
    tell(`import of ${subject.name}`, { copy, engine })
  }
  return rounds
}

async function compareExports(desk: Desk): Promise<readonly Both[]> {
  const rounds: Both[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const copy = await measured(desk, process.pid, () => copyOut(desk.admin, EXPORT))
    const engine = await measured(desk, desk.pid, () => exported(desk))
    rounds.push({ copy, engine })
    tell('export', { copy, engine })
  }
  return rounds
}

function tell(name: string, { copy, engine }: Both): void {
  process.stderr.write(`${name}: ${engine.seconds.toFixed(2)} s, COPY ${copy.seconds.toFixed(2)} s\n`)
}

const HEADINGS = ['work', 'rows/s', 'COPY', 'ratio', 'Node CPU (COPY)', 'database CPU (COPY)', 'peak', 'get p50 / p99']

function latency(gets: readonly number[]): string {
  const sorted = [...gets].sort((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `${at(0.5)} / ${at(0.99)} ms`
}

function rowOf(name: string, rows: number, rounds: readonly Both[]): readonly string[] {
  const of = (pick: (both: Both) => number): number => median(rounds.map(pick))
  const both = (pick: (run: Run) => number): string =>
    `${of(({ engine }) => pick(engine)).toFixed(2)} s (${of(({ copy }) => pick(copy)).toFixed(2)} s)`
  const side = (gets: keyof Both): string => latency(rounds.flatMap((one) => one[gets].gets))
  return [
    `${name}, ${rows.toLocaleString('en')} rows`,
    Math.round(rows / of(({ engine }) => engine.seconds)).toLocaleString('en'),
    Math.round(rows / of(({ copy }) => copy.seconds)).toLocaleString('en'),
    of(({ copy, engine }) => copy.seconds / engine.seconds).toFixed(2),
    both(({ node }) => node),
    both(({ database }) => database),
    `${Math.max(...rounds.map(({ engine }) => engine.peak)).toFixed(0)} MB`,
    `${side('engine')} (${side('copy')})`,
  ]
}

async function compare(desk: Desk): Promise<void> {
  const wanted = (name: string): boolean => name.includes(options.only)
  // The first answers compile statements.
  for (let i = 0; i < 200; i += 1) await (await ask(desk, `/tickets/${desk.ids[i]}`)).arrayBuffer()
  const alone = await measured(desk, desk.pid, () => sleep(USUAL_MS))
  const rows: (readonly string[])[] = []
  if (wanted('export of tickets')) rows.push(rowOf('export of tickets', 100_000, await compareExports(desk)))
  for (const subject of SUBJECTS) {
    const name = `import of ${subject.name}`
    if (wanted(name)) rows.push(rowOf(name, ROWS, await compareImports(desk, subject)))
  }
  process.stdout.write(`Node ${process.version}, ${ROUNDS} rounds; alone the server takes at most `)
  process.stdout.write(`${alone.peak.toFixed(0)} MB, and a get ${latency(alone.gets)}\n\n`)
  process.stdout.write(`${lines([HEADINGS, ...rows])}\n`)
}

async function bench(databaseUrl: string): Promise<void> {
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  const own = { HOST: '127.0.0.1', DATABASE_URL: databaseUrl, NODE_ENV: 'production' }
  const env = bare({ ...ADMIN_ENV, ...own, RESOURCES_DIR: resources(), DATA_DIR: join(folder, 'data') })
  try {
    await (await startServer(PROGRAM, process.cwd(), env)).stop('SIGTERM')
    for (const sql of dataSql(1_000)) await admin.query(sql)
    // An import names only customers whose addresses are known to be theirs.
    await admin.query('update users set email_verified = true')
    await admin.query('vacuum analyze')
    await admin.query('set max_parallel_workers_per_gather = 0')
    const { rows } = await admin.query<{ id: string }>('select id from tickets order by id % 997, id limit 1000')
    const server = await startServer(PROGRAM, process.cwd(), env)
    const headers = { Authorization: `Bearer ${await adminToken(server.url)}` }
    const pid = server.child.pid ?? 0
    try {
      await compare({ server, pid, headers, admin, ids: rows.map(({ id }) => Number(id)) })
    } finally {
      await server.stop('SIGTERM')
    }
  } finally {
    await admin.end()
  }
}

try {
  await onScratchDatabase(options.database, bench)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
