/**
 * What ten times the rows cost: `npm run bench -- --growth` asks an application for the same things on few rows and on
 * many, and prints for each how much more the database reads for it, with the plans of what grows.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createEngine } from '../../engine/engine.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import { send } from '../support/application.ts'
import { SILENT } from '../support/database.ts'
import { listenAlone } from '../support/requests-alone.ts'
import { dataSql, MAKE_INDEXES, TICKETS } from './data.ts'
import { type Explained, explainAll } from './explained.ts'
import { recorded } from './recorded.ts'
import { ADMIN_ENV, adminToken, onScratchDatabase } from './scratch.ts'
import { lines } from './table.ts'
import { listPath } from './workload.ts'

/** How many rows there are in one of the two applications. */
interface Size {
  readonly tickets: number
  readonly readings: number
}

const FEW: Size = { tickets: TICKETS, readings: 1_000_000 }
const MANY: Size = { tickets: 10 * FEW.tickets, readings: 10 * FEW.readings }

/**
 * A statement whose pages grow by more than this is told with its plan. Pages are the same in each run; times are longer
 * where the machine does other work too.
 */
const GROWN = 1.2

/** A table of few columns and very many rows. */
const READINGS = `
resource: readings
label: Reading
fields:
  sensor:   { type: integer, required: true }
  value:    { type: integer, required: true }
  taken_at: { type: timestamp, required: true }
filters: { sensor: sensor }
sort: { keys: [id, taken_at], default: id }
indexes:
  - [sensor, taken_at]
policies: { view: [{ role: admin }], create: [{ role: admin }], update: [{ role: admin }], delete: [{ role: admin }] }
`
const SENSORS = 1_000

/** Rows for the readings; a sensor has more of them in a longer past. */
const readingsSql = (count: number): string => `insert into readings (sensor, value, taken_at)
  select 1 + i % ${SENSORS}, i % 977, timestamptz '2026-01-01' + (i - ${count}) * interval '1 second'
  from generate_series(1, ${count}) i`

/** One request of which the cost is told; those that have to count or to look at every row may grow. */
interface Asked {
  readonly work: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: object
  readonly mayGrow?: true
}

interface Place {
  readonly ticket: number
  readonly reading: number
  readonly statusId: number
  readonly priorityId: number
  /** The cursor of a page far down the filtered list. */
  readonly cursor: string
}

/** A time near the end of the tickets. */
const MONTH = { date_from: '2025-11-10', date_to: '2025-12-09' }
/** Reports about more are made by a job. */
const WEEK = { date_from: '2025-12-03', date_to: '2025-12-09' }
const PERIOD = new URLSearchParams(MONTH).toString()

function asked({ ticket, reading, cursor, ...filter }: Place): readonly Asked[] {
  const list = `/tickets${listPath(filter)}`
  const get = (work: string, path: string): Asked => ({ work, method: 'GET', path })
  return [
    get('get a ticket', `/tickets/${ticket}`),
    get('filtered page by cursor, the first', `${list}&cursor=first`),
    get('filtered page by cursor, far down', `${list}&cursor=${encodeURIComponent(cursor)}`),
    { ...get('filtered page, exact total', list), mayGrow: true },
    get('search, a rare word', '/tickets?search=5f02f0889'),
    { ...get('search, a common word', '/tickets?search=printer'), mayGrow: true },
    {
      work: 'create a ticket',
      method: 'POST',
      path: '/tickets',
      body: { subject: 'It is late', details: 'By a week' },
    },
    { work: 'update a ticket', method: 'PATCH', path: `/tickets/${ticket}`, body: { subject: 'It is later' } },
    { work: 'create a comment', method: 'POST', path: `/tickets/${ticket}/comments`, body: { comment: 'We look.' } },
    ...['metrics', 'analytics', 'performance', 'charts', 'sla'].map((one) =>
      get(`dashboard: ${one} of a month`, `/dashboard/${one}?${PERIOD}`),
    ),
    { work: 'report of a week', method: 'POST', path: '/reports/generate', body: { type: 'tickets', ...WEEK } },
    get('get a reading', `/readings/${reading}`),
    get('page of a sensor by cursor', '/readings?sensor=7&sort=-taken_at&cursor=first'),
    {
      work: 'create a reading',
      method: 'POST',
      path: '/readings',
      body: { sensor: 7, value: 1, taken_at: '2026-01-01T00:00:00Z' },
    },
  ]
}

/** What work leaves behind: nearly all tickets are closed, but for those of the last weeks. */
const HISTORY = [
  `update tickets t set first_response_at = t.created_at + (t.id * 7919::bigint % 36000) * interval '1 second'`,
  `update tickets t set status_id = (select min(id) from statuses where category = 'closed' and not is_cancelled),
      resolved_at = t.created_at + (t.id * 104729::bigint % 400000) * interval '1 second',
      closed_at = t.created_at + (t.id * 104729::bigint % 400000) * interval '1 second'
    where created_at < (select max(created_at) - interval '45 days' from tickets)`,
  `update tickets t set resolved_at = t.created_at + (t.id * 104729::bigint % 400000) * interval '1 second',
      closed_at = case s.category when 'closed' then t.created_at + (t.id * 104729::bigint % 400000) * interval '1 second' end
    from statuses s where s.id = t.status_id and s.category in ('solved', 'closed') and t.resolved_at is null`,
  `insert into plinth_change (resource, record_id, action, actor_id, changes, created_at)
    select 'tickets', t.id, case i when 1 then 'create' else 'update' end, t.user_id,
      case i when 1 then '[]'::jsonb
        else jsonb_build_array(jsonb_build_object('field', 'status_id', 'from', 1, 'to', t.status_id)) end,
      t.created_at + i * interval '1 hour'
    from tickets t, generate_series(1, 2) i order by t.created_at`,
]

