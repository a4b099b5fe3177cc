/** The events of a batch of changes for the readers of one class ⇄: one statement, however many readers there are. */

import { SYSTEM } from '../actor.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { idOf, keptIdType } from '../catalog/stored.ts'
import type { Row, Runner } from '../database/database.ts'
import type { Id } from '../id.ts'
import { LIMITS } from '../limits.ts'
import type { Foundation } from '../run/execution.ts'
import { type Compiled, parameterValues } from '../statement/compiled.ts'
import { broughtSlot, READERS } from '../statement/many-records.ts'
import type { FormerTable } from '../statement/rows-before.ts'
import { type CompiledStream, type Dependency, IDS, KEPT, STREAM_COLUMNS } from '../statement/stream.ts'
import type { Former, FormerRecords } from './batch.ts'
import type { RecordEvent, ResetReason } from './events.ts'
import type { ReaderClass, Share } from './reader-class.ts'

/**
 * The events of each share, in order; or the reason why they cannot be known: too many records are affected, or former
 * values are lost.
 */
export type ShareEvents = readonly (readonly RecordEvent[])[] | ResetReason

/** Whether a record belongs to the events. */
export type IsAsked = (id: Id) => boolean

type Records = ReadonlyMap<string, FormerRecords>

/** The most changes of one batch, and the most records that changes of others may affect. */
export function mostChanges({ catalog }: Pick<Foundation, 'catalog'>): number {
  return catalog.limits.streamChanges ?? LIMITS.streamChanges
}

const NONE: FormerRecords = new Map()

/** Events for the shares of a class from changed records, by the resource that owns their table. */
export async function recordEvents(
  runner: Runner,
  readerClass: ReaderClass,
  shares: readonly Share[],
  records: Records,
  isAsked: IsAsked,
): Promise<ShareEvents> {
  const { catalog, now } = readerClass.foundation
  const own = records.get(readerClass.resource.owner) ?? NONE
  const relevant = readerClass.dependencies.map((one) => relevantTo(one, records.get(one.owner) ?? NONE))
  const concerned = await concernedIds(runner, readerClass, relevant)
  if (concerned.length > mostChanges(readerClass.foundation)) return 'overflow'
  if (isForgotten(readerClass, records)) return 'expired'
  const ids = [...new Set([...own.keys(), ...concerned])].filter(isAsked).sort(orderIn(catalog))
  const told: RecordEvent[][] = shares.map(() => [])
  if (ids.length === 0) return told
  const others = new Set(readerClass.dependencies.filter((_, at) => relevant[at]!.size > 0).map(({ owner }) => owner))
  const further = [...others]
    .filter((owner) => owner !== readerClass.resource.owner)
    .map((owner) => catalog.resources.get(owner)!)
  const statement = readerClass.statement(further)
  const before = formerSlots(statement.former, [readerClass.resource, ...further], records, concerned)
  const readers = readerSlots(shares)
  for (let from = 0; from < ids.length; from += LIMITS.streamRecords) {
    const some = ids.slice(from, from + LIMITS.streamRecords)
    const kept = some.map((id) => jsonOf(own.get(id)?.kept))
    const slots = { ...before, ...readers, [IDS]: some, [KEPT]: kept }
    const values = parameterValues(statement.parameters, { actor: SYSTEM, now: now(), slots })
    const rows = await runner.run(readerClass.adhoc ? { text: statement.statement.text } : statement.statement, values)
    for (const row of rows) {
      const event = eventOf(readerClass.resource, row, statement, (id) => isTold(readerClass, own.get(id)))
      if (event !== undefined) told[Number(row[0])]?.push(event)
    }
  }
  return told
}

