/** Knex over connections of our own, for plugins and migrations. */
import createKnex, { type Knex } from 'knex'
import { type Connections, knexPool } from './pool.ts'

/** A Knex that takes its connections there; its own words about them go nowhere, since the log has ours. */
export function knexOver(connections: Connections): Knex {
  return createKnex({
    client: 'pg',
    connectionPool: knexPool(connections),
    log: { warn() {}, error() {}, debug() {}, deprecate() {} },
  })
}
