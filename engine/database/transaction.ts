/** Runs work inside one database transaction, and again when the database asks for it. */
import { setTimeout } from 'node:timers/promises'
import type { Knex } from 'knex'
import type pg from 'pg'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import type { Transaction } from './database.ts'
import { collisionPause, databaseFailure, isConnectionLost, isRetryable, isStale } from './failure.ts'
import { acquired, type Connections, clientRunner } from './pool.ts'

/** The part of a pg client that says whether a transaction is still open on it. */
interface Status {
  getTransactionStatus?(): 'I' | 'T' | 'E' | null
}

function isClean(client: pg.PoolClient & Status): boolean {
  const status = client.getTransactionStatus?.()
  return status === undefined || status === null || status === 'I'
}

/** What is left for the end of a transaction. */
interface End {
  over: boolean
  readonly left: (() => Promise<void>)[]
}

const endOf = memo((_: Knex.Transaction): End => ({ over: false, left: [] }))

/**
 * Runs work, which must not reject, once a transaction has ended, committed or not, and before its caller hears of it; at
 * once where it has ended.
 */
export function afterEnd({ knex }: Pick<Transaction, 'knex'>, work: () => Promise<void>): void {
  const end = endOf(knex)
  if (end.over) void work()
  else end.left.push(work)
}

async function once<T>(
  knex: Knex,
  connections: Connections,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await acquired(connections)
  let open = true
  let lost = false
  let ends: End | undefined
  try {
    const { run } = clientRunner(client)
    let last: Promise<unknown> = Promise.resolve()
    // One after the other: pg takes no statement while another one runs.
    const within: Transaction['run'] = (statement, values) => {
      const rows = last.then(() => {
        if (!open) throw new Error('the transaction has ended, and its connection is given on')
        return run(statement, values)
      })
      last = rows.catch(() => undefined)
      return rows
    }
    const begin = (trx: Knex.Transaction): Promise<T> => {
      ends = endOf(trx)
      return work({ knex: trx, run: within })
    }
    return await knex.transaction(begin, { connection: client })
  } catch (error) {
    lost = isConnectionLost(error)
    throw error
  } finally {
    open = false
    // A connection whose rollback did not arrive must not lend its open transaction to the next caller.
    client.release(lost || !isClean(client))
    if (ends !== undefined) {
      ends.over = true
      for (const work of ends.left) await work()
    }
  }
}

/** Tries several times after collisions, and as often as there are connections with stale statements. */
async function again<T>(
  knex: Knex,
  connections: Connections,
  work: (transaction: Transaction) => Promise<T>,
  random: () => number,
): Promise<T> {
  let met = 0
  let stale = connections.pool.options.max ?? 1
  for (;;) {
    try {
      return await once(knex, connections, work)
    } catch (error) {
      if (isStale(error) && stale > 0) stale -= 1
      else if (isRetryable(error) && met < LIMITS.collisionTries) {
        met += 1
        await setTimeout(collisionPause(met, random))
      } else throw error
    }
  }
}

/**
 * Commits when `work` resolves, rolls back when it rejects; runs `work` again after 40001 or 40P01, and where tables
 * have changed under prepared statements, so it must keep nothing outside the transaction from a first run. Rejects with
 * the result of `databaseFailure`.
 */
export async function inTransaction<T>(
  knex: Knex,
  connections: Connections,
  work: (transaction: Transaction) => Promise<T>,
  random: () => number = Math.random,
): Promise<T> {
  try {
    return await again(knex, connections, work, random)
  } catch (error) {
    const failure = databaseFailure(error)
    if (failure instanceof ApiError && failure.code === 'unavailable' && isConnectionLost(error)) {
      connections.note(error, performance.now())
    }
    throw failure
  }
}