/** The order of records in events, the same as `orderedId` in SQL. */
export function orderIn(catalog: Catalog): (a: Id, b: Id) => number {
  if (keptIdType(catalog) === 'integer') return (a, b) => Number(a) - Number(b)
  return (a, b) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

/**
 * Whether nobody can know what readers of the class knew: they see only some records, and the log has lost a record's
 * former values, or a record that decided about another was removed for good.
 */
function isForgotten({ dependencies, foundation, isPartial, resource }: ReaderClass, records: Records): boolean {
  const { resources } = foundation.catalog
  if (isPartial && [...(records.get(resource.owner) ?? NONE).values()].some(({ forgotten }) => forgotten)) return true
  return dependencies.some(({ owner, relations }) => {
    const relation = relations.at(-1)
    const removed = records.get(owner)
    if (relation === undefined || removed === undefined || resources.get(owner)?.deleteSets !== undefined) return false
    const holder = resources.get(relations.at(-2)?.target ?? resource.owner)!.owner
    const gone = new Set([...removed].flatMap(([id, { deleted }]) => (deleted ? [id] : [])))
    // The log does not say that a deleted record lost what it pointed at, and its row holds the new value alone.
    const { field, onDelete } = relation
    const mayHaveHeld = ({ updated, was }: Former): boolean =>
      was !== undefined &&
      (Object.hasOwn(was, field.column) ? gone.has(was[field.column] as Id) : onDelete === 'set_null' && !updated)
    return gone.size > 0 && [...(records.get(holder) ?? NONE).values()].some(mayHaveHeld)
  })
}

/** The records of a dependency whose change may matter. */
function relevantTo({ columns }: Dependency, records: FormerRecords): FormerRecords {
  if (columns === undefined) return records
  const matters = ({ updated, columns: changed }: Former): boolean =>
    !updated || [...changed].some((column) => columns.has(column))
  return new Map([...records].filter(([, former]) => matters(former)))
}

async function concernedIds(
  runner: Runner,
  readerClass: ReaderClass,
  relevant: readonly FormerRecords[],
): Promise<readonly Id[]> {
  if (relevant.every((records) => records.size === 0)) return []
  const slots: Record<string, unknown> = { most: mostChanges(readerClass.foundation) + 1 }
  relevant.forEach((records, at) => {
    slots[`ids${at}`] = [...records.keys()]
    slots[`was${at}`] = [...records.values()].flatMap(({ was }) => (was === undefined ? [] : [JSON.stringify(was)]))
  })
  const rows = await run(runner, readerClass.concerned(), slots)
  return rows.map(([id]) => idOf(readerClass.resource, id))
}

function run(runner: Runner, { parameters, statement }: Compiled, slots: Readonly<Record<string, unknown>>) {
  return runner.run(statement, parameterValues(parameters, { actor: SYSTEM, now: new Date(0), slots }))
}

/** The former records of each table; records without a change are as before. */
function formerSlots(
  tables: readonly FormerTable[],
  resources: readonly Resource[],
  records: Records,
  concerned: readonly Id[],
): Readonly<Record<string, unknown>> {
  const slots: Record<string, unknown> = {}
  tables.forEach(({ idsSlot, wasSlot }, at) => {
    const own = records.get(resources[at]!.owner) ?? NONE
    const same = at === 0 ? concerned.filter((id) => !own.has(id)) : []
    slots[idsSlot] = [...own.keys(), ...same]
    slots[wasSlot] = [...[...own.values()].map(({ was }) => jsonOf(was)), ...same.map(() => '{}')]
  })
  return slots
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function readerSlots(shares: readonly Share[]): Readonly<Record<string, unknown>> {
  const slots: Record<string, unknown> = { [READERS]: shares.map((_, at) => at) }
  shares[0]?.values.forEach((_, at) => {
    slots[broughtSlot(at)] = shares.map(({ values }) => values[at])
  })
  return slots
}

/** Whether a change is an event even if it brings no record into view and removes none. */
function isTold({ shows }: ReaderClass, former: Former | undefined): boolean {
  return former !== undefined && shows(former.columns, former.touched)
}

function eventOf(
  resource: Resource,
  row: Row,
  { serialize }: Pick<CompiledStream, 'serialize'>,
  isChanged: (id: Id) => boolean,
): RecordEvent | undefined {
  const [, id, now, before] = row.slice(0, STREAM_COLUMNS.length)
  const named = { id: idOf(resource, id) }
  if (now !== 't') return { ...named, kind: 'deleted', data: JSON.stringify(named) }
  if (before !== 't') return { ...named, kind: 'created', data: serialize(row) }
  return isChanged(named.id) ? { ...named, kind: 'changed', data: serialize(row) } : undefined
}
