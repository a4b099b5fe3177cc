/** ⇄ Removes what imports left: files and batches of jobs that came to their end, or never began. */
import { jobState, type PluginContext } from '../../engine/index.ts'
import { storageOf } from '../media/storage.ts'
import { BATCHES, PREFIX } from './batches.ts'

const DAY_MS = 86_400_000
/** So long after it was given up, a job may be tried again by an operator. */
const FAILED_MS = 7 * DAY_MS
/** How often it is looked, at most, in milliseconds. */
const PAUSE_MS = 3_600_000

const swept = new WeakMap<object, number>()

/** Sweeps, unless this process has done so within the hour. */
export async function sweep(context: PluginContext): Promise<void> {
  const { catalog, database, settings } = context
  const now = context.now().getTime()
  if (now - (swept.get(settings) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return
  swept.set(settings, now)
  const storage = storageOf(settings)
  for await (const { key, since } of storage.list(PREFIX)) {
    const job = key.slice(PREFIX.length).replace(/\.csv$/, '')
    if (now - since.getTime() > DAY_MS && (await isOver(context, job))) await storage.remove(key)
  }
  const { table } = catalog.resources.get(BATCHES)!
  const old: { job: string }[] = await database
    .knex(table)
    .where('done_at', '<', new Date(now - DAY_MS).toISOString())
    .distinct('job')
  for (const { job } of old) if (await isOver(context, job)) await database.knex(table).where({ job }).delete()
}

/** Whether a job will never run again. */
async function isOver({ database, now }: PluginContext, id: string): Promise<boolean> {
  const job = await jobState(database.adhoc, id)
  if (job === undefined || job.status === 'completed') return true
  return job.status === 'failed' && now().getTime() - Date.parse(job.finishedAt ?? '') > FAILED_MS
}
