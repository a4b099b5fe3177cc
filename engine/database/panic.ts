/**
 * Notices that an embedded cluster has panicked, as PostgreSQL does when it can't write its log. A server would end;
 * PGlite takes no notice, calls it again and never comes back, and the process with it.
 */
import type { PGlite } from '@electric-sql/pglite'

/** The calls into PostgreSQL by which PGlite has messages answered. */
interface Calls {
  _PostgresMainLoopOnce(): void
  _PostgresSendReadyForQueryIfNecessary(): void
  _pgl_pq_flush(): void
}

/** The SQLSTATE of statements that a crash of the server cut off. */
const CRASHED = '57P02'

/** An error that PGlite can't pass over: it reads the status of what was thrown, to tell an ordinary error of PostgreSQL. */
function inescapable(error: Error): Error {
  return Object.defineProperty(error, 'status', {
    get() {
      throw error
    },
  })
}

/** Calls `panicked` once when PostgreSQL aborts, and has its error thrown by every statement from then on, that one included. */
export function watchForPanic(cluster: PGlite, panicked: () => Error): void {
  const calls = Reflect.get(cluster, 'Module') as Calls
  const once = calls._PostgresMainLoopOnce
  let broken: Error | undefined
  calls._PostgresMainLoopOnce = () => {
    if (broken !== undefined) throw broken
    try {
      once()
    } catch (error) {
      // Errors of PostgreSQL come as an exit with a status.
      if (!(error instanceof Error) || error.name !== 'RuntimeError') throw error
      // One of its own: Knex writes the statement into the message of what it is thrown.
      const { message } = panicked()
      broken = inescapable(Object.assign(new Error(message), { code: CRASHED }))
      // What PGlite calls on its way out would not come back either.
      calls._PostgresSendReadyForQueryIfNecessary = () => {}
      calls._pgl_pq_flush = () => {}
      throw broken
    }
  }
}
