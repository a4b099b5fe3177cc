/** What a listener is: a consequence of writes, which a plugin names and which is worked from the log of changes, once. */
import type { PluginContext } from '../action/context.ts'
import type { Within } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import type { WriteAction } from '../catalog/catalog.ts'
import type { Transaction } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ListensTo } from '../resolve/extensions.ts'

/** One value that a write changed. */
export interface FieldChange {
  readonly field: string
  readonly from: Json
  readonly to: Json
  /** false: a default or a rule gave a new record this value, not its creator. */
  readonly given?: false
}

/** One write, as the log of changes holds it. */
export interface Change {
  /** Later writes of one record have a higher one. */
  readonly id: number
  /** The resource whose table the record is in. */
  readonly resource: string
  readonly recordId: Id
  readonly action: WriteAction
  /** Who began it; null: the program itself, or nobody signed in. */
  readonly actorId: number | null
  readonly requestId: string | null
  /** Whether it was one of many that were written at once, as an import does. */
  readonly bulk: boolean
  /** What changed, without secrets; none for delete and restore. */
  readonly fields: readonly FieldChange[]
  /** The automation that wrote it, `<resource>.<name>`; null for anybody else. */
  readonly source: string | null
  /** How many automations wrote because of each other, this one included; 0 for what somebody wrote. */
  readonly depth: number
  /** ISO 8601, UTC. */
  readonly at: string
}

/** What a listener holds: everything it writes belongs to one transaction with its place in the log. */
export interface ListenerContext extends PluginContext {
  readonly transaction: Transaction
}

/** What a listener holds while it hears. */
export interface HearingContext extends ListenerContext {
  /**
   * Says that there is nothing to do at present, whatever was written: what else was committed by when these changes were
   * read is passed by.
   */
  readonly idle: () => void
}

/**
 * A consequence of writes. It runs as the system, soon after their commit, with changes in the order of commits, those of
 * one record in the order of its writes. When it throws, all it wrote is undone, and the changes come again.
 */
export interface ListenerContribution {
  readonly description: string
  /** Resource → the actions of which it hears, beside those where a resource file names it under `listeners`. */
  readonly to?: ListensTo
  /** Slow work, and what lies outside the database, belongs in a job: `enqueue` is part of the transaction. */
  readonly run: (context: HearingContext, changes: readonly Change[]) => Promise<void>
  /** What it would do for a change as things are now, a line for each person or thing, for `plinth explain`; writes nothing. */
  readonly explain?: (context: ListenerContext, change: Change) => Promise<readonly string[]>
}

/** A contribution with what it needs of its plugin. */
export interface BoundListener {
  readonly options: JsonObject
  readonly value: ListenerContribution
}

/** Works changes in the transaction of their listener's place; calls `idle` where there is nothing to do at present. */
export type Listen = (within: Within, changes: readonly Change[], idle: () => void) => Promise<void>

/** By full name: `<plugin>.<name>`, or `automation:<resource>.<name>`. */
export type Listeners = ReadonlyMap<string, Listen>

/** The listeners of plugins. What one writes is as deep as the deepest of what it hears, so that no chain is endless by way of it. */
export function pluginListeners(bound: ReadonlyMap<string, BoundListener>): Listeners {
  return new Map([...bound].map(([name, { options, value }]) => [name, (...heard) => run(heard, options, value)]))
}

async function run(
  [within, changes, idle]: Parameters<Listen>,
  options: JsonObject,
  { run }: ListenerContribution,
): Promise<void> {
  const depth = Math.max(0, ...changes.map((change) => change.depth))
  const context = pluginContext({ ...within, cause: { source: null, depth } }, options)
  await run({ ...context, transaction: within.transaction, idle }, changes)
}
