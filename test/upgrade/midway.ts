/**
 * Leaves a version in the middle of its work: `npm run upgrade:data -- midway <version>` goes on with its set of data by its
 * own program, whose mails go nowhere, kills it during an import that follows a burst of tickets, and on PostgreSQL kills a
 * start during a change of a table. The set keeps what is left.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { EXTENSIONS } from '../../engine/database/snapshot.ts'
import { bare, startServer } from '../cli/server.ts'
import { commitOf, earlierProgram, lastingDesk, run } from '../support/earlier-program.ts'
import { until } from '../support/wait.ts'
import { packed, packFolder, unpacked, unpackFolder } from './archive.ts'
import { type Desk, deskAt } from './client.ts'
import type { Sown } from './sow.ts'

/** What was answered with success before the end. */
export interface Midway {
  /** Subjects of tickets. */
  readonly acknowledged: readonly string[]
  /** The subjects of the rows of an import that was taken as a job. */
  readonly imported: readonly string[]
  /** Changes that a listener had not worked, and jobs that had not ended, by name. */
  readonly left: Readonly<Record<string, number>>
  /** Whether a change of a table was cut off. */
  readonly isChanging: boolean
}

/** More than an import commits at once, and than the desk imports without a job. */
const ROWS = 60
/** Versions tell customers of new tickets by mail: with all of them the work that is left would take minutes. */
const TOLD = 4
/** Nobody listens there, so mails wait for a later try. */
const NOWHERE = 'smtp://127.0.0.1:9'

const LEFT = `select l.name, count(*) from plinth_listener l join plinth_change c on not pg_visible_in_snapshot(c.xid, l.done)
    group by 1 union all
  select 'job ' || name, count(*) from plinth_job where finished_at is null group by 1`

async function importRows(desk: Desk, token: string): Promise<readonly string[]> {
  const subjects = Array.from({ length: ROWS }, (_, row) => `Row of the import ${row}`)
  const form = new FormData()
  const text = `Subject,Details\n${subjects.map((subject) => `${subject},Of a file`).join('\n')}\n`
  form.set('file', new Blob([text], { type: 'text/csv' }), 'tickets.csv')
  const answer = await desk.call('POST', '/tickets/import', token, form)
  if (answer.status !== 202) throw new Error(`the import was answered ${answer.status}: ${answer.body.message}`)
  return subjects
}

/** Deletes the customers but a few. */
async function fewerCustomers(desk: Desk, { people, ids }: Sown): Promise<void> {
  const { token } = people.admin!
  for (const id of (ids['/customers'] ?? []).slice(TOLD)) {
    const { status, text } = await desk.call('DELETE', `/customers/${id}`, token)
    if (status !== 204 && status !== 404) throw new Error(`${status} ${text}`)
  }
}

/** Waits until rows of the import are there, for less than it needs in all: a version that commits it whole shows none. */
async function begun(desk: Desk, token: string): Promise<void> {
  for (let look = 0; look < 10; look += 1) {
    const { list } = await desk.call('GET', '/tickets?per_page=1&sort=-id', token)
    if (String(list[0]?.subject).startsWith('Row of the import')) return
    // Ten looks take less than the import does.
    await sleep(5)
  }
}

/** Tickets at once; gives the subjects that were acknowledged. */
async function burst(desk: Desk, { people, ids }: Sown): Promise<readonly string[]> {
  const { token } = people.admin!
  const acknowledged: string[] = []
  const send = async (_: unknown, at: number): Promise<void> => {
    const subject = `Of the burst ${at}`
    const body = { subject, details: 'In the last moment', assigned_to: ids['/users']?.[at % 2] }
    const { status, text } = await desk.call('POST', '/tickets', token, body)
    // A version that is full, or on a machine that is, says so, and has acknowledged nothing.
    if (status === 503 || status === 408) return
    if (status !== 201) throw new Error(`${status} ${text}`)
    acknowledged.push(subject)
  }
  await Promise.all(Array.from({ length: 40 }, send))
  return acknowledged
}

