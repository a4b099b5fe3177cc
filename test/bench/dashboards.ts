/** Measures the dashboards over 100,000 tickets against one sequential scan of them: `node --import tsx test/bench/dashboards.ts`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { SILENT } from '../support/database.ts'
import { COMMENT_COUNT, dataSql } from './data.ts'

/** No route may take longer than so many scans. */
const MOST = 5
const ROUNDS = 15
const ADMIN = { ADMIN_EMAIL: 'admin@bench.example', ADMIN_PASSWORD: 'a password for the benchmark' }
const PERIODS = {
  'last 30 days': '?date_from=2025-11-14&date_to=2025-12-13',
  'all tickets': '?date_from=2025-01-01&date_to=2025-12-31',
}
const ROUTES = ['', '/metrics', '/analytics', '/performance', '/charts']

/** What answering and resolving leave behind, comments and changes included. */
const HISTORY_SQL = [
  `update tickets t set first_response_at = t.created_at + (t.id * 7919 % 36000) * interval '1 second',
    resolved_at = case when s.category in ('solved', 'closed') then t.created_at + (t.id * 104729 % 400000) * interval '1 second' end
    from statuses s where s.id = t.status_id`,
  `insert into ticket_comments (comment, ticket_id, user_id, is_internal, created_at, updated_at)
    select 'A comment', t.id, t.assigned_to, i = 2, t.created_at + i * interval '1 hour', t.created_at
    from tickets t, generate_series(1, 2) i order by t.created_at`,
  `insert into plinth_change (resource, record_id, action, actor_id, changes, created_at)
    select 'tickets', t.id, case i when 1 then 'create' else 'update' end, t.user_id,
      case i when 1 then '[]'::jsonb else jsonb_build_array(jsonb_build_object('field', 'status_id', 'from', case when t.id % 20 = 0 then 4 else 1 end, 'to', case when t.id % 20 = 0 then 1 else 4 end)) end, t.created_at + i * interval '1 hour'
    from tickets t, generate_series(1, 2) i order by t.created_at`,
  'vacuum full analyze',
]

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0
}

async function tokenOf(url: string): Promise<string> {
  const body = JSON.stringify({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })
  return ((await answer.json()) as { data: { token: string } }).data.token
}

/** Times every route over every period beside the scan; gives the worst ratio. */
async function measure(client: pg.Client, url: string): Promise<number> {
  const headers = { authorization: `Bearer ${await tokenOf(url)}` }
  const scanned =
    'set max_parallel_workers_per_gather = 0; set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off'
  await client.query(scanned)
  let worst = 0
  for (const [name, query] of Object.entries(PERIODS)) {
    for (const route of ROUTES) {
      const scan = await milliseconds(() => client.query('select count(*) from tickets where deleted_at is null'))
      const took = await milliseconds(async () => {
        const answer = await fetch(`${url}/api/v1/dashboard${route}${query}`, { headers })
        const text = await answer.text()
        if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${text}`)
      })
      worst = Math.max(worst, took / scan)
      const figures = [`${took.toFixed(1)} ms`, `scan ${scan.toFixed(1)} ms`, `${(took / scan).toFixed(2)} x`]
      console.log(name.padEnd(14), `/dashboard${route}`.padEnd(24), figures.map((text) => text.padStart(14)).join(''))
    }
  }
  return worst
}

async function run(server: string): Promise<number> {
  const name = `plinth_bench_dashboards_${process.pid}`
  const admin = new pg.Client(server)
  await admin.connect()
  await admin.query(`create database ${name} template template0 encoding 'UTF8'`)
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
  const databaseUrl = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const settings = readSettings({
    ...ADMIN,
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    RATE_LIMIT: '1000000',
  })
  if (settings.value === undefined) throw new Error(renderDiagnostics(settings.diagnostics))
  const { value: engine, diagnostics } = await createEngine({ settings: settings.value, log: SILENT })
  if (engine === undefined) throw new Error(renderDiagnostics(diagnostics))
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    for (const sql of [...dataSql(COMMENT_COUNT), ...HISTORY_SQL]) await client.query(sql)
    return await measure(client, (await engine.listen()).url)
  } finally {
    await client.end()
    await engine.close()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
    rmSync(folder, { recursive: true })
  }
}

const worst = await run(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
console.log(`worst ${worst.toFixed(2)} scans, at most ${MOST} allowed`)
process.exitCode = worst <= MOST ? 0 : 1
