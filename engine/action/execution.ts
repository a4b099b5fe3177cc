/** What every action runs with: catalog, database, caller, hooks, and the open transaction where there is one. */
import type { Actor } from '../actor.ts'
import type { Catalog, Field } from '../catalog/catalog.ts'
import type { Database, Runner, Transaction } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { CompiledStatements } from '../query/compiled.ts'
import type { Settings } from '../settings.ts'
import type { CachedTables } from './cached-tables.ts'
import type { Hook, PluginContext } from './context.ts'

/** A hook with what it needs of its plugin. */
export interface BoundHook {
  readonly name: string
  readonly options: JsonObject
  /** Body keys that are no fields of the resource. */
  readonly input: readonly Field[]
  /** Whether the hook needs a transaction around the action. */
  readonly transaction: boolean
  readonly run: Hook
}

/** A job to be added to the queue. */
export interface JobOrder {
  /** `<plugin>.<name>`. */
  readonly id?: string | undefined
  readonly name: string
  readonly payload: JsonObject
  readonly runAt: Date | undefined
  readonly dedupe: string | undefined
  readonly actor: Actor
  readonly as: 'system' | 'actor'
}

/** The way into the queue of jobs. */
export interface JobInlet {
  /** Adds a job by one statement of `runner` and gives its id, or that of the waiting job with the same key. */
  add(runner: Runner, order: JobOrder): Promise<string>
  /** Tells every instance that a job was committed. */
  wake(): Promise<void>
}

/** The parts that live as long as the application. */
export interface Foundation {
  readonly catalog: Catalog
  readonly database: Database
  readonly statements: CompiledStatements
  readonly cachedTables: CachedTables
  readonly hooks: ReadonlyMap<string, BoundHook>
  readonly settings: Settings
  /** The id of this application, which its database keeps. */
  readonly instance: string
  readonly log: Logger
  readonly now: () => Date
  /** Tells every instance that records of a table changed; resolves when this one has heard. */
  readonly changed: (table: string) => Promise<void>
  readonly jobs: JobInlet
  /** What plugin functions hold; given by the composer, since their `records` run the very actions that run them. */
  readonly contextOf: (around: Execution, options: JsonObject) => PluginContext
}

/** What one action runs with: the parts of the application, its caller, and where its statements run. */
export interface Execution extends Foundation {
  readonly actor: Actor
  /** Who began it; `actor` is the system instead where plugin code writes as the system. */
  readonly caller: Actor
  readonly requestId: string
  readonly runner: Runner
  readonly adhoc: Runner
  readonly transaction: Transaction | undefined
  /** Whether this is one of many records that are written at once, as an import does. */
  readonly bulk: boolean
  /** Leaves work for after the commit, or for the end of the request where no transaction is open. */
  readonly afterCommit: (work: Work) => void
}

export type Work = () => Promise<void> | void

/** The execution of one caller; inside `transaction` where one is open. */
export function executionOf(
  foundation: Foundation,
  call: {
    readonly actor: Actor
    readonly requestId: string
    readonly afterCommit: (work: Work) => void
    readonly transaction?: Transaction
  },
): Execution {
  const { catalog, database, statements, cachedTables, hooks, settings, instance, log, now, changed, jobs, contextOf } =
    foundation
  const { actor, requestId, afterCommit, transaction } = call
  // Named one by one: made for every request, and a spread of so many costs microseconds.
  return {
    catalog,
    database,
    statements,
    cachedTables,
    hooks,
    settings,
    instance,
    log,
    now,
    changed,
    jobs,
    contextOf,
    actor,
    caller: actor,
    requestId,
    afterCommit,
    transaction,
    bulk: false,
    runner: transaction ?? database.compiled,
    adhoc: transaction ?? database.adhoc,
  }
}

/**
 * ⇄ Runs `work` in the open transaction, or in a new one and then what it left for after the commit.
 * The only place where an action opens a transaction.
 */
export async function inTransaction<T>(outer: Execution, work: (inner: Execution) => Promise<T>): Promise<T> {
  if (outer.transaction !== undefined) return work(outer)
  let left: Work[] = []
  const result = await outer.database.transaction((transaction) => {
    // A transaction may run again; what its first run left must not happen twice.
    left = []
    return work({
      ...outer,
      runner: transaction,
      adhoc: transaction,
      transaction,
      afterCommit: (later) => void left.push(later),
    })
  })
  await runLeft(outer, left)
  return result
}

/** Runs the work that was left for later, in order. Work that fails is logged, and undoes nothing. */
export async function runLeft(
  around: Pick<Foundation, 'log'> & { readonly requestId: string },
  left: readonly Work[],
): Promise<void> {
  for (const work of left) {
    try {
      await work()
    } catch (error) {
      around.log.error({ err: error, requestId: around.requestId }, 'work after the commit failed')
    }
  }
}

const noted = new WeakMap<Transaction, Set<string>>()

/** Tells every instance that keeps records of a table that they changed: at once, or after the commit where a transaction is open. */
export async function noteChange(around: Execution, table: string): Promise<void> {
  // Another instance may keep what nobody has asked this one for yet, so it is the catalog that says what is kept.
  if (!around.cachedTables.names.has(table)) return
  if (around.transaction === undefined) return around.changed(table)
  const tables = noted.get(around.transaction) ?? new Set()
  noted.set(around.transaction, tables)
  if (tables.has(table)) return
  tables.add(table)
  around.afterCommit(() => around.changed(table))
}

/**
 * ⇄ Runs `work` behind a savepoint of the open transaction: when it rejects, what it wrote and what it left for after the
 * commit is discarded, the transaction goes on, and the rejection is passed on.
 */
export async function attempt<T>(
  outer: Execution & { readonly transaction: Transaction },
  work: (inner: Execution & { readonly transaction: Transaction }) => Promise<T>,
): Promise<T> {
  const { transaction } = outer
  const before = new Set(noted.get(transaction))
  const left: Work[] = []
  await transaction.run({ text: 'savepoint attempt' }, [])
  try {
    const result = await work({ ...outer, afterCommit: (later) => void left.push(later) })
    await transaction.run({ text: 'release savepoint attempt' }, [])
    for (const later of left) outer.afterCommit(later)
    return result
  } catch (error) {
    noted.set(transaction, before)
    await transaction.run({ text: 'rollback to savepoint attempt' }, [])
    await transaction.run({ text: 'release savepoint attempt' }, [])
    throw error
  }
}
