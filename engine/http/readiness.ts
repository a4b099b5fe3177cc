/** Whether an instance can serve, for /readyz ⇄. */
import { outsideChecks } from '../breaker.ts'
import type { Database } from '../database/database.ts'
import type { Disk } from '../disk/disk-watch.ts'
import { ApiError } from '../error.ts'
import type { Settings } from '../settings.ts'
import type { Readiness } from './parts.ts'

interface Serving {
  readonly database: Pick<Database, 'ping'>
  readonly disk: Pick<Disk, 'says'>
  /** Whether the process was told to stop. */
  readonly draining: boolean
  readonly settings: Settings
}

/** A disk that takes no files leaves the instance ready where its database lies elsewhere: all but uploads works. */
export async function readiness(process: Serving): Promise<Readiness> {
  const { database, disk, draining, settings } = process
  if (draining) return { ready: false, checks: { process: 'stopping' } }
  try {
    await database.ping()
    return { ready: true, checks: { process: 'ok', database: 'ok', disk: disk.says(), ...outsideChecks(settings) } }
  } catch (error) {
    // What a driver says is for the log alone.
    const reason = error instanceof ApiError ? error.message : 'out'
    return { ready: false, checks: { process: 'ok', database: reason, disk: disk.says() } }
  }
}
