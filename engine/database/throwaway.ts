/** ⇄ Databases that live as long as a test: embedded in memory, or of their own on a server. */
import { randomBytes } from 'node:crypto'
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Logger } from '../observe.ts'
import { openMemory } from './cluster.ts'
import { connect } from './connect.ts'
import type { Database } from './database.ts'
import { databaseOn } from './embedded.ts'

export interface Throwaway {
  readonly database: Database
  /** Where a second connection could go; undefined on the embedded database. */
  readonly url: string | undefined
  /** Closes the connections and gives the database up. */
  close(): Promise<void>
}

/** Clusters that nobody uses at present: opening one takes about a second and half a gigabyte. */
const idle: PGlite[] = []

const EMPTY = `rollback; deallocate all; discard temp; drop schema public cascade; create schema public;
  create extension pg_trgm`

async function empty(cluster: PGlite): Promise<void> {
  const { rows } = await cluster.query<{ name: string }>(`select nspname as name from pg_namespace
    where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')`)
  for (const { name } of rows) await cluster.exec(`drop schema "${name}" cascade`)
  await cluster.exec(EMPTY)
}

async function embedded(log: Logger): Promise<Throwaway> {
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

async function ofServer(server: string, log: Logger): Promise<Throwaway> {
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

/** An empty database with pg_trgm, on the server of that address or embedded; once closed, a cluster is used again. */
export function throwawayDatabase(server: string | undefined, log: Logger): Promise<Throwaway> {
  return server ? ofServer(server, log) : embedded(log)
}
