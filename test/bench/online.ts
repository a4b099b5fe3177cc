/** Changes a large desk while it is used; `npm run bench:online` prints how each change was felt. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { beginLoad, type Load, type LoadFigures } from '../faults/load.ts'
import { dataSql } from './data.ts'
import { ADMIN_ENV, adminToken, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines } from './table.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    tickets: { type: 'string', default: '1000000' },
    reads: { type: 'string', default: '100' },
    writes: { type: 'string', default: '20' },
  },
})
/** How long the desk is used before a change, and how long after it. */
const USUAL_S = 15
const AFTER_S = 3
const folder = mkdtempSync(join(tmpdir(), 'plinth-online-'))
const resources = join(folder, 'resources')

/** What a field says, or the absence of it. */
interface Fields {
  readonly [name: string]: string | undefined
}

const FIRST: Fields = { order_no: '{ type: string, max: 20 }', weight: '{ type: integer }' }
const CHANNEL = (words: string): string => `{ type: enum, values: [${words}], default: mail, nullable: false }`
const VISITS = `resource: visits
label: Visit
fields: { note: { type: string, max: 200 } }
relations: { ticket: { belongs_to: tickets } }
policies: { view: [{ role: admin }], create: [{ role: admin }] }
`

interface Change {
  readonly title: string
  readonly fields: Fields
  readonly index?: string
  readonly visits?: true
}

/** Changes of the files, one after the other. */
function changes(): readonly Change[] {
  const added: Fields = { ...FIRST, channel: CHANNEL('mail, phone') }
  const { order_no: _, ...others } = added
  const named = { ...others, order_number: '{ type: string, max: 20, renamed_from: order_no }' }
  const required = { ...named, weight: '{ type: integer, nullable: false, default: 0, backfill: 0 }' }
  const typed = { ...required, order_number: '{ type: integer }' }
  const { weight: __, ...removed } = typed
  const wider = { ...typed, channel: CHANNEL('mail, phone, chat') }
  const index = 'channel'
  return [
    { title: 'a field with an index is added', fields: added, index },
    { title: 'a field gets another name', fields: named, index },
    { title: 'a field is required, with a backfill', fields: required, index },
    { title: 'a text becomes a number', fields: typed, index },
    { title: 'a field is removed', fields: removed, index },
    { title: 'it is brought back', fields: typed, index },
    { title: 'an enum gets another word', fields: wider, index },
    { title: 'a resource with a relation is added', fields: wider, index, visits: true },
  ]
}

const TICKETS = readFileSync('resources/tickets.yaml', 'utf8')

/** Writes the files of a version. */
function write(fields: Fields, index: string | undefined, visits = false): void {
  const said = Object.entries(fields).map(([name, text]) => `  ${name}: ${text}\n`)
  const indexed = index === undefined ? '' : `  - [${index}]\n`
  const text = TICKETS.replace(/^fields:\n/m, (head) => head + said.join('')).replace(
    /^indexes:\n/m,
    (head) => head + indexed,
  )
  writeFileSync(join(resources, 'tickets.yaml'), text)
  if (visits) writeFileSync(join(resources, 'visits.yaml'), VISITS)
}

/** Makes the rows many: copies of those that are there, with the indexes that only speed reads made anew by the next start. */
async function multiply(admin: pg.Client, wanted: number): Promise<void> {
  const { rows: indexes } = await admin.query<{
    name: string
  }>(`select i.indexrelid::regclass::text as name from pg_index i
    where i.indrelid = 'tickets'::regclass and not i.indisunique`)
  for (const { name } of indexes) await admin.query(`drop index ${name}`)
  const { rows } = await admin.query<{ there: string }>('select count(*) as there from tickets')
  const there = Number(rows[0]?.there)
  const columns = `subject, details, status_id, priority_id, category_id, department_id, type_id, user_id, contact_id,
    assigned_to, due_date, tags, created_at, updated_at`
  await admin.query(
    `insert into tickets (${columns}) select ${columns} from tickets, generate_series(2, ${Math.ceil(wanted / there)})`,
  )
  await admin.query(`update tickets set order_no = id::text, weight = case when id % 2 = 0 then id % 100 end`)
  await admin.query('vacuum analyze')
}

/** One row of the table. */
function rowOf(title: string, seconds: number, usual: LoadFigures, { good, sent, statuses }: LoadFigures): string[] {
  const failed = Object.entries(statuses).filter(([status]) => !/^2\d\d$/.test(status))
  const told = failed.map(([status, count]) => `${count} × ${status}`).join(', ')
  return [
    title,
    `${seconds.toFixed(1)} s`,
    `${sent}`,
    told || '0',
    `${usual.good.p99} ms`,
    `${good.p99} ms`,
    `${good.most} ms`,
  ]
}

