/** What every action runs with: catalog, database, caller, hooks, and the open transaction where there is one. */
import type { Actor } from '../actor.ts'
import type { Catalog, Field, Resource, WriteAction } from '../catalog/catalog.ts'
import type { Database, Row, Runner, Transaction } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import type { Logger } from '../observe.ts'
import type { Plans } from '../plan/plan.ts'
import type { Settings } from '../settings.ts'
import { type Compiled, type CompiledStatements, parameterValues, type SelectScope } from '../statement/compiled.ts'
import type { CachedTables } from './cached-tables.ts'
import type { Entry, Hook, PluginContext } from './context.ts'

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

/** Jobs of one name to be added to the queue together, one for each payload. */
export interface JobOrders extends Omit<JobOrder, 'id' | 'payload' | 'dedupe'> {
  readonly entries: readonly Entry[]
}

/** The way into the queue of jobs. */
export interface JobInlet {
  /** Adds a job by one statement of `runner` and gives its id, or that of the waiting job with the same key. */
  add(runner: Runner, order: JobOrder): Promise<string>
  /** Adds several by one statement of `runner`, without those whose id the queue knows. */
  addEach(runner: Runner, orders: JobOrders): Promise<void>
  /** Tells every instance that a job was committed. */
  wake(): Promise<void>
}

/** The parts that live as long as the application. */
export interface Foundation {
  readonly catalog: Catalog
  readonly database: Database
  readonly plans: Plans
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
  /** Tells this instance's listeners that the log of changes has grown. */
  readonly logged: () => void
  readonly jobs: JobInlet
  /** The account of an id as an actor, read by `runner`; null when there is nobody of that id who may sign in. */
  readonly actorOf: (account: number, runner: Runner) => Promise<Actor | null>
  /** The accounts of these ids that may sign in, read by `runner`. */
  readonly actorsOf: (runner: Runner, accounts: readonly number[]) => Promise<readonly Actor[]>
  /** What plugin functions hold; given by the composer, since their `records` run the very actions that run them. */
  readonly contextOf: (around: Execution, options: JsonObject) => PluginContext
}

/** What follows from what: the automation that writes, and how many have written because of each other. */
export interface Cause {
  /** `<resource>.<name>`; null: a listener of a plugin. */
  readonly source: string | null
  readonly depth: number
}

/** A record that is removed for good. */
export interface Leaving {
  readonly table: string
  readonly id: Id
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
  /** Whether a record that it changes is locked so that others may still refer to it. */
  readonly sharesKeys: boolean
  /** The records that are on their way out for good, whose removal this write belongs to. */
  readonly leaving?: readonly Leaving[] | undefined
  /** Why it writes, where that follows from other writes, a moment or the clock. */
  readonly cause: Cause | undefined
  /** Whether the work is taken back in the end: then nothing outside of the transaction may be done. */
  readonly dryRun?: boolean | undefined
  /** Leaves work for after the commit, or for the end of the request where no transaction is open. */
  readonly afterCommit: (work: Work) => void
}

export type Work = () => Promise<void> | void

/** Who begins an execution, and what becomes of its end. */
interface Call {
  readonly actor: Actor
  readonly requestId: string
  readonly afterCommit: (work: Work) => void
  readonly transaction?: Transaction
  readonly cause?: Cause
}

/** The execution of one caller; inside `transaction` where one is open. */
export function executionOf(foundation: Foundation, call: Call): Execution {
  const { actor, requestId, afterCommit, transaction, cause } = call
  // Named one by one: made for every request, and a spread of so many costs microseconds.
  return {
    catalog: foundation.catalog,
    database: foundation.database,
    plans: foundation.plans,
    statements: foundation.statements,
    cachedTables: foundation.cachedTables,
    hooks: foundation.hooks,
    settings: foundation.settings,
    instance: foundation.instance,
    log: foundation.log,
    now: foundation.now,
    changed: foundation.changed,
    logged: foundation.logged,
    jobs: foundation.jobs,
    actorOf: foundation.actorOf,
    actorsOf: foundation.actorsOf,
    contextOf: foundation.contextOf,
    actor,
    caller: actor,
    requestId,
    afterCommit,
    transaction,
    bulk: false,
    sharesKeys: false,
    cause,
    runner: transaction ?? foundation.database.compiled,
    adhoc: transaction ?? foundation.database.adhoc,
  }
}

/**
 * ⇄ Runs `work` in the open transaction, or in a new one and then what it left for after the commit.
 * The only place where an action opens a transaction.
 */
