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

/** Clusters that nobody uses at present, and what ends each: opening one takes about a second and half a gigabyte. */
const idle = new Map<PGlite, NodeJS.Timeout | undefined>()

/** Keeps an empty cluster for the next one who asks. Its own timers let no process end, so it is closed after a while. */
function keep(cluster: PGlite, lingerMs: number | undefined): void {
  const end = (): void => {
    idle.delete(cluster)
    void cluster.close()
  }
  idle.set(cluster, lingerMs === undefined ? undefined : setTimeout(end, lingerMs).unref())
}

function kept(): PGlite | undefined {
  const [cluster] = idle.keys()
  if (cluster === undefined) return undefined
  clearTimeout(idle.get(cluster))
  idle.delete(cluster)
  return cluster
}

const EMPTY = `rollback; deallocate all; discard temp; drop schema public cascade; create schema public;
  create extension pg_trgm`

async function empty(cluster: PGlite): Promise<void> {
  const { rows } = await cluster.query<{ name: string }>(`select nspname as name from pg_namespace
    where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')`)
  for (const { name } of rows) await cluster.exec(`drop schema "${name}" cascade`)
  await cluster.exec(EMPTY)
}

async function embedded(log: Logger, lingerMs: number | undefined): Promise<Throwaway> {
  const cluster = kept() ?? (await openMemory())
  const database = databaseOn(cluster, 'embedded PostgreSQL 18 in memory', log, async () => {
    await empty(cluster)
    keep(cluster, lingerMs)
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

/**
 * An empty database with pg_trgm, on the server of that address or embedded. Once closed, a cluster is used again within
 * `lingerMs`, or as long as the process lives, which it then has to end itself.
 */
export function throwawayDatabase(server: string | undefined, log: Logger, lingerMs?: number): Promise<Throwaway> {
  return server ? ofServer(server, log) : embedded(log, lingerMs)
}
