/** Opens the embedded database as the same interface as a server's: one connection, which everyone takes in turn. */
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import type pg from 'pg'
import { type Disk, watchDisk } from '../disk/watch.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import { EMBEDDED_MAJOR, openDirectory } from './cluster.ts'
import type { Database } from './database.ts'
import { lockDirectory } from './lock.ts'
import { databaseOver } from './one-connection.ts'
import { outageLog } from './outage.ts'
import { Pool } from './pg.ts'
import { keepPrivate } from './private.ts'
import { type Shared, shareCluster } from './share.ts'
import { COLUMN_TYPES } from './types.ts'

/** A Database over an open cluster; `close` calls `closed` when the connection is free. */
export function databaseOn(cluster: PGlite, description: string, log: Logger, closed: () => Promise<void>): Database {
  return databaseOver(poolOn(cluster), description, log, closed)
}

function poolOn(cluster: PGlite): pg.Pool {
  return new Pool({
    ...createPgConfig(cluster),
    max: 1,
    types: COLUMN_TYPES,
    connectionTimeoutMillis: LIMITS.acquireMs,
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
    const connections = { pool, note: outageLog(log) }
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
export function describeEmbedded(dataDir: string): string {
  return `embedded PostgreSQL ${EMBEDDED_MAJOR} in ${dataDir}`
}
