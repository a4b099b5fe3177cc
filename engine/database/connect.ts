/** Opens the database that the settings name: a PostgreSQL server, or the embedded one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import type { Database } from './database.ts'

export interface ConnectOptions {
  readonly log: Logger
  /** For commands: an embedded database that a running server has open is used by way of that server. */
  readonly joins?: boolean
}

/**
 * Opens the database and waits until it answers; rejects with a sentence for people when it can't.
 * Either driver is loaded only when it is the one needed: each costs start time and memory.
 */
export async function connect(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'> & Partial<Pick<Settings, 'databasePool' | 'databaseReplicaUrl'>>,
  { log, joins = false }: ConnectOptions,
): Promise<Database> {
  if (settings.databaseUrl !== undefined) {
    const { openPostgresql } = await import('./postgresql.ts')
    return openPostgresql(settings.databaseUrl, settings.databaseReplicaUrl, settings.databasePool, log)
  }
  if (joins) return (await import('./shared.ts')).openOrJoin(settings.dataDir, log)
  return (await import('./embedded.ts')).openEmbedded(settings.dataDir, log)
}

/** Whether there is something to open: a server is taken to be there, the embedded database has been made or has not. */
export function isMade({ databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl !== undefined || existsSync(join(dataDir, 'database'))
}