/** Starts with one index more while somebody writes to the table, and kills the start when it waits for that. */
async function unfinishedChange(main: string, cwd: string, env: NodeJS.ProcessEnv, url: string): Promise<void> {
  const file = join(String(env.RESOURCES_DIR), 'tickets.yaml')
  const text = readFileSync(file, 'utf8')
  // An index that is built beside writers waits for those that were there before it.
  writeFileSync(
    file,
    text.replace(/^indexes:\n|$(?![\s\S])/m, (head) => `${head || '\nindexes:\n'}  - [due_date, uid]\n`),
  )
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin; lock table tickets in row exclusive mode')
    const child = spawn(process.execPath, [main, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += String(part)))
    const gone = once(child, 'exit')
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the start ended before the change: ${said}`)
      const { rows } = await client.query(`select count(*)::int as found from pg_index where not indisvalid`)
      return rows[0].found > 0
    }, 120_000)
    child.kill('SIGKILL')
    await gone
    await client.query('rollback')
  } finally {
    await client.end()
    writeFileSync(file, text)
  }
}

type Rows = readonly { readonly name: string; readonly count: string | number }[]

function counts(rows: Rows): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]))
}

async function leftOn(url: string): Promise<Readonly<Record<string, number>>> {
  return onServer(url, async (client) => counts((await client.query(LEFT)).rows as Rows))
}

/** Versions without the table of facts change nothing while they are used. */
async function hasFacts(url: string): Promise<boolean> {
  const there = `select to_regclass('plinth_fact') is not null as there`
  return onServer(url, async (client) => (await client.query(there)).rows[0].there)
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Looks into a copy, because opening a cluster that was killed changes it. */
async function leftEmbedded(cluster: string): Promise<Readonly<Record<string, number>>> {
  const copy = `${cluster}.looked`
  cpSync(cluster, copy, { recursive: true })
  const opened = await PGlite.create(copy, { extensions: EXTENSIONS })
  try {
    return counts((await opened.query(LEFT)).rows as Rows)
  } finally {
    await opened.close()
    rmSync(copy, { recursive: true })
  }
}

async function leave(version: string, set: string, work: string, database: string | undefined): Promise<void> {
  const kind = database === undefined ? 'embedded' : 'postgres'
  const program = earlierProgram(await commitOf(version))
  const kept = JSON.parse(String(await unpacked(readFileSync(join(set, `${kind}.json.br`))))) as { sown: Sown }
  const dataDir = join(work, kind)
  mkdirSync(dataDir)
  const base = readFileSync(join(set, `${kind}.data.br`))
  await unpackFolder(base, dataDir)
  const env = bare({
    DATA_DIR: dataDir,
    DATABASE_URL: database,
    RESOURCES_DIR: join(work, 'resources'),
    PLUGINS_DIR: join(program, 'plugins'),
    BASE_URL: 'https://desk.example',
    SMTP_URL: NOWHERE,
    RATE_LIMIT: '1000000',
  })
  const main = join(program, 'dist/engine/cli/main.js')
  const server = await startServer(main, program, env)
  const desk = deskAt(server.url)
  const { token } = kept.sown.people.admin!
  await fewerCustomers(desk, kept.sown)
  const acknowledged = await burst(desk, kept.sown)
  const imported = await importRows(desk, token)
  await begun(desk, token)
  await server.stop('SIGKILL')
  rmSync(join(dataDir, 'database.lock'), { force: true })
  const left = database === undefined ? await leftEmbedded(join(dataDir, 'database')) : await leftOn(database)
  if (left['job csv.import'] === undefined) throw new Error('the import ended before the program did: try again')
  const isChanging = database !== undefined && (await hasFacts(database))
  if (isChanging) await unfinishedChange(main, program, env, database)
  if (database !== undefined) {
    const sql = run('pg_dump', ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', database])
    writeFileSync(join(set, 'postgres.midway.sql.br'), await packed(sql))
  }
  writeFileSync(join(set, `${kind}.midway.data.br`), await packFolder(dataDir, base))
  const told: Midway = { acknowledged, imported, left, isChanging }
  writeFileSync(join(set, `${kind}.midway.json.br`), await packed(JSON.stringify(told)))
  console.info(kind, left, isChanging, acknowledged.length)
}

/** The desk's files in the folder, with imports that are jobs where they have 20 rows. */
async function midwayDesk(version: string, resources: string): Promise<void> {
  lastingDesk(earlierProgram(await commitOf(version)), resources)
  const app = join(resources, 'app.yaml')
  writeFileSync(app, readFileSync(app, 'utf8').replace(/\bjob_rows: \d+/, 'job_rows: 20'))
}

async function leaveOnPostgres(version: string, set: string, work: string, server: string): Promise<void> {
  const database = `plinth_midway_${process.pid}`
  const url = new URL(server)
  url.pathname = `/${database}`
  await onServer(server, (client) => client.query(`create database ${database}`))
  try {
    const sql = String(await unpacked(readFileSync(join(set, 'postgres.sql.br'))))
    await onServer(String(url), (client) => client.query(sql.replaceAll(/^\\(un)?restrict .*$/gm, '')))
    await leave(version, set, work, String(url))
  } finally {
    await onServer(server, (client) => client.query(`drop database ${database} with (force)`))
  }
}

/** On one of the two databases, or on both. `work` is an empty folder, `server` the address of a PostgreSQL. */
export async function leaveMidway(
  version: string,
  set: string,
  work: string,
  { server, kind }: { readonly server: string; readonly kind?: string | undefined },
): Promise<void> {
  await midwayDesk(version, join(work, 'resources'))
  if (kind !== 'embedded') await leaveOnPostgres(version, set, work, server)
  if (kind !== 'postgres') await leave(version, set, work, undefined)
}
