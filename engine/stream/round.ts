/** One batch for all readers of this instance ⇄: one short transaction reads the log, and the events of each class. */

import { presentSnapshot, readWindow, type Stand } from '../change/log-window.ts'
import type { Transaction } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { Foundation } from '../run/execution.ts'
import { type FormerRecords, formerRecords } from './batch.ts'
import { batchText, type RecordEvent, type ResetReason, resetEvent } from './events.ts'
import type { Position } from './positions.ts'
import type { Reader, View } from './reader.ts'
import type { ReaderClass, Share } from './reader-class.ts'
import { type IsAsked, mostChanges, orderIn, recordEvents } from './record-events.ts'

/** A text to send, for the rights that its reader had when the batch was read. */
export interface Delivery {
  readonly reader: Reader
  readonly view: View
  readonly text: Buffer
}

export interface Outcome {
  readonly now: { readonly done: string; readonly at: number }
  readonly deliveries: readonly Delivery[]
}

/** The statements of one class failed; the others continue without it. */
export class ReaderClassFailed extends Error {
  readonly readerClass: ReaderClass

  constructor(readerClass: ReaderClass, cause: unknown) {
    super('the readers of a stream could not be told of changes', { cause })
    this.readerClass = readerClass
  }
}

/** Reads one batch for readers at any place; afterwards all are at `now`. */
export async function runRound(foundation: Foundation, positions: readonly Position[]): Promise<Outcome> {
  return foundation.database.transaction(async (transaction) => {
    await transaction.run({ text: 'set transaction isolation level repeatable read, read only' }, [])
    const at = foundation.now().getTime()
    const now = { done: await presentSnapshot(transaction), at }
    const deliveries: Delivery[] = []
    for (const position of positions) deliveries.push(...(await serve(transaction, foundation, position, now)))
    return { now, deliveries }
  })
}

type Moment = Outcome['now']
type Order = (one: Id, other: Id) => number

async function serve(
  transaction: Transaction,
  foundation: Foundation,
  { from, readers, lost }: Position,
  now: Moment,
): Promise<readonly Delivery[]> {
  if (from === undefined) return readers.map((reader) => resetOf(reader, now, lost))
  const { catalog } = foundation
  const owners = [...new Set(readers.flatMap(({ view }) => view.readerClass.owners))]
  const classes = [...byClass(readers)]
  const told = new Map<Alike, readonly RecordEvent[] | ResetReason>()
  for (const { done, isAsked } of rangesOf(from, orderIn(catalog))) {
    const window = await readWindow(transaction, catalog, done, owners, mostChanges(foundation))
    if (window.lost) return readers.map((reader) => resetOf(reader, now, lost))
    const records = formerRecords(catalog, window.changes)
    if (records.size > 0) await eventsOfAll(transaction, classes, { records, isAsked }, told)
  }
  return classes.flatMap(({ shares }) =>
    [...shares.values()].flatMap((one) =>
      deliveriesOf(one, told.get(one) ?? [], { from, now, order: orderIn(catalog) }),
    ),
  )
}

/** The snapshots of a reader's parts, each with its ids; in the order of ids. */
function rangesOf(
  { done, further }: Stand,
  order: Order,
): readonly { readonly done: string; readonly isAsked: IsAsked }[] {
  const whole: readonly { readonly done: string; readonly behind?: Id; readonly upto?: Id }[] = [
    { done, ...(further[0] && { behind: further[0].lastId }) },
    ...further.map(({ upto, lastId }, at) => {
      const next = further[at + 1]
      return { done: upto, upto: lastId, ...(next && { behind: next.lastId }) }
    }),
  ]
  return whole.toReversed().map(({ done: from, behind, upto }) => ({
    done: from,
    isAsked: (id) => (behind === undefined || order(id, behind) > 0) && (upto === undefined || order(id, upto) <= 0),
  }))
}

/** Adds events for readers with the same view; a reason why they cannot be known replaces all of them. */
async function eventsOfAll(
  transaction: Transaction,
  classes: readonly Together[],
  { records, isAsked }: { readonly records: ReadonlyMap<string, FormerRecords>; readonly isAsked: IsAsked },
  told: Map<Alike, readonly RecordEvent[] | ResetReason>,
): Promise<void> {
  for (const { readerClass, shares } of classes) {
    if (!readerClass.owners.some((owner) => records.has(owner))) continue
    const each = [...shares.values()]
    const one = each.map(({ share }) => share)
    const events = await recordEvents(transaction, readerClass, one, records, isAsked).catch((error: unknown) => {
      throw new ReaderClassFailed(readerClass, error)
    })
    each.forEach((alike, at) => {
      const before = told.get(alike) ?? []
      if (typeof before === 'string') return
      told.set(alike, typeof events === 'string' ? events : [...before, ...(events[at] ?? [])])
    })
  }
}

/** One text for all readers with the same view; none where nothing happened for them. */
function deliveriesOf(
  { share, readers }: Alike,
  told: readonly RecordEvent[] | ResetReason,
  { from, now, order }: { readonly from: NonNullable<Position['from']>; readonly now: Moment; readonly order: Order },
): readonly Delivery[] {
  if (told.length === 0) return []
  const to = { ...now, further: [], share: share.name }
  const said =
    typeof told === 'string' ? resetEvent(to, told) : batchText(told, { ...from, share: share.name }, to, order)
  const text = Buffer.from(said)
  return readers.map((reader) => ({ reader, view: reader.view, text }))
}

function resetOf(reader: Reader, now: Moment, reason: ResetReason): Delivery {
  const place = { ...now, further: [], share: reader.view.share.name }
  return { reader, view: reader.view, text: Buffer.from(resetEvent(place, reason)) }
}

interface Alike {
  readonly share: Share
  readonly readers: Reader[]
}

interface Together {
  readonly readerClass: ReaderClass
  readonly shares: ReadonlyMap<string, Alike>
}

/** Readers by their class, and within it by the values that are compared. */
function byClass(readers: readonly Reader[]): Iterable<Together> {
  const found = new Map<string, { readonly readerClass: ReaderClass; readonly shares: Map<string, Alike> }>()
  for (const reader of readers) {
    const { readerClass, share } = reader.view
    const one = found.get(readerClass.key) ?? { readerClass, shares: new Map<string, Alike>() }
    found.set(readerClass.key, one)
    const alike = one.shares.get(share.name)
    if (alike === undefined) one.shares.set(share.name, { share, readers: [reader] })
    else alike.readers.push(reader)
  }
  return found.values()
}
