/** Real databases for tests: embedded in memory, or of their own on the server that TEST_DATABASE_URL names. */
import { type Throwaway, throwawayDatabase } from '../../engine/database/throwaway.ts'
import type { Logger } from '../../engine/observe.ts'

export type TestDatabase = Throwaway

export const SILENT: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} })

/** An empty database with pg_trgm; call `close` in `suite.after`, so that the next file can have it. */
export function testDatabase(log: Logger = SILENT): Promise<TestDatabase> {
  return throwawayDatabase(process.env.TEST_DATABASE_URL, { log })
}
