/** ⇄ Opens an embedded database that another process has open and shares: the command's side of share.ts. */
import { createConnection } from 'node:net'
import path from 'node:path'
import type { Disk } from '../disk/watch.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Database, Runner } from './database.ts'
import { describeEmbedded, openEmbedded } from './embedded.ts'
import { InUseError } from './lock.ts'
import { databaseOver } from './one-connection.ts'
import { Pool } from './pg.ts'
import { findSocket, SOCKET_PORT } from './socket.ts'
import { presenceOver } from './socket-presence.ts'
import { COLUMN_TYPES } from './types.ts'

/** Whether somebody listens; what a process that was killed left behind answers nobody. */
function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(file)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Statements by name would be those of the process that has the database open, which may know other texts by them. */
function unnamed(runner: Runner): Runner {
  return { run: ({ name: _, ...statement }, values) => runner.run(statement, values) }
}

/**
 * The database of `dataDir` by way of the process that has it open; undefined when that process listens to nobody.
 * Every statement, transaction or session outside another takes the one connection anew and gives it back at its end.
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
