/** Opens the embedded database as the same interface as a server's: one connection, which everyone takes in turn. */
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import createKnex from 'knex'
import pg from 'pg'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import { EMBEDDED_MAJOR, openDirectory } from './cluster.ts'
import type { Database } from './database.ts'
import { guardDisk } from './disk.ts'
import { lockDirectory } from './lock.ts'
import { outageLog } from './outage.ts'
import { inSession, knexPool, pooledRunner, watchErrors } from './pool.ts'
import { keepPrivate } from './private.ts'
import { inTransaction } from './transaction.ts'
import { COLUMN_TYPES } from './types.ts'

/**
 * A Database over an open cluster; `close` calls `closed` when the connection is free.
 * There is one connection, so a read outside a transaction waits until the open one ends, and the bare `knex` inside a
 * transaction waits for itself until LIMITS.acquireMs refuse it with `unavailable`.
 */
export function databaseOn(cluster: PGlite, description: string, log: Logger, closed: () => Promise<void>): Database {
  const pool = new pg.Pool({
    ...createPgConfig(cluster),
    max: 1,
    types: COLUMN_TYPES,
    connectionTimeoutMillis: LIMITS.acquireMs,
    idleTimeoutMillis: 0,
  })
  const connections = watchErrors({ pool, note: outageLog(log) })
  const knex = createKnex({
    client: 'pg',
    connectionPool: knexPool(connections),
    log: { warn() {}, error() {}, debug() {}, deprecate() {} },
  })
  const runner = pooledRunner(connections)
  return Object.freeze<Database>({
    kind: 'embedded',
    description,
    knex,
    compiled: runner,
    adhoc: runner,
    lagging: runner,
    transaction: (work) => inTransaction(knex, connections, work),
    session: (work) => inSession(connections, undefined, work),
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

/** The database in `<dataDir>/database`; rejects at once when another process uses it. */
export async function openEmbedded(dataDir: string, log: Logger): Promise<Database> {
  const directory = path.join(dataDir, 'database')
  await keepPrivate(dataDir, true)
  const lock = lockDirectory(directory, Date.now)
  try {
    const disk = await guardDisk(dataDir)
    const cluster = await openDirectory(directory, disk)
    return databaseOn(cluster, `embedded PostgreSQL ${EMBEDDED_MAJOR} in ${dataDir}`, log, async () => {
      disk.stop()
      await cluster.close()
      lock.release()
    })
  } catch (error) {
    lock.release()
    throw error
  }
}
