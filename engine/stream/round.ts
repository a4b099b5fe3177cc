/** One batch for all readers of this instance ⇄: one short transaction reads the log and what each sight is told of it. */
import type { Foundation } from '../action/execution.ts'
import { presentSnapshot, readWindow, type Window } from '../change/window.ts'
import type { Transaction } from '../database/database.ts'
import { formerRecords } from './batch.ts'
import { batchText, type ResetReason, resetEvent } from './events.ts'
import type { Place } from './place.ts'
import type { Reader, View } from './reader.ts'
import type { Share, Sight } from './sight.ts'
import type { Standing } from './standing.ts'
import { mostChanges, type ShareEvents, tell } from './tell.ts'

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

async function serve(
  transaction: Transaction,
  foundation: Foundation,
  { from, readers, lost }: Standing,
  now: Moment,
): Promise<readonly Delivery[]> {
  if (from === undefined) return readers.map((reader) => resetOf(reader, now, lost))
  const owners = [...new Set(readers.flatMap(({ view }) => view.sight.owners))]
  const window = await readWindow(transaction, foundation.catalog, from, owners, mostChanges(foundation))
  if (window.lost) return readers.map((reader) => resetOf(reader, now, lost))
  if (window.changes.length === 0) return []
  return tellAll(transaction, foundation, window, { from, readers, now })
}

async function tellAll(
  transaction: Transaction,
  foundation: Foundation,
  { changes }: Window,
  {
    from,
    readers,
    now,
  }: { readonly from: NonNullable<Standing['from']>; readonly readers: readonly Reader[]; readonly now: Moment },
): Promise<readonly Delivery[]> {
  const records = formerRecords(foundation.catalog, changes)
  const deliveries: Delivery[] = []
  for (const { sight, shares } of bySight(readers)) {
    if (!sight.owners.some((owner) => records.has(owner))) continue
    const each = [...shares.values()]
    const told = await tell(
      transaction,
      sight,
      each.map(({ share }) => share),
      records,
    ).catch((error: unknown) => {
      throw new SightFailed(sight, error)
    })
    each.forEach(({ share, readers: alike }, at) => {
      const text = textFor(told, at, { ...from, sight: share.name }, { ...now, sight: share.name })
      if (text !== undefined) for (const reader of alike) deliveries.push({ reader, view: reader.view, text })
    })
  }
  return deliveries
}

/** Made once for all who see the same. */
function textFor(told: ShareEvents, at: number, from: Place, to: Place): Buffer | undefined {
  if (told === undefined) return Buffer.from(resetEvent(to, 'overflow'))
  const events = told[at] ?? []
  return events.length === 0 ? undefined : Buffer.from(batchText(events, from, to))
}

function resetOf(reader: Reader, now: Moment, reason: ResetReason): Delivery {
  const place = { ...now, sight: reader.view.share.name }
  return { reader, view: reader.view, text: Buffer.from(resetEvent(place, reason)) }
}

interface Alike {
  readonly share: Share
  readonly readers: Reader[]
}

/** Readers by their sight, and in it by what they compare with. */
function bySight(
  readers: readonly Reader[],
): Iterable<{ readonly sight: Sight; readonly shares: ReadonlyMap<string, Alike> }> {
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
