/** A listener: a consequence of writes, which a plugin names and which runs once for each change of the log. */

import type { WriteAction } from '../catalog/catalog.ts'
import { pluginContext } from '../context/plugin-context.ts'
import type { Transaction } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ListensTo } from '../resolve/extensions.ts'
import type { PluginContext } from '../run/context.ts'
import type { Within } from '../run/execution.ts'

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
  /** The account that made it; null for the program itself, or an anonymous caller. */
  readonly actorId: number | null
  readonly requestId: string | null
  /** Whether it was one of many that were written at once, as an import does. */
  readonly bulk: boolean
  /** The changed fields, without secrets; none for delete and restore. */
  readonly fields: readonly FieldChange[]
  /** The automation that wrote it, `<resource>.<name>`; null for other writers. */
  readonly source: string | null
  /** How many automations wrote because of each other, this one included; 0 for the write of a person. */
  readonly depth: number
  /** ISO 8601, UTC. */
  readonly at: string
}

/** The context of a listener: all its writes share one transaction with its place in the log. */
export interface ListenerContext extends PluginContext {
  readonly transaction: Transaction
}

/** The context of a listener while it runs. */
export interface HearingContext extends ListenerContext {
  /**
   * Declares that there is nothing to do at present: all changes that were committed when these were read are skipped.
   */
  readonly idle: () => void
}

/**
 * A consequence of writes. It runs as the system, soon after their commit, with changes in the order of commits, those of
 * one record in the order of its writes. When it throws, all it wrote is undone, and the changes come again.
 */
export interface ListenerContribution {
  readonly description: string
  /** Resource → the actions that it gets, in addition to those where a resource file names it under `listeners`. */
  readonly to?: ListensTo
  /** Slow work, and work outside the database, belongs in a job: `enqueue` is part of the transaction. */
  readonly run: (context: HearingContext, changes: readonly Change[]) => Promise<void>
  /**
   * Describes what it would do for a change now, a line for each person or thing, for `plinth explain`; writes nothing.
   */
  readonly explain?: (context: ListenerContext, change: Change) => Promise<readonly string[]>
}

/** A contribution with the options of its plugin. */
export interface BoundListener {
  readonly options: JsonObject
  readonly value: ListenerContribution
}

/** Works changes in the transaction of their listener's place; calls `idle` where there is nothing to do at present. */
export type Listen = (within: Within, changes: readonly Change[], idle: () => void) => Promise<void>

/** By full name: `<plugin>.<name>`, or `automation:<resource>.<name>`. */
export type Listeners = ReadonlyMap<string, Listen>

/**
 * The listeners of plugins. The depth of a listener's write is that of its deepest change, so that chains through
 * listeners end.
 */
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
