/**
 * Opens the embedded database as a Database ⇄: one connection that callers take in turns, or the socket of the process
 * that has it open.
 */
import { createConnection } from 'node:net'
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import type pg from 'pg'
import { keepPrivate } from '../disk/data-dir-access.ts'
import { type Disk, watchDisk } from '../disk/disk-watch.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import { EMBEDDED_MAJOR, openDirectory } from './cluster.ts'
import type { Database, Runner } from './database.ts'
import { InUseError, lockDirectory } from './directory-lock.ts'
import { type NoteFailure, outageLog } from './failure.ts'
import { COLUMN_TYPES, Pool } from './pg.ts'
import { knexOver, longestWait, pooledRunner, poolUses, watchErrors } from './pool.ts'
import { ownPresence } from './presence.ts'
import { createSessions } from './sessions.ts'
import { type Shared, shareCluster } from './share-embedded.ts'
import { findSocket, presenceOver, SOCKET_PORT } from './socket.ts'
import { inTransaction } from './transaction.ts'

/** What pg says where nobody gave the connection back in time. */
const NOT_GIVEN_BACK = 'timeout exceeded when trying to connect'
const WAITS_FOR_ITSELF =
  'the one connection of the embedded database was not free in time; code of a plugin that uses context.database inside a transaction waits for itself: it uses context.connection there'

/** A log of outages that names what else can hold the one connection. */
function embeddedLog(log: Logger): NoteFailure {
  const note = outageLog(log)
  return (error, now) => {
    const isHeld = error instanceof Error && error.message === NOT_GIVEN_BACK
    note(isHeld ? new Error(WAITS_FOR_ITSELF, { cause: error }) : error, now)
  }
}

/**
 * A Database over the one connection of a pool.
 * A read outside a transaction waits until the open one ends, and the bare `knex` inside a transaction waits for itself
 * until LIMITS.acquireMs refuse it with `unavailable`.
 */
function databaseOver(pool: pg.Pool, description: string, log: Logger, closed: () => Promise<void>): Database {
  const connections = watchErrors({ pool, note: embeddedLog(log) })
  const knex = knexOver(connections)
  const runner = pooledRunner(connections)
  const sessions = createSessions(connections, {})
  return Object.freeze<Database>({
    kind: 'embedded',
    description,
    knex,
    compiled: runner,
    adhoc: runner,
    lagging: runner,
    transaction: (work) => inTransaction(knex, connections, work),
    session: sessions.run,
    interrupt: sessions.interrupt,
    presence: ownPresence(),
    connections: () => poolUses({ ordinary: connections }),
    waited: longestWait([connections]),
    ping: async () => {
      await runner.run({ text: 'select 1' }, [])
    },
    close: async () => {
      await knex.destroy()
      await pool.end()
      await closed()
    },
  })
}

/** A Database over an open cluster, for whose connection callers wait so long; `close` calls `closed` when it is free. */
export function databaseOn(
  cluster: PGlite,
  { acquireMs, description, log }: { readonly acquireMs: number; readonly description: string; readonly log: Logger },
  closed: () => Promise<void>,
): Database {
  return databaseOver(poolOn(cluster, acquireMs), description, log, closed)
}

function poolOn(cluster: PGlite, acquireMs: number = LIMITS.acquireMs): pg.Pool {
  return new Pool({
    ...createPgConfig(cluster),
    max: 1,
    types: COLUMN_TYPES,
    connectionTimeoutMillis: acquireMs,
    idleTimeoutMillis: 0,
  })
}

/**
 * The database in `<dataDir>/database`, on a disk that is watched; rejects at once when another process uses it.
 * `briefly`: for a command, which ends soon.
 */
export async function openEmbedded(dataDir: string, log: Logger, watched?: Disk, briefly = false): Promise<Database> {
  const directory = path.join(dataDir, 'database')
  await keepPrivate(dataDir, true)
  const lock = lockDirectory(directory, Date.now)
  const disk = watched ?? (await watchDisk(dataDir, log))
  const unwatch = (): void => {
    if (watched === undefined) disk.stop()
  }
  try {
    const cluster = await openDirectory(directory, disk, briefly)
    for (const held of [dataDir, lock.file, path.join(directory, 'PG_VERSION')]) disk.hold(held)
    const pool = poolOn(cluster)
    let shared: Shared | undefined
    const database = databaseOver(pool, describeEmbedded(dataDir), log, async () => {
      const lost = disk.look()
      unwatch()
      // Its last checkpoint would go into a folder that is not its own, or panic.
      if (lost === undefined) await cluster.close()
      lock.release()
    })
    const connections = { pool, note: embeddedLog(log) }
    const { presence } = database
    const share = { cluster, connections, presence, check: disk.check, failed: disk.fail, dataDir, log }
    return Object.freeze<Database>({
      ...database,
      async admitCommands() {
        if (process.platform !== 'win32') shared ??= await shareCluster(share)
      },
      async close() {
        await shared?.close()
        await database.close()
      },
    })
  } catch (error) {
    unwatch()
    lock.release()
    throw error
  }
}

/** For people: which database it is. */
function describeEmbedded(dataDir: string): string {
  return `embedded PostgreSQL ${EMBEDDED_MAJOR} in ${dataDir}`
}

/** Whether a process listens; the socket of a killed process does not answer. */
function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(file)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Without names: the process that has the database open may have prepared other texts under the same names. */
function unnamed(runner: Runner): Runner {
  return { run: ({ name: _, ...statement }, values) => runner.run(statement, values) }
}

/**
 * The database of `dataDir` through the process that has it open; undefined when that process does not listen. Every
 * statement, transaction or session outside another takes the one connection again and gives it back at its end.
 */
async function openShared(dataDir: string, description: string, log: Logger): Promise<Database | undefined> {
  const file = await findSocket(dataDir)
  if (process.platform === 'win32' || !(await answers(file))) return undefined
  const pool = new Pool({
    host: path.dirname(file),
    port: SOCKET_PORT,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    max: 1,
    maxUses: 1,
    types: COLUMN_TYPES,
    connectionTimeoutMillis: LIMITS.acquireMs,
  })
  const database = databaseOver(pool, description, log, () => Promise.resolve())
  return Object.freeze<Database>({
    ...database,
    compiled: unnamed(database.compiled),
    adhoc: unnamed(database.adhoc),
    lagging: unnamed(database.lagging),
    transaction: (work) =>
      database.transaction((transaction) => work({ ...unnamed(transaction), knex: transaction.knex })),
    session: (work) => database.session((runner) => work(unnamed(runner))),
    presence: presenceOver(file),
  })
}

/** The database as `openEmbedded` opens it, or by way of the running server that has it open already. */
export async function openOrJoin(dataDir: string, log: Logger, disk?: Disk): Promise<Database> {
  try {
    return await openEmbedded(dataDir, log, disk, true)
  } catch (error) {
    if (!(error instanceof InUseError)) throw error
    const description = `${describeEmbedded(dataDir)}, which process ${error.pid ?? 'unknown'} has open`
    const shared = await openShared(dataDir, description, log)
    if (shared !== undefined) return shared
    throw new Error(
      `${error.message} Commands run beside a server that listens; this process is starting, or runs a command itself.`,
    )
  }
}
