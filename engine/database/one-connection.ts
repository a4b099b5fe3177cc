/** A database with one connection, which everyone takes in turn, as the same interface as a server's. */
import type pg from 'pg'
import type { Logger } from '../observe.ts'
import type { Database } from './database.ts'
import { knexOver } from './knex.ts'
import { outageLog } from './outage.ts'
import { longestWait, pooledRunner, poolUses, watchErrors } from './pool.ts'
import { ownPresence } from './presence.ts'
import { createSessions } from './sessions.ts'
import { inTransaction } from './transaction.ts'

/**
 * A Database over the one connection of a pool.
 * A read outside a transaction waits until the open one ends, and the bare `knex` inside a transaction waits for itself
 * until LIMITS.acquireMs refuse it with `unavailable`.
 */
export function databaseOver(pool: pg.Pool, description: string, log: Logger, closed: () => Promise<void>): Database {
  const connections = watchErrors({ pool, note: outageLog(log) })
  const knex = knexOver(connections)
  const runner = pooledRunner(connections)
  const sessions = createSessions(connections, {})
  return Object.freeze<Database>({
    kind: 'embedded',
    description,
    knex,
    compiled: runner,
    adhoc: runner,
    lagging: runner,
    transaction: (work) => inTransaction(knex, connections, work),
    session: sessions.run,
    interrupt: sessions.interrupt,
    presence: ownPresence(),
    connections: () => poolUses({ ordinary: connections }),
    waited: longestWait([connections]),
    ping: async () => {
      await runner.run({ text: 'select 1' }, [])
    },
    close: async () => {
      await knex.destroy()
      await pool.end()
      await closed()
    },
  })
}
