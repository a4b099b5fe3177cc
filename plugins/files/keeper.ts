/**
 * ⇄ Keeps one application's part of the storage in order. What no row names is moved aside, kept there for 30 days, and
 * only then removed; what a row names again, as after a backup was restored, is brought back. Files of other
 * applications, and those without an owner, are not even looked at.
 */
import type { JobContext, PluginContext } from '../../engine/index.ts'
import { type Area, asideOf, asidePlaceOf, keyBefore, placeOf } from './key.ts'
import { storageOf } from './open-storage.ts'
import type { Storage, Stored } from './storage.ts'

const DAY_MS = 86_400_000
/** So old, in milliseconds, nothing is on its way from the storage to its row. */
const YOUNG_MS = DAY_MS
/** How long a file that no row names is kept aside: long enough to notice that a backup is too old, and to restore another. */
const ASIDE_MS = 30 * DAY_MS
/** Keys that are looked up with one statement. */
const BATCH = 500

/** What the keeper needs of a job. */
export type KeeperContext = Pick<JobContext, 'instance' | 'log' | 'now' | 'settings' | 'signal'>

/** Those of some keys that must stay where they are. */
export type Named = (keys: readonly string[]) => Promise<ReadonlySet<string>>

/** What became of files: how many were moved aside, brought back, and removed for good. */
export interface Kept {
  readonly aside: number
  readonly back: number
  readonly removed: number
}

/** Goes through the files of an area once. Rejects between two files once the process stops; the next run goes on. */
export async function keepFiles(context: KeeperContext, area: Area, named: Named): Promise<Kept> {
  const storage = storageOf(context.settings)
  const { back, removed } = await endAside(context, storage, area, named)
  const aside = await moveAside(context, storage, area, named)
  if (aside + back + removed > 0) context.log.info({ area, aside, back, removed }, 'stored files were put in order')
  return { aside, back, removed }
}

/** Brings back what a row names again, and removes what nobody missed. */
async function endAside(
  { instance, now, signal }: KeeperContext,
  storage: Storage,
  area: Area,
  named: Named,
): Promise<Omit<Kept, 'aside'>> {
  let [back, removed] = [0, 0]
  for await (const batch of batchesOf(storage.list(asidePlaceOf({ instance }, area)))) {
    const keys = await named(batch.map(({ key }) => keyBefore(key)))
    for (const { key, since } of batch) {
      signal.throwIfAborted()
      if (keys.has(keyBefore(key))) {
        if (await storage.move(key, keyBefore(key), now())) back++
      } else if (now().getTime() - since.getTime() > ASIDE_MS) {
        await storage.remove(key)
        removed++
      }
    }
  }
  return { back, removed }
}

/** Moves aside what no row names; the day on which it comes there is the file's own date. */
async function moveAside(
  { instance, now, signal }: KeeperContext,
  storage: Storage,
  area: Area,
  named: Named,
): Promise<number> {
  let moved = 0
  for await (const all of batchesOf(storage.list(placeOf({ instance }, area)))) {
    const batch = all.filter(({ since }) => now().getTime() - since.getTime() > YOUNG_MS)
    const keys = await named(batch.map(({ key }) => key))
    for (const { key } of batch) {
      signal.throwIfAborted()
      const aside = keys.has(key) ? undefined : asideOf(key)
      if (aside !== undefined && (await storage.move(key, aside, now()))) moved++
    }
  }
  return moved
}

async function* batchesOf(stored: AsyncGenerator<Stored, void>): AsyncGenerator<readonly Stored[], void> {
  let batch: Stored[] = []
  for await (const one of stored) {
    if (batch.push(one) < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The keys that rows of a resource name in a column; undefined while the application has no such resource. */
export function namedBy(
  { catalog, model }: Pick<PluginContext, 'catalog' | 'model'>,
  resource: string,
  column: string,
): Named | undefined {
  if (!catalog.resources.has(resource)) return undefined
  return async (keys) => {
    if (keys.length === 0) return new Set()
    const rows = await model(resource)
      .query()
      .whereIn(column, [...keys])
      .select(`${column} as key`)
    return new Set(rows.map(({ key }) => String(key)))
  }
}
