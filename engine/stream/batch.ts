/** What a batch of the log says of each record: what it was before, and what of it changed. Pure. */
import type { Assignment, Catalog, Resource } from '../catalog/catalog.ts'
import type { LoggedChange } from '../change/log-window.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { memo } from '../memo.ts'

/** One record that changed. */
export interface Former {
  /** What its columns held before, where that was another value; undefined: it was not there, or not for callers. */
  readonly was: JsonObject | undefined
  /** What its policies compared before its last write, for one that is gone. */
  readonly kept: JsonObject | undefined
  /** The columns that hold another value than before. */
  readonly columns: ReadonlySet<string>
  /** Whether it was updated, whatever its columns hold by now. */
  readonly touched: boolean
  /** Whether values changed and nothing else: it was neither created, nor deleted, nor restored. */
  readonly updated: boolean
  /** Whether it is deleted by now. */
  readonly deleted: boolean
  /** Whether the log holds no value any more of what it was: it was removed for good, or somebody had its values forgotten. */
  readonly forgotten: boolean
}

/** The records of one table that changed, by id. */
export type FormerRecords = ReadonlyMap<Id, Former>

/** The records that changed, by the resource whose table they are in. */
export function formerRecords(catalog: Catalog, changes: readonly LoggedChange[]): ReadonlyMap<string, FormerRecords> {
  const byRecord = new Map<string, Map<Id, LoggedChange[]>>()
  for (const change of changes) {
    const records = byRecord.get(change.resource) ?? new Map<Id, LoggedChange[]>()
    byRecord.set(change.resource, records)
    const known = records.get(change.recordId)
    if (known === undefined) records.set(change.recordId, [change])
    else known.push(change)
  }
  return new Map(
    [...byRecord].map(([owner, records]) => {
      const table = tableOf(catalog, owner)
      return [owner, new Map([...records].map(([id, all]) => [id, formerOf(table, all)]))]
    }),
  )
}

/** What is known of a table: its columns by the names that its resources give them, and what a delete sets there. */
interface Table {
  readonly columns: ReadonlyMap<string, string>
  readonly stored: ReadonlySet<string>
  /** What these columns hold while a record is live, and while it is deleted. */
  readonly live: JsonObject
  readonly dead: JsonObject
}

const tableOf = memo((catalog: Catalog, owner: string): Table => {
  const resources = [...catalog.resources.values()].filter((one) => one.owner === owner)
  const fields = resources.flatMap((one) => [...one.fields.values()])
  const columns = new Map(fields.map(({ name, column }) => [name, column]))
  const resource = catalog.resources.get(owner)
  return { columns, stored: new Set(columns.values()), live: liveValues(resource), dead: deadValues(resource) }
})

/** What the columns that a soft delete sets hold while a record is live. */
function liveValues(resource: Resource | undefined): JsonObject {
  const restored = new Map((resource?.restoreSets ?? []).map((one) => [one.field.column, literalOf(one)]))
  return Object.fromEntries(
    (resource?.deleteSets ?? []).map(({ field }) => [field.column, restored.get(field.column) ?? null]),
  )
}

/** What these columns hold while a record is deleted: of a moment it is enough that it is one. */
function deadValues(resource: Resource | undefined): JsonObject {
  return Object.fromEntries(
    (resource?.deleteSets ?? []).map((one) => {
      const { column, type } = one.field
      return [column, type.wire === 'timestamp' || type.wire === 'date' ? SOME_DAY : literalOf(one)]
    }),
  )
}

const SOME_DAY = '2000-01-01'

function literalOf(assignment: Assignment): Json {
  return 'operand' in assignment && assignment.operand.kind === 'literal' ? assignment.operand.value : null
}

function formerOf(table: Table, changes: readonly LoggedChange[]): Former {
  const [first] = changes
  const removed = changes.findLast(({ action }) => action === 'delete')
  const isNew = first === undefined || first.action === 'create'
  const forgotten = first?.action === 'update' && first.fields.length === 0 && first.seen === null
  return {
    was: isNew || forgotten ? undefined : wasOf(table, changes),
    kept: isNew || first.action === 'restore' ? undefined : (removed?.seen ?? undefined),
    columns: changedColumns(table, changes),
    touched: changes.some(({ action }) => action === 'update'),
    updated: changes.every(({ action }) => action === 'update'),
    deleted: removed !== undefined && removed === changes.findLast(({ action }) => action !== 'update'),
    forgotten,
  }
}

/** The columns of which the last value is not the first one. */
function changedColumns({ columns }: Table, changes: readonly LoggedChange[]): ReadonlySet<string> {
  const values = new Map<string, { readonly first: string; last: string }>()
  for (const { field, from, to } of changes.flatMap(({ fields }) => fields)) {
    const column = columns.get(field)
    if (column === undefined) continue
    const known = values.get(column) ?? { first: JSON.stringify(from), last: '' }
    known.last = JSON.stringify(to)
    values.set(column, known)
  }
  return new Set([...values].flatMap(([column, { first, last }]) => (first === last ? [] : [column])))
}

/** What was there first counts; what policies compare is kept where the log keeps no change of it. */
function wasOf({ columns, dead, live, stored }: Table, changes: readonly LoggedChange[]): JsonObject {
  const was: Record<string, Json> = {}
  const take = (column: string | undefined, value: Json): void => {
    if (column !== undefined && stored.has(column) && !Object.hasOwn(was, column)) was[column] = value
  }
  for (const { action, fields, seen } of changes) {
    for (const { field, from } of fields) take(columns.get(field), from)
    for (const [column, value] of Object.entries(seen ?? {})) take(column, value)
    const set = action === 'delete' ? live : action === 'restore' ? dead : {}
    for (const [column, value] of Object.entries(set)) take(column, value)
  }
  return was
}
