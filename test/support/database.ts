/** Real databases for tests: embedded in memory, or of their own on the server that TEST_DATABASE_URL names. */
import { randomBytes } from 'node:crypto'
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { openMemory } from '../../engine/database/cluster.ts'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { databaseOn } from '../../engine/database/embedded.ts'
import type { Logger } from '../../engine/observe.ts'

export const SILENT: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} })

export interface TestDatabase {
  readonly database: Database
  /** Where a second connection could go; undefined on the embedded database. */
  readonly url: string | undefined
  /** Closes the connections and gives the database up. */
  close(): Promise<void>
}

/** Clusters that no test uses at present: opening one takes about a second and half a gigabyte. */
const idle: PGlite[] = []

const EMPTY = `rollback; deallocate all; discard temp; drop schema public cascade; create schema public;
  create extension pg_trgm`

async function empty(cluster: PGlite): Promise<void> {
  const { rows } = await cluster.query<{ name: string }>(`select nspname as name from pg_namespace
    where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')`)
  for (const { name } of rows) await cluster.exec(`drop schema "${name}" cascade`)
  await cluster.exec(EMPTY)
}

async function embedded(log: Logger): Promise<TestDatabase> {
  const cluster = idle.pop() ?? (await openMemory())
  const database = databaseOn(cluster, 'embedded PostgreSQL 18 in memory', log, async () => {
    await empty(cluster)
    idle.push(cluster)
  })
  return { database, url: undefined, close: () => database.close() }
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function ofServer(server: string, log: Logger): Promise<TestDatabase> {
  const name = `plinth_test_${process.pid}_${randomBytes(4).toString('hex')}`
  await administer(server, `create database ${name} template template0 encoding 'UTF8'`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const database = await connect({ databaseUrl: url.href, dataDir: '', databasePool: 6 }, { log })
  await database.knex.raw('create extension if not exists pg_trgm')
  const close = async () => {
    await database.close()
    await administer(server, `drop database if exists ${name} with (force)`)
  }
  return { database, url: url.href, close }
}

/** An empty database with pg_trgm; call `close` in `suite.after`, so that the next file can have it. */
export function testDatabase(log: Logger = SILENT): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  return server ? ofServer(server, log) : embedded(log)
}