const HEADINGS = ['change', 'time', 'requests', 'failed', 'p99 before', 'p99', 'longest']

/** What must be the same after each change. */
async function sums(admin: pg.Client, fields: Fields): Promise<string> {
  const order = 'order_number' in fields ? 'order_number' : 'order_no'
  const { rows } = await admin.query<{ sum: string }>(`select coalesce(sum(${order}::bigint), 0)::text
    ${'weight' in fields ? `|| ' ' || coalesce(sum(weight), 0)` : ''} as sum from tickets where id <= ${options.tickets}`)
  return rows[0]?.sum ?? ''
}

/** Reads and writes in the proportion that is asked for. */
function loadOn(url: string, token: string): Load {
  const [reads, writes] = [Number(options.reads), Number(options.writes)]
  const most = Number(options.tickets)
  const id = (): number => 1 + Math.floor(Math.random() * most)
  const requests = Array.from({ length: 600 }, (_, i) => {
    if (i % (reads + writes) < writes) {
      const body = JSON.stringify({ subject: 'Changed beside a change {n}' })
      return { method: 'PATCH', path: `/api/v1/tickets/${id()}`, body }
    }
    const isList = i % 4 === 0
    return {
      method: 'GET',
      path: isList ? `/api/v1/tickets?cursor=first&assigned_to=${1 + (i % 200)}` : `/api/v1/tickets/${id()}`,
    }
  }).sort(() => Math.random() - 0.5)
  return { url, headers: { Authorization: `Bearer ${token}` }, requests, seconds: 3_600, rate: reads + writes }
}

function plinth(env: NodeJS.ProcessEnv, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' })
  if (status !== 0 && status !== 2) throw new Error(`plinth ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}

/** Brings the running desk to the files: by the plan's hash where a person has to say so. */
function apply(env: NodeJS.ProcessEnv, isRemoval: boolean): void {
  const hash = isRemoval ? /plinth apply (\w+)/.exec(plinth(env, 'plan'))?.[1] : undefined
  plinth(env, 'apply', ...(hash === undefined ? [] : [hash]))
}

async function during(load: Load, work: () => Promise<void>): Promise<LoadFigures> {
  const running = beginLoad(load)
  await work()
  running.end()
  return running.figures
}

async function change(server: Server, env: NodeJS.ProcessEnv, admin: pg.Client): Promise<void> {
  const load = loadOn(server.url, await adminToken(server.url))
  const rows: string[][] = []
  const said = server.output().length
  for (const { title, fields, index, visits } of changes()) {
    process.stderr.write(`${title} …\n`)
    const usual = await during(load, () => sleep(USUAL_S * 1_000))
    write(fields, index, visits)
    let seconds = 0
    const figures = await during(load, async () => {
      await sleep(1_000)
      const began = performance.now()
      await new Promise<void>((done) => setImmediate(() => done(apply(env, title.includes('removed')))))
      seconds = (performance.now() - began) / 1_000
      await sleep(AFTER_S * 1_000)
    })
    process.stderr.write(`  sums of the values: ${await sums(admin, fields)}\n`)
    rows.push(rowOf(title, seconds, usual, figures))
  }
  // What the server logs by itself: errors only.
  process.stderr.write(server.output().slice(said))
  process.stdout.write(
    `Node ${process.version}, ${options.tickets} tickets, ${options.reads} reads and ${options.writes} writes a second\n\n`,
  )
  process.stdout.write(`${lines([HEADINGS, ...rows])}\n`)
}

async function online(databaseUrl: string): Promise<void> {
  cpSync('resources', resources, { recursive: true })
  write(FIRST, undefined)
  const env = bare({
    ...ADMIN_ENV,
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, 'data'),
    RESOURCES_DIR: resources,
  })
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  process.stderr.write('making the tables and the data …\n')
  await (await startServer(PROGRAM, process.cwd(), env)).stop('SIGTERM')
  for (const sql of dataSql(0)) await admin.query(sql)
  await multiply(admin, Number(options.tickets))
  const running = await startServer(PROGRAM, process.cwd(), env)
  try {
    await change(running, env, admin)
  } finally {
    await running.stop('SIGTERM')
    await admin.end()
  }
}

try {
  await onScratchDatabase(options.database, online)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
