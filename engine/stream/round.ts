/** One batch for all readers of this instance ⇄: one short transaction reads the log and what each sight is told of it. */
import type { Foundation } from '../action/execution.ts'
import { presentSnapshot, readWindow, type Stand } from '../change/log-window.ts'
import type { Transaction } from '../database/database.ts'
import type { Id } from '../id.ts'
import { type FormerRecords, formerRecords } from './batch.ts'
import { batchText, type RecordEvent, type ResetReason, resetEvent } from './events.ts'
import type { Reader, View } from './reader.ts'
import type { Share, Sight } from './sight.ts'
import type { Standing } from './standing.ts'
import { type IsAsked, mostChanges, orderIn, tell } from './tell.ts'

/** Something to send, made for what its reader was when the batch was read. */
export interface Delivery {
  readonly reader: Reader
  readonly view: View
  readonly text: Buffer
}

export interface Outcome {
  readonly now: { readonly done: string; readonly at: number }
  readonly deliveries: readonly Delivery[]
}

/** The statements of one sight failed; the others can go on without it. */
export class SightFailed extends Error {
  readonly sight: Sight

  constructor(sight: Sight, cause: unknown) {
    super('the readers of a stream could not be told of changes', { cause })
    this.sight = sight
  }
}

/** Reads one batch for readers wherever they stand; all of them stand at `now` afterwards. */
export async function runRound(foundation: Foundation, standings: readonly Standing[]): Promise<Outcome> {
  return foundation.database.transaction(async (transaction) => {
    await transaction.run({ text: 'set transaction isolation level repeatable read, read only' }, [])
    const at = foundation.now().getTime()
    const now = { done: await presentSnapshot(transaction), at }
    const deliveries: Delivery[] = []
    for (const standing of standings) deliveries.push(...(await serve(transaction, foundation, standing, now)))
    return { now, deliveries }
  })
}

type Moment = Outcome['now']
type Order = (one: Id, other: Id) => number

async function serve(
  transaction: Transaction,
  foundation: Foundation,
  { from, readers, lost }: Standing,
  now: Moment,
): Promise<readonly Delivery[]> {
  if (from === undefined) return readers.map((reader) => resetOf(reader, now, lost))
  const { catalog } = foundation
  const owners = [...new Set(readers.flatMap(({ view }) => view.sight.owners))]
  const sights = [...bySight(readers)]
  const told = new Map<Alike, readonly RecordEvent[] | ResetReason>()
  for (const { done, isAsked } of rangesOf(from, orderIn(catalog))) {
    const window = await readWindow(transaction, catalog, done, owners, mostChanges(foundation))
    if (window.lost) return readers.map((reader) => resetOf(reader, now, lost))
    const records = formerRecords(catalog, window.changes)
    if (records.size > 0) await tellAll(transaction, sights, { records, isAsked }, told)
  }
  return sights.flatMap(({ shares }) =>
    [...shares.values()].flatMap((one) =>
      deliveriesOf(one, told.get(one) ?? [], { from, now, order: orderIn(catalog) }),
    ),
  )
}

/** The snapshots up to which a reader was told, each with the ids for which it is that one; in the order of ids. */
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

/** Adds to what each of those who see the same is told; why it cannot be said takes the place of all of it. */
async function tellAll(
  transaction: Transaction,
  sights: readonly Together[],
  { records, isAsked }: { readonly records: ReadonlyMap<string, FormerRecords>; readonly isAsked: IsAsked },
  told: Map<Alike, readonly RecordEvent[] | ResetReason>,
): Promise<void> {
  for (const { sight, shares } of sights) {
    if (!sight.owners.some((owner) => records.has(owner))) continue
    const each = [...shares.values()]
    const one = each.map(({ share }) => share)
    const events = await tell(transaction, sight, one, records, isAsked).catch((error: unknown) => {
      throw new SightFailed(sight, error)
    })
    each.forEach((alike, at) => {
      const before = told.get(alike) ?? []
      if (typeof before === 'string') return
      told.set(alike, typeof events === 'string' ? events : [...before, ...(events[at] ?? [])])
    })
  }
}

/** One text, made once for all who see the same; none where nothing happened for them. */
function deliveriesOf(
  { share, readers }: Alike,
  told: readonly RecordEvent[] | ResetReason,
  { from, now, order }: { readonly from: NonNullable<Standing['from']>; readonly now: Moment; readonly order: Order },
): readonly Delivery[] {
  if (told.length === 0) return []
  const to = { ...now, further: [], sight: share.name }
  const said =
    typeof told === 'string' ? resetEvent(to, told) : batchText(told, { ...from, sight: share.name }, to, order)
  const text = Buffer.from(said)
  return readers.map((reader) => ({ reader, view: reader.view, text }))
}

function resetOf(reader: Reader, now: Moment, reason: ResetReason): Delivery {
  const place = { ...now, further: [], sight: reader.view.share.name }
  return { reader, view: reader.view, text: Buffer.from(resetEvent(place, reason)) }
}

interface Alike {
  readonly share: Share
  readonly readers: Reader[]
}

interface Together {
  readonly sight: Sight
  readonly shares: ReadonlyMap<string, Alike>
}

/** Readers by their sight, and in it by what they compare with. */
function bySight(readers: readonly Reader[]): Iterable<Together> {
  const found = new Map<string, { readonly sight: Sight; readonly shares: Map<string, Alike> }>()
  for (const reader of readers) {
    const { sight, share } = reader.view
    const one = found.get(sight.key) ?? { sight, shares: new Map<string, Alike>() }
    found.set(sight.key, one)
    const alike = one.shares.get(share.name)
    if (alike === undefined) one.shares.set(share.name, { share, readers: [reader] })
    else alike.readers.push(reader)
  }
  return found.values()
}
