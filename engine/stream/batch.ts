/** What a batch of the log says of each record: what it was before, and what of it changed. Pure. */
import type { Assignment, Catalog, Resource } from '../catalog/catalog.ts'
import type { LoggedChange } from '../change/window.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { memo } from '../memo.ts'

/** One record that changed. */
export interface Former {
  /** What its columns held before, where that was another value; undefined: it was not there, or not for callers. */
  readonly was: JsonObject | undefined
  /** What its policies compared before its last write, for one that is gone. */
  readonly kept: JsonObject | undefined
  /** The columns that changed. */
  readonly columns: ReadonlySet<string>
  /** Whether values changed and nothing else: it was neither created, nor deleted, nor restored. */
  readonly updated: boolean
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

/** What is known of a table: its columns by the names that its resources give them, and what a live record's delete sets. */
interface Table {
  readonly columns: ReadonlyMap<string, string>
  readonly stored: ReadonlySet<string>
  readonly live: JsonObject
}

const tableOf = memo((catalog: Catalog, owner: string): Table => {
  const resources = [...catalog.resources.values()].filter((one) => one.owner === owner)
  const fields = resources.flatMap((one) => [...one.fields.values()])
  const columns = new Map(fields.map(({ name, column }) => [name, column]))
  return { columns, stored: new Set(columns.values()), live: liveValues(catalog.resources.get(owner)) }
})

/** What the columns that a soft delete sets hold while a record is live. */
function liveValues(resource: Resource | undefined): JsonObject {
  const restored = new Map((resource?.restoreSets ?? []).map((one) => [one.field.column, literalOf(one)]))
  return Object.fromEntries(
    (resource?.deleteSets ?? []).map(({ field }) => [field.column, restored.get(field.column) ?? null]),
  )
}

function literalOf(assignment: Assignment): Json {
  return 'operand' in assignment && assignment.operand.kind === 'literal' ? assignment.operand.value : null
}

function formerOf(table: Table, changes: readonly LoggedChange[]): Former {
  const [first] = changes
  const columns = new Set(
    changes.flatMap(({ fields }) => fields.flatMap(({ field }) => table.columns.get(field) ?? [])),
  )
  const updated = changes.every(({ action }) => action === 'update')
  if (first === undefined || !wasThere(first)) return { was: undefined, kept: undefined, columns, updated }
  const removed = changes.findLast(({ action }) => action === 'delete')
  return { was: wasOf(table, changes), kept: removed?.seen ?? undefined, columns, updated }
}

/** Whether the record was there before its first write; of one whose values were taken out of the log nothing is known. */
function wasThere({ action, fields, seen }: LoggedChange): boolean {
  if (action === 'update') return fields.length > 0 || seen !== null
  return action === 'delete'
}

/** What was there first counts; what policies compare is kept where the log keeps no change of it. */
function wasOf({ columns, live, stored }: Table, changes: readonly LoggedChange[]): JsonObject {
  const was: Record<string, Json> = {}
  const take = (column: string | undefined, value: Json): void => {
    if (column !== undefined && stored.has(column) && !Object.hasOwn(was, column)) was[column] = value
  }
  for (const { action, fields, seen } of changes) {
    for (const { field, from } of fields) take(columns.get(field), from)
    for (const [column, value] of Object.entries(seen ?? {})) take(column, value)
    if (action === 'delete') for (const [column, value] of Object.entries(live)) take(column, value)
  }
  return was
}
