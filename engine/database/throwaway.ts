/** ⇄ Databases that live as long as a test: embedded in memory, or of their own on a server. */
import { randomBytes } from 'node:crypto'
import type { PGlite } from '@electric-sql/pglite'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import { openMemory } from './cluster.ts'
import { connect } from './connect.ts'
import type { Database } from './database.ts'
import { databaseOn } from './embedded.ts'
import { Client } from './pg.ts'

export interface Throwaway {
  readonly database: Database
  /** Where a second connection could go; undefined on the embedded database. */
  readonly url: string | undefined
  /** Closes the connections and drops the database. */
  close(): Promise<void>
}

/** Unused clusters, each with its end: opening one takes about a second and half a gigabyte. */
const idle = new Map<PGlite, NodeJS.Timeout | undefined>()

/**
 * Keeps an empty cluster for the next one who asks. Its own timers let no process end, so it is closed after a while.
 */
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

const EMPTY = `rollback; deallocate all; discard temp; reset search_path; drop schema public cascade; create schema public;
  create extension pg_trgm`

async function empty(cluster: PGlite): Promise<void> {
  const { rows } = await cluster.query<{ name: string }>(`select nspname as name from pg_namespace
    where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')`)
  for (const { name } of rows) await cluster.exec(`drop schema "${name}" cascade`)
  await cluster.exec(EMPTY)
}

/** How long callers wait for a connection, in milliseconds: other programs may keep the machine of a test busy. */
const ACQUIRE_MS = 60_000

/** How long statements wait for a lock, in milliseconds: nearly as long as they may run, so that the refusal still names the lock. */
const LOCK_MS = LIMITS.statementMs - 2_000

const IN_MEMORY = { description: 'embedded PostgreSQL 18 in memory', acquireMs: ACQUIRE_MS }

async function embedded({ log, lingerMs, schema, searchPath }: ThrowawayOptions): Promise<Throwaway> {
  const cluster = kept() ?? (await openMemory())
  if (schema !== undefined) {
    try {
      await cluster.exec(schema)
      await cluster.exec('reset all')
      if (searchPath !== undefined) await cluster.exec(`set search_path to ${searchPath}`)
    } catch (error) {
      await empty(cluster)
      keep(cluster, lingerMs)
      throw error
    }
  }
  const database = databaseOn(cluster, { ...IN_MEMORY, log }, async () => {
    await empty(cluster)
    keep(cluster, lingerMs)
  })
  return { database, url: undefined, close: () => database.close() }
}

/** An embedded database that keeps its data when it is closed, and can be opened again. */
export interface HeldDatabase {
  /** Only one at a time. Once it is closed, further use is refused. */
  open(): Database
  /** Drops the database, which must be closed. */
  release(): Promise<void>
}

/** An empty embedded database with pg_trgm. */
export async function heldDatabase(log: Logger): Promise<HeldDatabase> {
  const cluster = kept() ?? (await openMemory())
  const leave = async (): Promise<void> => {
    await cluster.exec('rollback; deallocate all; discard temp')
  }
  return {
    open: () => databaseOn(cluster, { ...IN_MEMORY, log }, leave),
    async release() {
      await empty(cluster)
      keep(cluster, undefined)
    },
  }
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A copy of another database of the server, which must have no connections. */
export function copiedDatabase(server: string, original: string, log: Logger): Promise<Throwaway> {
  return ofServer(server, { log }, original)
}

async function ofServer(
  server: string,
  { log, schema, searchPath }: ThrowawayOptions,
  template = 'template0',
): Promise<Throwaway> {
  const name = `plinth_test_${process.pid}_${randomBytes(4).toString('hex')}`
  await administer(server, `create database ${name} template ${template} encoding 'UTF8'`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const drop = () => administer(server, `drop database if exists ${name} with (force)`)
  try {
    if (schema !== undefined) await administer(url.href, schema)
    await administer(url.href, 'create extension if not exists pg_trgm')
    const patient = new URL(url)
    const path = searchPath === undefined ? '' : ` -c search_path=${searchPath.replaceAll(' ', '')}`
    // Nothing has to outlive a crash of the server.
    patient.searchParams.set('options', `-c lock_timeout=${LOCK_MS} -c synchronous_commit=off${path}`)
    const settings = { databaseUrl: patient.href, dataDir: '', databasePool: 6 }
    const database = await connect(settings, { log, acquireMs: ACQUIRE_MS })
    const close = async () => {
      await database.close()
      await drop()
    }
    return { database, url: url.href, close }
  } catch (error) {
    await drop()
    throw error
  }
}

interface ThrowawayOptions {
  readonly log: Logger
  /**
   * Once closed, a cluster is used again within this time, or as long as the process lives, which it then has to end
   * itself.
   */
  readonly lingerMs?: number
  /** SQL of its first content. */
  readonly schema?: string | undefined
  /** With `schema`: where its sessions look for names, instead of where the server's do. */
  readonly searchPath?: string
}

/** A database with pg_trgm, empty but for `schema`, on the server of that address or embedded. */
export function throwawayDatabase(server: string | undefined, options: ThrowawayOptions): Promise<Throwaway> {
  return server ? ofServer(server, options) : embedded(options)
}
