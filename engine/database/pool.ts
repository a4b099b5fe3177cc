/** Hands out connections of a pg pool, with a bound on how many callers may wait for one. */
import type pg from 'pg'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { PoolUse, Row, Runner, Statement } from './database.ts'
import { databaseFailure, failureCode, isConnectionLost } from './failure.ts'
import type { NoteFailure } from './outage.ts'
import { send } from './statement.ts'
import type { Watch } from './watch.ts'

type Acquired = (error: Error | undefined, client: pg.PoolClient | undefined) => void

/** A pool with its bound and where its failures are noted. */
export interface Connections {
  readonly pool: pg.Pool
  readonly note: NoteFailure
}

/** Gives `done` a connection to release, or `unavailable` at once when LIMITS.poolQueue callers already wait. */
export function acquire({ pool, note }: Connections, done: Acquired): void {
  if (pool.waitingCount >= LIMITS.poolQueue) {
    done(
      new ApiError('unavailable', { retryAfter: 1, cause: new Error('too many requests wait for a connection') }),
      undefined,
    )
    return
  }
  pool.connect((error, client) => {
    if (error) note(error, performance.now())
    done(error, client)
  })
}

/** The same as a promise. */
export function acquired(connections: Connections): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    acquire(connections, (error, client) => (client ? resolve(client) : reject(error)))
  })
}

/** What Knex asks of a pool. */
interface KnexPool {
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** Where Knex takes its connections: the same pool under the same bound. */
export function knexPool(connections: Connections): KnexPool {
  const { pool } = connections
  return {
    connect: () => acquired(connections),
    end: () => pool.end(),
    get totalCount() {
      return pool.totalCount
    },
    get idleCount() {
      return pool.idleCount
    },
    get waitingCount() {
      return pool.waitingCount
    },
  }
}

/** How pools are used now; one that stands under two names is told of once. */
export function poolUses(pools: Readonly<Partial<Record<PoolUse['pool'], Connections>>>): readonly PoolUse[] {
  const named = new Map<pg.Pool, PoolUse['pool']>()
  for (const name of ['ordinary', 'compiled', 'replica'] as const) {
    const pool = pools[name]?.pool
    if (pool !== undefined && !named.has(pool)) named.set(pool, name)
  }
  return [...named].map(([{ totalCount, idleCount, waitingCount }, pool]) => ({
    pool,
    used: totalCount - idleCount,
    free: idleCount,
    waiting: waitingCount,
  }))
}

/** A pool whose lost connections are noted instead of ending the process, and whose silent ones are given up; it replaces them by itself. */
export function watchErrors(connections: Connections, watch?: Watch): Connections {
  const { pool, note } = connections
  const lost = (error: Error) => note(error, performance.now())
  pool.on('error', lost)
  pool.on('connect', (client) => {
    client.on('error', () => {})
    watch?.add(client)
  })
  return connections
}

/** The server has forgotten a prepared statement, or a migration changed what it returns: preparing it again helps. */
function isStale(error: Error): boolean {
  const code = failureCode(error)
  return code === '26000' || (code === '0A000' && error.message.includes('cached plan'))
}

/** Runs statements one per acquired connection, without a transaction. */
export function pooledRunner(connections: Connections): Runner {
  function attempt(statement: Statement, values: readonly unknown[], again: boolean): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      acquire(connections, (refused, client) => {
        if (client === undefined) return reject(databaseFailure(refused))
        send(client, statement, values, (error, rows) => {
          client.release(error !== null && isConnectionLost(error))
          if (error === null) return resolve(rows)
          if (again && isStale(error)) return resolve(attempt(statement, values, false))
          const failure = databaseFailure(error)
          if (failure instanceof ApiError && failure.code === 'unavailable') connections.note(error, performance.now())
          reject(failure)
        })
      })
    })
  }
  return Object.freeze({ run: (statement: Statement, values: readonly unknown[]) => attempt(statement, values, true) })
}

/** Runs statements on one connection that somebody else holds; a `patient` one may take as long as it takes. */
export function clientRunner(client: pg.ClientBase, patient = false): Runner {
  return Object.freeze({
    run: (statement: Statement, values: readonly unknown[]) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        const done = (error: Error | null, rows: readonly Row[]) =>
          error === null ? resolve(rows) : reject(databaseFailure(error))
        send(client, statement, values, done, patient)
      }),
  })
}

/** Lends one connection to `work`; `unlimited` is the SQL that lifts its time-outs, after which it is not used again. */
export async function inSession<T>(
  connections: Connections,
  unlimited: string | undefined,
  work: (runner: Runner) => Promise<T>,
): Promise<T> {
  const client = await acquired(connections).catch((error) => {
    throw databaseFailure(error)
  })
  try {
    if (unlimited !== undefined) await client.query(unlimited)
    return await work(clientRunner(client, true))
  } finally {
    client.release(unlimited !== undefined)
  }
}