export async function inTransaction<T>(outer: Execution, work: (inner: Within) => Promise<T>): Promise<T> {
  if (isWithin(outer)) return work(outer)
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

function isWithin(execution: Execution): execution is Within {
  return execution.transaction !== undefined
}

/** An execution inside an open transaction. */
export type Within = Execution & { readonly transaction: Transaction }

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

/** What a write is compiled from: its answer takes small tables from the process, but none that it writes, nor inside a transaction. */
export function scopeOf({ actor, cachedTables, catalog, transaction }: Execution, { table }: Resource): SelectScope {
  if (transaction !== undefined) return { actor, catalog }
  return { actor, catalog, kept: cachedTables.names.has(table) ? cachedTables.without(table) : cachedTables }
}

/** The rows of a compiled statement with the values of one request; with `replan` it is planned for these very values. */
export function runCompiled(
  { actor, adhoc, now, runner }: Execution,
  { parameters, statement }: Compiled,
  slots: Readonly<Record<string, unknown>>,
  replan = false,
): Promise<readonly Row[]> {
  const values = parameterValues(parameters, { actor, now: now(), slots })
  const { name: _, ...unnamed } = statement
  return replan ? adhoc.run(unnamed, values) : runner.run(statement, values)
}

/** What a transaction remembers that it tells after its commit. */
const notedIn = memo((_: Transaction) => new Set<string>())

/** The slots of a row in the log of changes, apart from the record: the writer, the request, the cause and the time. */
export function changeSlots({ caller, requestId, bulk, cause, now }: Execution): Readonly<Record<string, unknown>> {
  return {
    log_actor: caller.id,
    log_request: requestId,
    log_bulk: bulk,
    log_source: cause?.source ?? null,
    log_depth: cause?.depth ?? 0,
    log_at: now().toISOString(),
  }
}

/** The name under which a transaction remembers that listeners have something to hear. */
const LOGGED = ''

/** The name under which it remembers that there are jobs. */
export const QUEUED = ' jobs'

/**
 * Tells every instance that keeps records of the table that they changed, and this one's listeners that the log has
 * grown: at once, or after the commit where a transaction is open.
 */
export async function noteChange(around: Execution, { logged, table }: Resource): Promise<void> {
  if (logged) await noteOnce(around, LOGGED, around.logged)
  // Another instance may keep what nobody has asked this one for yet, so it is the catalog that says what is kept.
  if (around.cachedTables.names.has(table)) await noteOnce(around, table, () => around.changed(table))
}

/** Tells at once, or once after the commit where a transaction is open, however often it is noted under the name. */
export async function noteOnce(around: Execution, name: string, tell: Work): Promise<void> {
  if (around.transaction === undefined) return tell()
  const names = notedIn(around.transaction)
  if (names.has(name)) return
  names.add(name)
  around.afterCommit(tell)
}

/** ⇄ Runs `work` behind a savepoint of the open transaction, keeps nothing of what it wrote, and gives what it gave. */
export function tryOut<T>(outer: Within, work: (inner: Within) => Promise<T>): Promise<T> {
  return attempt(outer, work, () => false)
}

/**
 * ⇄ Runs `work` behind a savepoint of the open transaction: when it rejects, or gives what `keeps` does not hold for, what
 * it wrote and what it left for after the commit is discarded, and the transaction goes on. Passes a rejection on.
 */
export async function attempt<T>(
  outer: Within,
  work: (inner: Within) => Promise<T>,
  keeps: (result: T) => boolean = () => true,
): Promise<T> {
  const { transaction } = outer
  const noted = notedIn(transaction)
  const before = new Set(noted)
  const left: Work[] = []
  const undo = async (): Promise<void> => {
    for (const name of noted) if (!before.has(name)) noted.delete(name)
    await transaction.run({ text: 'rollback to savepoint attempt' }, [])
    await transaction.run({ text: 'release savepoint attempt' }, [])
  }
  await transaction.run({ text: 'savepoint attempt' }, [])
  try {
    const result = await work({ ...outer, afterCommit: (later) => void left.push(later) })
    if (keeps(result)) await transaction.run({ text: 'release savepoint attempt' }, [])
    else await undo()
    if (keeps(result)) for (const later of left) outer.afterCommit(later)
    return result
  } catch (error) {
    await undo()
    throw error
  }
}

/** The hooks of an action on a resource, in the order of the YAML. */
export function hooksOf(around: Execution, resource: Resource, action: WriteAction): readonly BoundHook[] {
  return resource.hooks[action].map((name) => around.hooks.get(name)!)
}
