/** ⇄ Removes stored files that no record names: left by a crash between file and record, or between record and file. */
import type { PluginContext } from '../../engine/index.ts'
import { storageOf } from './storage.ts'

/** So old, in milliseconds, no upload is still under way. */
const OLD_MS = 86_400_000
/** How often it is looked, at most, in milliseconds. */
const PAUSE_MS = 3_600_000
const BATCH = 500

/** Below which the plugin keeps its files. */
export const PREFIX = 'media/'

const swept = new WeakMap<object, number>()

/** Sweeps, unless this process has done so within the hour; gives how many files were removed. */
export async function sweep(context: PluginContext): Promise<number> {
  const now = context.now().getTime()
  if (now - (swept.get(context.settings) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return 0
  swept.set(context.settings, now)
  const storage = storageOf(context.settings)
  let removed = 0
  let keys: string[] = []
  const clean = async (): Promise<void> => {
    for (const key of await unnamed(context, keys)) {
      await storage.remove(key)
      removed++
    }
    keys = []
  }
  for await (const { key, since } of storage.list(PREFIX)) {
    if (now - since.getTime() > OLD_MS && keys.push(key) === BATCH) await clean()
  }
  await clean()
  if (removed > 0) context.log.info({ removed }, 'stored files without a record were removed')
  return removed
}

async function unnamed({ catalog, database }: PluginContext, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const { table } = catalog.resources.get('media')!
  const rows: { path: string }[] = await database.knex(table).whereIn('path', keys).select('path')
  const named = new Set(rows.map(({ path }) => path))
  return keys.filter((key) => !named.has(key))
}