async function fill(admin: pg.Client, { tickets, readings }: Size): Promise<void> {
  for (const sql of dataSql(tickets, tickets)) {
    // Rows that are changed leave dead ones behind, and entries in every index that there is by then.
    if (sql === MAKE_INDEXES) for (const past of HISTORY) await admin.query(past)
    await admin.query(sql)
  }
  await admin.query(readingsSql(readings))
  await admin.query('vacuum full')
  // Also which pages an index answers for alone, as autovacuum notes them.
  await admin.query('vacuum analyze')
}

/** An engine that only answers requests; gives the way to ask it. */
async function serving<T>(settings: Settings, work: (url: string) => Promise<T>): Promise<T> {
  const { value: engine, diagnostics } = await createEngine({ settings, log: SILENT })
  if (engine === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  const listening = await listenAlone(engine, settings)
  try {
    return await work(listening.url)
  } finally {
    await listening.stop(0)
    await engine.close()
  }
}

async function placeIn(admin: pg.Client, ask: (path: string) => Promise<Answered>): Promise<Place> {
  const { rows } = await admin.query<Readonly<Record<string, number>>>(`select
    (select status_id from tickets order by id limit 1) as "statusId", (select id from priorities order by id offset 1 limit 1) as "priorityId",
    (select min(id) + count(*) / 2 from tickets)::int as ticket, (select min(id) + count(*) / 2 from readings)::int as reading`)
  const { ticket = 0, reading = 0, statusId = 0, priorityId = 0 } = rows[0] ?? {}
  let cursor = 'first'
  for (let page = 0; page < 50; page += 1) {
    const { meta } = await ask(`/tickets${listPath({ statusId, priorityId })}&cursor=${encodeURIComponent(cursor)}`)
    cursor = meta.pagination.next_cursor
  }
  return { ticket, reading, statusId, priorityId, cursor }
}

interface Answered {
  readonly meta: { readonly pagination: { readonly next_cursor: string } }
}

/** Statements are explained for a request whose tables and plans are known to the process by then. */
const WARM = 3

async function measure(admin: pg.Client, url: string): Promise<ReadonlyMap<Asked['work'], readonly Explained[]>> {
  const token = await adminToken(url)
  const ask = async ({ method, path, body }: Omit<Asked, 'work'>): Promise<Answered> => {
    const answer = await send(url, method, `/api/v1${path}`, { token, body })
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const place = await placeIn(admin, (path) => ask({ method: 'GET', path }))
  const found = new Map<string, readonly Explained[]>()
  for (const one of asked(place)) {
    process.stderr.write(`  ${one.work} …\n`)
    for (let i = 0; i < WARM; i += 1) await ask(one)
    found.set(one.work, await explainAll(admin, await recorded(() => ask(one))))
  }
  return found
}

async function measureAt(address: string, folder: string, size: Size): Promise<Awaited<ReturnType<typeof measure>>> {
  let found: Awaited<ReturnType<typeof measure>> | undefined
  await onScratchDatabase(address, async (databaseUrl) => {
    const env = { ...ADMIN_ENV, DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'data'), PORT: '0' }
    const { value: settings } = readSettings({ ...env, RESOURCES_DIR: join(folder, 'resources') })
    const admin = new pg.Client(databaseUrl)
    await admin.connect()
    try {
      process.stderr.write(`making ${size.tickets} tickets and ${size.readings} readings …\n`)
      await serving(settings!, async () => undefined)
      await fill(admin, size)
      found = await serving(settings!, (url) => measure(admin, url))
    } finally {
      await admin.end()
    }
  })
  return found!
}

function sum(all: readonly Explained[], pick: (one: Explained) => number): number {
  return all.reduce((total, one) => total + pick(one), 0)
}

function rowOf(work: string, few: readonly Explained[], many: readonly Explained[]): readonly string[] {
  const [before, after] = [sum(few, ({ pages }) => pages), sum(many, ({ pages }) => pages)]
  const ms = (all: readonly Explained[]): string => `${sum(all, (one) => one.ms).toFixed(2)} ms`
  return [work, `${many.length}`, `${before}`, `${after}`, (after / before).toFixed(2), ms(few), ms(many)]
}

/** The statements that grow by more than a fifth, with the plan that each has on many rows. */
function grown(work: string, few: readonly Explained[], many: readonly Explained[]): readonly string[] {
  return many.flatMap((one, at) => {
    const before = few[at]
    if (before === undefined || before.text !== one.text || one.pages / before.pages <= GROWN) return []
    const cost = `${before.pages} → ${one.pages} pages, ${before.ms.toFixed(2)} → ${one.ms.toFixed(2)} ms`
    return [`${work}: ${cost}\n  ${one.text.replace(/\s+/g, ' ').slice(0, 160)}\n${one.plan}`]
  })
}

const HEADINGS = ['work', 'statements', 'pages of few rows', 'of many', 'growth', 'time with few', 'with many']

/** Measures on few rows and on many, on the server of an address; prints the table and the plans. */
export async function compareGrowth(address: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-growth-'))
  try {
    cpSync('resources', join(folder, 'resources'), { recursive: true })
    writeFileSync(join(folder, 'resources', 'readings.yaml'), READINGS)
    const few = await measureAt(address, folder, FEW)
    const many = await measureAt(address, folder, MANY)
    const works = [...many.keys()]
    const of = (work: string) => [few.get(work) ?? [], many.get(work) ?? []] as const
    process.stdout.write(`${lines([HEADINGS, ...works.map((work) => rowOf(work, ...of(work)))])}\n\n`)
    process.stdout.write(`${works.flatMap((work) => grown(work, ...of(work))).join('\n\n')}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
