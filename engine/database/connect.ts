/** Opens the database that the settings name: a PostgreSQL server, or the embedded one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../disk/watch.ts'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import type { Database } from './database.ts'

export interface ConnectOptions {
  readonly log: Logger
  /** For commands: an embedded database that a running server has open is used by way of that server. */
  readonly joins?: boolean
  /** The watched disk of DATA_DIR; an embedded database watches it by itself without one. */
  readonly disk?: Disk
}

/**
 * Opens the database and waits until it answers; rejects with a sentence for people when it can't.
 * Either driver is loaded only when it is the one needed: each costs start time and memory.
 */
export async function connect(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'> & Partial<Pick<Settings, 'databasePool' | 'databaseReplicaUrl'>>,
  { log, joins = false, disk }: ConnectOptions,
): Promise<Database> {
  if (settings.databaseUrl !== undefined) {
    const { openPostgresql } = await import('./postgresql.ts')
    return openPostgresql(settings.databaseUrl, settings.databaseReplicaUrl, settings.databasePool, log)
  }
  if (joins) return (await import('./shared.ts')).openOrJoin(settings.dataDir, log, disk)
  return (await import('./embedded.ts')).openEmbedded(settings.dataDir, log, disk)
}

/** As `connect`, on a disk that is watched already; it is watched no longer when the database can't be opened. */
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

/** Whether there is something to open: a server is taken to be there, the embedded database has been made or has not. */
export function isMade({ databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl !== undefined || existsSync(join(dataDir, 'database'))
}

/** Lets commands use the embedded database while this process has it. A server that no command can reach still serves. */
export async function admitCommands(database: Database, log: Logger): Promise<void> {
  await database.admitCommands?.().catch((err: unknown) => {
    log.warn({ err }, 'commands can not use the embedded database while this process runs: it can not listen for them')
  })
}
