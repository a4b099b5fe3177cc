/** Whether the database still serves after an error ⇄: what failed is then the work, and not the database under it. */
import { ApiError } from '../error.ts'
import type { Database } from './database.ts'
import { isConnectionLost } from './failure.ts'

/** Asks the database where the error looks like an outage, as a statement that takes too long does too. */
export async function stillServes(database: Pick<Database, 'ping'>, error: unknown): Promise<boolean> {
  const outage = isConnectionLost(error) || (error instanceof ApiError && error.code === 'unavailable')
  if (!outage) return true
  return database.ping().then(
    () => true,
    () => false,
  )
}
