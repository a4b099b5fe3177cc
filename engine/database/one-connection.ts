/** A database with one connection, which everyone takes in turn, as the same interface as a server's. */
import createKnex from 'knex'
import type pg from 'pg'
import type { Logger } from '../observe.ts'
import type { Database } from './database.ts'
import { outageLog } from './outage.ts'
import { inSession, knexPool, pooledRunner, poolUses, watchErrors } from './pool.ts'
import { inTransaction } from './transaction.ts'

/**
 * A Database over the one connection of a pool.
 * A read outside a transaction waits until the open one ends, and the bare `knex` inside a transaction waits for itself
 * until LIMITS.acquireMs refuse it with `unavailable`.
 */
export function databaseOver(pool: pg.Pool, description: string, log: Logger, closed: () => Promise<void>): Database {
  const connections = watchErrors({ pool, note: outageLog(log) })
  const knex = createKnex({
    client: 'pg',
    connectionPool: knexPool(connections),
    log: { warn() {}, error() {}, debug() {}, deprecate() {} },
  })
  const runner = pooledRunner(connections)
  return Object.freeze<Database>({
    kind: 'embedded',
    description,
    knex,
    compiled: runner,
    adhoc: runner,
    lagging: runner,
    transaction: (work) => inTransaction(knex, connections, work),
    session: (work) => inSession(connections, undefined, work),
    connections: () => poolUses({ ordinary: connections }),
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
