/** The changed records of a batch of the log: their former values, and their changed columns. Pure. */
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { literalOf } from '../catalog/stored.ts'
import type { LoggedChange } from '../change/log-window.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { memo } from '../memo.ts'

/** One record that changed. */
export interface Former {
  /** The former values of changed columns; undefined: the record did not exist, or not for callers. */
  readonly was: JsonObject | undefined
  /** The values that policies compared before the last write, for a record that is gone. */
  readonly kept: JsonObject | undefined
  /** The columns with another value than before. */
  readonly columns: ReadonlySet<string>
  /** Whether it was updated, whatever its columns now hold. */
  readonly touched: boolean
  /** Whether only values changed: it was not created, deleted or restored. */
  readonly updated: boolean
  /** Whether it is now deleted. */
  readonly deleted: boolean
  /** Whether the log has lost its former values: it was removed for good, or somebody made the log forget them. */
  readonly forgotten: boolean
}

/** The records of one table that changed, by id. */
export type FormerRecords = ReadonlyMap<Id, Former>

/** The changed records, by the resource that owns their table. */
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

/** The facts about a table: its columns by the names in its resources, and the columns that a delete sets. */
interface Table {
  readonly columns: ReadonlyMap<string, string>
  readonly stored: ReadonlySet<string>
  /** The values of these columns in a live record, and in a deleted one. */
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

/** The values of a soft delete's columns in a live record. */
function liveValues(resource: Resource | undefined): JsonObject {
  const restored = new Map((resource?.restoreSets ?? []).map((one) => [one.field.column, literalOf(one) ?? null]))
  return Object.fromEntries(
    (resource?.deleteSets ?? []).map(({ field }) => [field.column, restored.get(field.column) ?? null]),
  )
}

/** The values of these columns in a deleted record; for a moment, that there is one. */
function deadValues(resource: Resource | undefined): JsonObject {
  return Object.fromEntries(
    (resource?.deleteSets ?? []).map((one) => {
      const { column, type } = one.field
      return [column, type.wire === 'timestamp' || type.wire === 'date' ? SOME_DAY : (literalOf(one) ?? null)]
    }),
  )
}

const SOME_DAY = '2000-01-01'

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

/** The columns whose last value is not the first. */
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

/** The first former value counts; the values for policies are kept where the log has no change of them. */
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
