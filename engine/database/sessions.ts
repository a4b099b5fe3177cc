/** Connections lent for as long as some work takes, such as a migration, and how that work is ended early. ⇄ */
import type pg from 'pg'
import { LIMITS } from '../limits.ts'
import type { Runner, Statement } from './database.ts'
import { databaseFailure } from './failure.ts'
import { Client } from './pg.ts'
import { acquired, type Connections, clientRunner } from './pool.ts'

/** The sessions of one database. */
export interface Sessions {
  run<T>(work: (runner: Runner) => Promise<T>): Promise<T>
  /** Refuses every further statement of sessions, and cancels those that still run after LIMITS.startStopMs. */
  interrupt(): void
}

export interface SessionOptions {
  /** SQL that lifts the time-outs of a connection, after which it is not used again. */
  readonly unlimited?: string
  /** Cancels the statement of a backend; absent where that is impossible. */
  readonly cancel?: (backend: number) => Promise<void>
}

/** Statements by which an interrupted session cleans up. */
const UNDOING = /^(rollback|select pg_advisory_unlock)\b/

/** Lends connections of a pool to work that takes as long as it takes. */
export function createSessions(connections: Connections, { unlimited, cancel }: SessionOptions): Sessions {
  const lent = new Set<pg.PoolClient>()
  let interrupted = false

  function interruptible(runner: Runner): Runner {
    return {
      run: (statement: Statement, values) =>
        interrupted && !UNDOING.test(statement.text)
          ? Promise.reject(new Error('the process is told to stop'))
          : runner.run(statement, values),
    }
  }

  return {
    async run(work) {
      const client = await acquired(connections).catch((error) => {
        throw databaseFailure(error)
      })
      lent.add(client)
      try {
        if (unlimited !== undefined) await client.query(unlimited)
        return await work(interruptible(clientRunner(client, true)))
      } finally {
        lent.delete(client)
        client.release(unlimited !== undefined)
      }
    },
    interrupt() {
      interrupted = true
      if (cancel === undefined) return
      setTimeout(() => {
        for (const client of lent) {
          const backend = (client as pg.PoolClient & { readonly processID?: number | null }).processID
          if (typeof backend === 'number') void cancel(backend).catch(() => undefined)
        }
      }, LIMITS.startStopMs).unref()
    },
  }
}

/** Cancels the statement of a backend, over a separate connection. */
export function cancelling(config: pg.ClientConfig): (backend: number) => Promise<void> {
  return async (backend) => {
    const client = new Client({ ...config, connectionTimeoutMillis: LIMITS.probeMs, query_timeout: LIMITS.probeMs })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select pg_cancel_backend($1)', [backend])
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
