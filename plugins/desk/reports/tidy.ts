/** ⇄ Puts right what crashes left: files that no report names, and reports whose job will never end. */
import { jobState, type PluginContext } from '../../../engine/index.ts'
import { storageOf } from '../../media/storage.ts'
import { PREFIX } from './make.ts'

/** So old, in milliseconds, nothing is still being made. */
const OLD_MS = 86_400_000
/** How often it is looked, at most, in milliseconds. */
const PAUSE_MS = 3_600_000
const BATCH = 500

const swept = new WeakMap<object, number>()

/** Sweeps, unless this process has done so within the hour. */
export async function sweep(context: PluginContext): Promise<void> {
  const now = context.now().getTime()
  if (now - (swept.get(context.settings) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return
  swept.set(context.settings, now)
  await endLost(context)
  const storage = storageOf(context.settings)
  let keys: string[] = []
  const clean = async (): Promise<void> => {
    for (const key of await unnamed(context, keys)) await storage.remove(key)
    keys = []
  }
  for await (const { key, since } of storage.list(PREFIX)) {
    if (now - since.getTime() > OLD_MS && keys.push(key) === BATCH) await clean()
  }
  await clean()
}

/** A job whose process was lost too often, or whose maker has gone, can't say so to its report. */
export async function endLost({ catalog, database }: PluginContext): Promise<void> {
  const { table } = catalog.resources.get('reports')!
  const pending: { id: number; job_id: string | null }[] = await database
    .knex(table)
    .where({ status: 'pending' })
    .select('id', 'job_id')
  for (const { id, job_id } of pending) {
    const job = await jobState(database.adhoc, job_id ?? '')
    if (job === undefined || job.status === 'failed')
      await database.knex(table).where({ id, status: 'pending' }).update({ status: 'failed' })
  }
}

async function unnamed({ catalog, database }: PluginContext, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const { table } = catalog.resources.get('reports')!
  const rows: { file_key: string }[] = await database.knex(table).whereIn('file_key', keys).select('file_key')
  const named = new Set(rows.map(({ file_key }) => file_key))
  return keys.filter((key) => !named.has(key))
}
