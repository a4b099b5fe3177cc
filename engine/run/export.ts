/** ⇄ A whole list in batches: the conditions are those of its pages, and each batch is read while the one before is used. */

import { randomBytes } from 'node:crypto'
import { type ListQuery, readListQuery, withoutPages } from '../ask/list.ts'
import { requireClause } from '../ask/policy.ts'
import type { BelongsTo, Catalog, FieldPath, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import type { WireKind } from '../field/field-type.ts'
import { wireJson } from '../field/wire.ts'
import { pathName } from '../plan/plan.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Compiled, SelectScope } from '../statement/compiled.ts'
import { compileRows, unpackedRow } from '../statement/list.ts'
import { type Execution, runCompiled } from './execution.ts'

/** Rows of one batch: few at first for a quick start, then as many as the length allows. Each size is a statement of its own. */
const SIZES = [100, 500, 2_000] as const
/** Texts lie outside the heap, and a server looks up what belongs to many rows at less cost for each. */
const SIZES_OF_TEXTS = [100, 1_000, 6_000] as const
/** Characters of one batch, so that long texts don't fill the memory. */
const LENGTH = 1_048_576
const LENGTH_OF_TEXTS = 3_145_728

const NO_PAGES = 'All records are given at once, without pages, and with columns of their own'

/** How the batches of a list are read. */
interface Batching<T> {
  readonly paths: readonly FieldPath[]
  readonly sizes: readonly number[]
  readonly length: number
  /** Collects a batch of `size` rows; called for the next one when the one before is used up. */
  readonly collector: (size: number) => Collector<T>
}

/** The batches of a list; refuses like the list does, and paging, which has no meaning here. */
export function streamRows(
  execution: Execution,
  resource: Resource,
  columns: readonly string[],
  query: Iterable<readonly [string, string]>,
): AsyncGenerator<readonly Row[], void> {
  const paths = columns.map((column) => pathOf(execution.catalog, resource, column))
  return batches(execution, resource, query, { paths, sizes: SIZES, length: LENGTH, collector: collectRows })
}

/** What `write` makes of each row, in UTF-8 and in pieces; refuses as `streamRows` does. */
export async function* streamTexts(
  execution: Execution,
  resource: Resource,
  columns: readonly string[],
  query: Iterable<readonly [string, string]>,
  write: (row: (string | null)[]) => string,
): AsyncGenerator<Buffer, void> {
  const paths = columns.map((column) => pathOf(execution.catalog, resource, column))
  // The embedded database does no other work during a batch.
  const sizes = execution.database.kind === 'embedded' ? SIZES : SIZES_OF_TEXTS
  const collector = textCollectors(write)
  for await (const read of batches(execution, resource, query, { paths, sizes, length: LENGTH_OF_TEXTS, collector }))
    yield* read
}

function collectRows(): Collector<readonly Row[]> {
  let rows: Row[] = []
  return {
    reset: () => {
      rows = []
    },
    add: (row) => void rows.push(row),
    done: () => rows,
  }
}

async function* batches<T>(
  execution: Execution,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
  plan: Batching<T>,
): AsyncGenerator<T, void> {
  requireClause(resource.policies.view, execution.actor)
  const chosen = withoutPages(execution.catalog, query, NO_PAGES)
  const list = readListQuery(execution, resource, [...chosen, ['cursor', 'first']])
  const read = (place: Place): Promise<Batch<T>> => {
    const reading = readBatch(execution, list, plan, place)
    // A reader that has gone awaits this batch no more, and its failure must not end the process. One that awaits it still gets the failure.
    reading.catch(() => undefined)
    return reading
  }
  let next: Promise<Batch<T>> | undefined = read({ after: undefined, step: 0, packed: true })
  while (next !== undefined) {
    const batch: Batch<T> = await next
    next = batch.next && read(batch.next)
    if (batch.content !== undefined) yield batch.content
  }
}

/** The path of a column such as `status.name`: to-one relations, then a field; throws when there is none. */
export function pathOf(catalog: Catalog, resource: Resource, column: string): FieldPath {
  const words = column.split('.')
  const relations: BelongsTo[] = []
  let at = resource
  for (const word of words.slice(0, -1)) {
    const relation = at.relations.get(word)
    if (relation?.kind !== 'belongs_to') throw new Error(`${resource.name} has no column ${column}`)
    relations.push(relation)
    at = targetOf(catalog, relation)
  }
  const field = at.fields.get(words.at(-1) ?? '')
  if (field === undefined || field.count !== undefined) throw new Error(`${resource.name} has no column ${column}`)
  return { relations, field }
}

/** Where a batch begins, which of the sizes it has, and whether a row comes as one text. */
interface Place {
  readonly after: readonly (string | null)[] | undefined
  readonly step: number
  readonly packed: boolean
}

interface Batch<T> {
  /** undefined: its rows could not be told apart, and come again. */
  readonly content: T | undefined
  /** undefined: this was the last one. */
  readonly next: Place | undefined
}

async function readBatch<T>(execution: Execution, list: ListQuery, plan: Batching<T>, place: Place): Promise<Batch<T>> {
  const { after, packed, step } = place
  const { paths, sizes } = plan
  const size = sizes[step] ?? sizes[0]!
  const nulls = after?.map((value) => (value === null ? 'n' : 'v')).join('')
  const columns = paths.map(pathName)
  const compiled = execution.statements.get(compileColumns, execution, list.plan, columns, size, nulls, packed)
  // No text that was stored before can be the same.
  const absent = randomBytes(12).toString('base64')
  const slots: Record<string, unknown> = { ...list.slots, ...(packed && { absent }) }
  after?.forEach((value, i) => {
    slots[`k${i}`] = value
  })
  const intake = intakeOf(plan, size, packed ? absent : undefined)
  const statement = { ...compiled.statement, take: intake.take }
  await runCompiled(execution, { ...compiled, statement }, slots, list.adhoc || list.plan.search !== undefined)
  const { content, count, last, length } = intake.done()
  if (content === undefined) return { content, next: { ...place, packed: false } }
  const fitting = (plan.length * count) / Math.max(1, length)
  const nextStep = Math.max(
    0,
    sizes.findLastIndex((one) => one <= fitting),
  )
  return { content, next: count < size ? undefined : { after: last, step: nextStep, packed } }
}

function compileColumns(
  scope: SelectScope,
  list: ListPlan,
  columns: readonly string[],
  size: number,
  nulls: string | undefined,
  packed: boolean,
): Compiled {
  const paths = columns.map((column) => pathOf(scope.catalog, list.resource, column))
  return compileRows(scope, list, { paths, size, nulls, packed })
}

/** What one batch came to. */
interface Arrived<T> {
  /** undefined where a packed row cannot be told apart. */
  readonly content: T | undefined
  readonly count: number
  /** Characters of its columns. */
  readonly length: number
  /** The cursor of its last row. */
  readonly last: Row
}

/** Works each row of a batch as it arrives, so that no row is kept for longer; in packed rows `absent` takes the place of a text that is absent. */
function intakeOf<T>(
  { collector, paths }: Batching<T>,
  size: number,
  absent: string | undefined,
): { readonly take: (row: Row, at: number) => void; readonly done: () => Arrived<T> } {
  const wires = paths.map(({ field }) => field.type.wire)
  const turned = wires.flatMap((wire, at) => (wire === 'timestamp' || wire === 'boolean' ? [{ at, wire }] : []))
  const keys = absent === undefined ? paths.length : 1
  const content = collector(size)
  let [last, count, length]: [Row, number, number] = [[], 0, 0]
  let failed: { readonly error: unknown } | undefined
  let clear = true
  const work = (row: Row): void => {
    const values = absent === undefined ? row.slice(0, keys) : unpackedRow(row[0], wires, absent)
    if (values === undefined) {
      clear = false
      return
    }
    for (const value of values) length += value?.length ?? 0
    for (const { at, wire } of turned) values[at] = written(wire, values[at] ?? null)
    content.add(values)
  }
  const take = (row: Row, at: number): void => {
    if (at === 0) {
      content.reset()
      ;[count, length, clear, failed] = [0, 0, true, undefined]
    }
    count += 1
    last = row
    if (!clear || failed !== undefined) return
    try {
      work(row)
    } catch (error) {
      failed = { error }
    }
  }
  const done = (): Arrived<T> => {
    if (failed !== undefined) throw failed.error
    return { content: clear ? content.done() : undefined, count, length, last: last.slice(keys) }
  }
  return { take, done }
}

/** A text as answers write it, without the quotes of JSON. */
function written(wire: WireKind, text: string | null): string | null {
  if (text === null) return null
  const json = wireJson(wire, text)
  return json.startsWith('"') ? json.slice(1, -1) : json
}

/** What becomes of the rows of one batch. */
export interface Collector<T> {
  /** Forgets what was added: the batch begins anew. */
  reset(): void
  add(row: (string | null)[]): void
  done(): T
}

/** Characters of one piece of text. */
const PIECE = 65_536
/** Bytes of the texts of a large batch. */
const ROOM = 4_194_304
/** Rows whose texts are worth that room. */
const LARGE = 1_000

/**
 * Collectors of what `write` makes of each row, in UTF-8. Large batches take turns in two rooms, one that fills while the
 * other is taken from: as buffers of their own they would outlive the garbage collector's first looks, and each export
 * would set off full collections.
 */
export function textCollectors(
  write: (row: (string | null)[]) => string,
): (size: number) => Collector<Iterable<Buffer>> {
  const rooms: Buffer[] = []
  let turn = 0
  return (size) => {
    if (size < LARGE) return collectorOf(write)
    turn = 1 - turn
    rooms[turn] ??= Buffer.allocUnsafeSlow(ROOM)
    return collectorOf(write, rooms[turn])
  }
}

function collectorOf(write: (row: (string | null)[]) => string, room?: Buffer): Collector<Iterable<Buffer>> {
  let text = ''
  let filled = 0
  let rest: Buffer[] = []
  const put = (): void => {
    // A character is at most three bytes of UTF-8.
    const fits = room !== undefined && rest.length === 0 && filled + 3 * text.length <= room.length
    if (fits) filled += room.write(text, filled)
    else rest.push(Buffer.from(text))
    text = ''
  }
  return {
    reset: () => {
      ;[text, filled, rest] = ['', 0, []]
    },
    add: (row) => {
      text += write(row)
      if (text.length >= PIECE) put()
    },
    done: () => {
      if (text !== '') put()
      return pieces(room?.subarray(0, filled), rest)
    },
  }
}

/** Copies of the room's content, because a piece that is sent is kept for longer than the room. */
function* pieces(room: Buffer | undefined, rest: readonly Buffer[]): Generator<Buffer, void> {
  for (let at = 0; at < (room?.length ?? 0); at += PIECE) yield Buffer.from(room!.subarray(at, at + PIECE))
  yield* rest
}
