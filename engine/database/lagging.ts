/** Reads that may be a moment old: on the replica, and on the server itself while the replica cannot answer. */
import { ApiError } from '../error.ts'
import type { Runner, Statement } from './database.ts'
import { failureCode } from './failure.ts'

/** The replica has not heard of a migration yet: a table, a column, a function. */
const BEHIND: ReadonlySet<string | undefined> = new Set(['42P01', '42703', '42883'])
/**
 * A statement that ran out of time would only run out of it again, on the server that has more to do; and one that
 * writes does not belong here, so the server must not carry it out.
 */
const FINAL: ReadonlySet<string | undefined> = new Set(['57014', '25006'])

/** Whether the server itself may well answer what the replica could not. */
function mayAnswer(error: unknown): boolean {
  const code = failureCode(error)
  if (BEHIND.has(code)) return true
  return error instanceof ApiError && error.code === 'unavailable' && !FINAL.has(code)
}

/** A runner on `replica` that turns to `server` when the replica is out, cancels for its replay, or lags behind a migration. */
export function laggingRunner(replica: Runner, server: Runner): Runner {
  return Object.freeze({
    async run(statement: Statement, values: readonly unknown[]) {
      try {
        return await replica.run(statement, values)
      } catch (error) {
        if (mayAnswer(error)) return server.run(statement, values)
        throw error
      }
    },
  })
}
