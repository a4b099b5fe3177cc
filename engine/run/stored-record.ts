/** ⇄ The stored record that a write starts from: 404 when it does not exist, 403 when no clause reaches it (404 where it is concealed). */

import { type Lookup, notFound } from '../ask/lookup.ts'
import type { Clause, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { compileCurrent, type RowLock } from '../statement/stored-record.ts'
import { type Execution, runCompiled } from './execution.ts'

export interface StoredRecord {
  readonly id: Id
  /** The row's xmin: another writer's change gives another one. */
  readonly version: string
  readonly live: boolean
  /** Whether the caller may view the record. Answers to its writes reveal nothing of a record that it may not view. */
  readonly seen: boolean
  /** The clauses that reach this record, in order. */
  readonly clauses: readonly Clause[]
  readonly record: Readonly<Record<string, Json>>
}

/** Reads the record, locked inside a transaction; `dead` admits records that are not live (restore). */
export async function storedRecord(
  around: Execution,
  resource: Resource,
  clauses: readonly Clause[],
  lookup: Lookup,
  dead = false,
): Promise<StoredRecord> {
  const lock = lockOf(around)
  const compiled = around.statements.get(compileCurrent, around, resource, clauses, lookup.field, lock)
  const [row] = await runCompiled(around, compiled, { lookup: lookup.value })
  if (row === undefined) throw notFound(resource)
  const { version, live, seen, reached, record } = compiled.read(row)
  if (!live && !dead) throw notFound(resource)
  const reaching = clauses.filter((_, i) => reached[i])
  if (reaching.length === 0 && around.actor.kind !== 'system') {
    // A caller who can read the record already knows that it exists, so a 404 would only be untrue.
    throw resource.conceal && !(live && seen) ? notFound(resource) : new ApiError('forbidden', { message: 'Forbidden' })
  }
  return { id: record.id as Id, version, live, seen: live && seen, clauses: reaching, record }
}

/** How the record is locked: for the end of a transaction, where one is open. */
function lockOf({ sharesKeys, transaction }: Execution): RowLock | undefined {
  if (transaction === undefined) return undefined
  return sharesKeys ? 'no key update' : 'update'
}
