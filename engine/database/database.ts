/** The interface of the database for the rest of the engine: text in, rows of text out, and transactions. */
import type { Knex } from 'knex'

/** SQL with `$n` parameters; with a name it is prepared once per connection. */
export interface Statement {
  readonly text: string
  readonly name?: string
  /**
   * Gets each row as it arrives, with its place in the answer; then the promise has no rows. A row at 0 begins the answer,
   * perhaps for a second time. Must not throw.
   */
  readonly take?: (row: Row, at: number) => void
}

/** One row as PostgreSQL's own text of each column, in the order of the select list. */
export type Row = readonly (string | null)[]

/** Anything that runs statements: the pool of compiled reads, or one transaction. */
export interface Runner {
  /**
   * Runs one statement; a failure of the database becomes an ApiError where a caller caused it, and is thrown unchanged
   * otherwise.
   */
  run(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>
}

/** One open transaction: compiled statements through `run`, others through `knex`. */
export interface Transaction extends Runner {
  readonly knex: Knex.Transaction
}

/** Where SQL of a plugin runs: the open transaction, or the database where there is none. */
export interface Connection extends Runner {
  readonly knex: Knex
}

/** How the connections of one pool are used at the moment. */
export interface PoolUse {
  readonly pool: 'ordinary' | 'compiled' | 'replica'
  readonly used: number
  /** Open and at rest. */
  readonly free: number
  /** Callers that wait for a connection. */
  readonly waiting: number
}

/** By which processes that share a database know which of them live: each has keys, which it loses with its life. */
export interface Presence {
  /**
   * Takes a key until the returned function is called, or this process ends; undefined where another process has it. After
   * the loss of a connection it takes the key again, unless another process did.
   */
  take(key: string): Promise<(() => Promise<void>) | undefined>
  /** The keys among these that some process has. */
  held(keys: readonly string[]): Promise<ReadonlySet<string>>
}

export interface Database {
  readonly kind: 'postgresql' | 'embedded'
  /** For people: `PostgreSQL 15.6 at 127.0.0.1/desk` or `embedded PostgreSQL 18 in ./data`. Never a password. */
  readonly description: string
  /** The ordinary pool: plugin code, migrations, ad-hoc statements. */
  readonly knex: Knex
  /** Compiled statements, on connections that plan them once. */
  readonly compiled: Runner
  /** Statements whose best plan depends on their values, on ordinary connections. */
  readonly adhoc: Runner
  /**
   * Reads that may be a moment old and take long, such as statistics: the replica where there is one, otherwise
   * `adhoc`.
   */
  readonly lagging: Runner
  /**
   * Runs in one transaction; commits when `work` resolves, rolls back when it rejects. Runs it again, up to
   * LIMITS.collisionTries times, on 40001 and 40P01, and after a change of tables.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * One connection for as long as `work` runs, outside any transaction and without time-outs: for migrations.
   * On the embedded database it is the only one, so `work` must use nothing else.
   */
  session<T>(work: (runner: Runner) => Promise<T>): Promise<T>
  /**
   * For a process that has to stop while it starts: sessions get no further statement, and statements that still run after
   * LIMITS.startStopMs are cancelled where the server can do that. Their transactions are rolled back.
   */
  interrupt(): void
  readonly presence: Presence
  /** How the pools are used now, one after the other. */
  connections(): readonly PoolUse[]
  /**
   * The wait of callers for a connection since the last call of this, in milliseconds: the shortest wait, of the pool where
   * it is longest, and 0 where a caller found a free connection. Admission limits requests by it.
   */
  waited(): number
  /** One cheap round trip, for readiness. Rejects when the database is out or its disk is full. */
  ping(): Promise<void>
  /**
   * From here on, commands of the same user may use the database while this process has it open; only for a database that one
   * process can open. Rejects where that is impossible, and nothing else changes.
   */
  admitCommands?(): Promise<void>
  close(): Promise<void>
}
