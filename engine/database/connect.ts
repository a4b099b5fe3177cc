/** Opens the database that the settings name: a PostgreSQL server, or the embedded one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../disk/disk-watch.ts'
import { sentenceOf } from '../error.ts'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import type { Database } from './database.ts'

export interface ConnectOptions {
  readonly log: Logger
  /** For commands: an embedded database that a running server has open is used by way of that server. */
  readonly joins?: boolean
  /** The watched disk of DATA_DIR; an embedded database watches it by itself without one. */
  readonly disk?: Disk
  /** How long callers wait for a connection to a server, in milliseconds; the engine's limit without it. */
  readonly acquireMs?: number
}

/**
 * Opens the database and waits until it answers; rejects with a sentence for people when it cannot.
 * Either driver is loaded only when it is the one needed: each costs start time and memory.
 */
export async function connect(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'> & Partial<Pick<Settings, 'databasePool' | 'databaseReplicaUrl'>>,
  { log, joins = false, disk, acquireMs }: ConnectOptions,
): Promise<Database> {
  if (settings.databaseUrl !== undefined) {
    const { databasePool, databaseReplicaUrl, databaseUrl } = settings
    const { openPostgresql } = await import('./postgresql.ts')
    return openPostgresql(databaseUrl, databaseReplicaUrl, databasePool, log, acquireMs).catch((error: unknown) => {
      const code = codeOf(error)
      // An error on an open connection, such as a version that is too old, has its own advice.
      throw code === undefined ? error : new NotOpened(databaseUrl, code, error)
    })
  }
  if (joins) return (await import('./embedded.ts')).openOrJoin(settings.dataDir, log, disk)
  return (await import('./embedded.ts')).openEmbedded(settings.dataDir, log, disk)
}

/** A server that could not be opened, with advice; `cause` is the error of the driver. */
class NotOpened extends Error {
  constructor(databaseUrl: string, code: string, cause: unknown) {
    const where = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
    const at = where === undefined ? '' : ` at ${where.host || 'the local socket'}${where.pathname}`
    const advice =
      code === NO_DATABASE ? 'Create it, or correct' : code.startsWith('E') ? 'Start it, or correct' : 'Correct'
    super(`The database${at} cannot be opened: ${sentenceOf(cause)}. ${advice} DATABASE_URL.`, { cause })
  }
}

/** The SQLSTATE of a database that is not there. */
const NO_DATABASE = '3D000'

/** The code of Node (ECONNREFUSED) or of PostgreSQL. */
function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** The bare reason why a database could not be opened, for callers with their own place and advice. */
export function reasonOf(error: unknown): string {
  return sentenceOf(error instanceof NotOpened ? error.cause : error)
}

/** As `connect`, on a disk that is watched already; it is watched no longer when the database cannot be opened. */
export async function connectOn(
  disk: Disk,
  settings: Parameters<typeof connect>[0],
  options: Omit<ConnectOptions, 'disk'>,
): Promise<Database> {
  try {
    return await connect(settings, { ...options, disk })
  } catch (error) {
    disk.stop()
    throw error
  }
}

/** The extensions that the embedded database has. */
export const EMBEDDED_EXTENSIONS: readonly string[] = ['btree_gist', 'pg_trgm', 'plpgsql']

/**
 * Whether there is something to open: a server is taken to be there, the embedded database has been made or has not.
 */
export function isMade({ databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl !== undefined || existsSync(join(dataDir, 'database'))
}

/**
 * Lets commands use the embedded database while this process has it. A server that no command can reach still serves.
 */
export async function admitCommands(database: Database, log: Logger): Promise<void> {
  await database.admitCommands?.().catch((err: unknown) => {
    log.warn({ err }, 'commands cannot use the embedded database while this process runs: it cannot listen for them')
  })
}
