/**
 * `npm run upgrade:data -- midway <version> [embedded|postgres]` makes what midway.ts says. `npm run upgrade:data -- pglite <version>` keeps what an earlier PGlite made in a directory, as pglite-<version>.br.
 * Otherwise it makes the data of a version: `npm run upgrade:data -- <commit> <name>` builds the program of that commit, fills a desk by
 * its API on PostgreSQL and on the embedded database, asks what it answers, and keeps all of it in `sets/<name>`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { bare, startServer } from '../cli/server.ts'
import { earlierProgram, lastingDesk, run } from '../support/earlier-program.ts'
import { packed, packFolder } from './archive.ts'
import { leaveMidway } from './midway.ts'
import { ask } from './questions.ts'
import { ADMIN, sow } from './sow.ts'

const [commit = 'HEAD', name = commit, only] = process.argv.slice(2)
const kind = ['pglite', 'midway'].find((word) => word === commit)
const SERVER = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const work = mkdtempSync(join(tmpdir(), 'plinth-upgrade-'))
const program = kind === undefined ? earlierProgram(commit) : work
const set = join(import.meta.dirname, 'sets', name)

/** Fills a desk, asks it, and ends the program in the middle of its work. */
async function fill(dataDir: string, database: string | undefined): Promise<void> {
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: database,
    RESOURCES_DIR: join(work, 'resources'),
    PLUGINS_DIR: join(program, 'plugins'),
    BASE_URL: 'https://desk.example',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT: '1000000',
    AUTH_RATE_LIMIT: '1000000',
  }
  const main = join(program, 'dist/engine/cli/main.js')
  const server = await startServer(main, program, bare(env))
  const sown = await sow(server.url)
  console.info(`refused: ${sown.refused.join('\n  ') || 'nothing'}`)
  // What follows from the writes is done by then: the answers do not change any more.
  await sleep(20_000)
  const answers = await ask(server.url, sown)
  const kind = database === undefined ? 'embedded' : 'postgres'
  const told = { commit, at: new Date().toISOString(), sown, answers }
  writeFileSync(join(set, `${kind}.json.br`), await packed(JSON.stringify(told)))
  console.info(`${kind}: ${Object.keys(answers).length} answers`)
  await server.stop('SIGTERM')
}

async function onPostgres(): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER })
  await client.connect()
  const database = `plinth_upgrade_${process.pid}`
  await client.query(`create database ${database}`)
  const url = new URL(SERVER)
  url.pathname = `/${database}`
  try {
    const dataDir = join(work, 'postgres')
    await fill(dataDir, String(url))
    const sql = run('pg_dump', ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', String(url)])
    writeFileSync(join(set, 'postgres.sql.br'), await packed(sql))
    writeFileSync(join(set, 'postgres.data.br'), await packFolder(dataDir))
  } finally {
    await client.query(`drop database ${database} with (force)`)
    await client.end()
  }
}

async function onEmbedded(): Promise<void> {
  const dataDir = join(work, 'embedded')
  await fill(dataDir, undefined)
  rmSync(join(dataDir, 'database.lock'), { force: true })
  writeFileSync(join(set, 'embedded.data.br'), await packFolder(dataDir))
}

/** A table with an index over words, as an earlier PGlite writes it. */
const NOTES = `create extension pg_trgm; create table notes (id serial primary key, text text not null, at timestamptz);
  insert into notes (text, at) select 'Notiz ' || i, '2026-01-31 12:00+00' from generate_series(1, 2000) i;
  create index notes_text on notes using gin (text gin_trgm_ops);`

async function ofPglite(version: string): Promise<void> {
  writeFileSync(join(work, 'package.json'), '{ "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', `@electric-sql/pglite@${version}`], work)
  const code = `import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
const cluster = await PGlite.create('database', { extensions: { pg_trgm } })
await cluster.exec(${JSON.stringify(NOTES)})
await cluster.close()
`
  writeFileSync(join(work, 'make.js'), code)
  run('node', ['make.js'], work)
  writeFileSync(join(import.meta.dirname, `pglite-${version}.br`), await packFolder(join(work, 'database')))
}

async function ofVersion(): Promise<void> {
  rmSync(set, { recursive: true, force: true })
  mkdirSync(set, { recursive: true })
  lastingDesk(program, join(work, 'resources'))
  writeFileSync(join(set, 'yaml.br'), await packFolder(join(program, 'resources')))
  await onPostgres()
  await onEmbedded()
}

try {
  if (kind === 'pglite') await ofPglite(name)
  else if (kind === 'midway') await leaveMidway(name, set, work, { server: SERVER, kind: only })
  else await ofVersion()
} finally {
  rmSync(work, { recursive: true, force: true })
}
