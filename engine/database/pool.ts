/** Hands out connections of a pg pool, with a bound on how many callers may wait for one. */

import type { Knex } from 'knex'
import createKnex from 'knex'
import type pg from 'pg'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import type { PoolUse, Row, Runner, Statement } from './database.ts'
import {
  collisionPause,
  databaseFailure,
  isConnectionLost,
  isOutage,
  isRetryable,
  isStale,
  type NoteFailure,
} from './failure.ts'
import { lostClients, type Watch } from './silence-watch.ts'
import { send } from './statement.ts'

type Acquired = (error: Error | undefined, client: pg.PoolClient | undefined) => void

/** A pool with its bound and where its failures are noted. */
export interface Connections {
  readonly pool: pg.Pool
  readonly note: NoteFailure
}

/**
 * How long callers wait for a connection of a pool, in milliseconds of a monotonic clock: the figure by which a server
 * knows that more is asked than it can do.
 */
interface Waits {
  /** Notes a caller that asks for a connection; returns the begin of its wait for `ended`, 0 where it does not wait. */
  began(): number
  ended(began: number): void
  /**
   * The shortest wait that ended since the last call; while no caller gets a connection, the time since the last one did.
   * The shortest, because in a burst some callers wait, and only in a lasting queue all of them do.
   */
  take(now: number): number
}

function createWaits(pool: pg.Pool): Waits {
  let least = Number.POSITIVE_INFINITY
  let waiting = 0
  let servedAt = 0
  return {
    began() {
      if (pool.idleCount > 0 || pool.totalCount < (pool.options.max ?? 0)) {
        least = 0
        return 0
      }
      const now = performance.now()
      if (waiting === 0) servedAt = now
      waiting += 1
      return now
    },
    ended(began) {
      if (began === 0) return
      waiting -= 1
      servedAt = performance.now()
      const waited = servedAt - began
      if (waited < least) least = waited
    },
    take(now) {
      const found = least !== Number.POSITIVE_INFINITY ? least : waiting > 0 ? now - servedAt : 0
      least = Number.POSITIVE_INFINITY
      return found
    },
  }
}

/** The waits of a pool, shared by all its Connections. */
const waitsOf = memo((pool: pg.Pool): Waits => createWaits(pool))

/**
 * Calls `done` with a connection to release, or with `unavailable` at once when LIMITS.poolQueue callers already wait.
 */
function acquire({ pool, note }: Connections, done: Acquired): void {
  if (pool.waitingCount >= LIMITS.poolQueue) {
    done(
      new ApiError('unavailable', { retryAfter: 1, cause: new Error('too many requests wait for a connection') }),
      undefined,
    )
    return
  }
  const waits = waitsOf(pool)
  const began = waits.began()
  pool.connect((error, client) => {
    waits.ended(began)
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

/** The pool interface of Knex. */
interface KnexPool {
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** Has a connection destroyed when it is released after an error that says it is of no further use. */
function dropWhenLost(client: pg.PoolClient): pg.PoolClient {
  const { release } = client
  client.release = (destroy) => release.call(client, destroy || lostClients.has(client))
  return client
}

/** Where Knex takes its connections: the same pool under the same bound. */
function knexPool(connections: Connections): KnexPool {
  const { pool } = connections
  return {
    connect: async () => dropWhenLost(await acquired(connections)),
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

/** The present use of pools; a pool under two names is listed once. */
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

/**
 * Asks how long callers wait for a connection of the pool where they wait longest, since it was last asked; in
 * milliseconds.
 */
export function longestWait(connections: readonly Connections[]): () => number {
  return () => {
    const now = performance.now()
    return Math.max(...connections.map(({ pool }) => waitsOf(pool).take(now)))
  }
}

/**
 * A pool whose lost connections are noted instead of ending the process, and whose silent ones are given up; it
 * replaces them by itself.
 */
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

/** Runs each statement on an acquired connection, without a transaction, and again after a collision. */
export function pooledRunner(connections: Connections, random: () => number = Math.random): Runner {
  function run(statement: Statement, values: readonly unknown[], met = 0): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      acquire(connections, (refused, client) => {
        if (client === undefined) return reject(databaseFailure(refused))
        const attempt = (again: boolean): void =>
          send(client, statement, values, (error, rows) => {
            // On the same connection, which has forgotten it now: another one may have the stale one too.
            if (error !== null && again && isStale(error)) return attempt(false)
            client.release(error !== null && isConnectionLost(error))
            if (error === null) return resolve(rows)
            if (isRetryable(error) && met < LIMITS.collisionTries) {
              const later = (): void => void run(statement, values, met + 1).then(resolve, reject)
              return void setTimeout(later, collisionPause(met + 1, random))
            }
            const failure = databaseFailure(error)
            if (isOutage(failure)) connections.note(error, performance.now())
            reject(failure)
          })
        attempt(true)
      })
    })
  }
  return Object.freeze<Runner>({ run: (statement, values) => run(statement, values) })
}

/** Runs statements on one connection that the caller holds; `patient`: without a limit of time. */
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

/**
 * Whether the server of a connection takes writes; if not, the connection is dropped, because the next one may reach
 * its successor.
 */
export async function takesWrites(connections: Connections): Promise<boolean> {
  const client = await acquired(connections).catch((error) => {
    throw databaseFailure(error)
  })
  let keep = false
  try {
    const [row] = await clientRunner(client).run({ text: `select current_setting('transaction_read_only')` }, [])
    keep = row?.[0] === 'off'
    return keep
  } finally {
    client.release(!keep)
  }
}

/** A Knex that takes its connections there; its own words about them go nowhere, since the log has ours. */
export function knexOver(connections: Connections): Knex {
  return createKnex({
    client: 'pg',
    connectionPool: knexPool(connections),
    log: { warn() {}, error() {}, debug() {}, deprecate() {} },
  })
}
