/**
 * Keeps one application's part of the storage in order ⇄. A file that no row names is moved aside, kept for 30 days,
 * and then removed; if a row names it again, as after the restoration of a backup, it is moved back. Files of other
 * applications, and those without an owner, are left alone.
 */
import type { JobContext, PluginContext } from '../../engine/index.ts'
import { type Area, asideOf, asidePlaceOf, keyBefore, placeOf } from './key.ts'
import { storageOf } from './open-storage.ts'
import type { Storage, Stored } from './storage.ts'

const DAY_MS = 86_400_000
/** After this time, in milliseconds, no file is still waiting for its row. */
const YOUNG_MS = DAY_MS
/**
 * How long a file without a row is kept aside: long enough to notice that a backup is too old, and to restore another.
 */
const ASIDE_MS = 30 * DAY_MS
/** Keys that one statement looks up. */
const BATCH = 500

/** The part of a job that the keeper needs. */
export type KeeperContext = Pick<JobContext, 'instance' | 'log' | 'now' | 'settings' | 'signal'>

/** Finds the keys whose files must stay. */
export type Named = (keys: readonly string[]) => Promise<ReadonlySet<string>>

/** The number of files that were moved aside, moved back, and removed for good. */
export interface Kept {
  readonly aside: number
  readonly back: number
  readonly removed: number
}

/** Goes through the files of an area once. Rejects between two files when the process stops; the next run continues. */
export async function keepFiles(context: KeeperContext, area: Area, named: Named): Promise<Kept> {
  const storage = storageOf(context.settings)
  const { back, removed } = await endAside(context, storage, area, named)
  const aside = await moveAside(context, storage, area, named)
  if (aside + back + removed > 0) context.log.info({ area, aside, back, removed }, 'stored files were put in order')
  return { aside, back, removed }
}

/** Moves back files that rows name again, and removes those that nobody missed. */
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

/** Moves aside files that no row names; the file's own date tells the day. */
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

/** The keys that rows of a resource name in a column; undefined without such a resource. */
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
