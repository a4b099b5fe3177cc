/** ⇄ Cleans up after crashes, and releases files that are older than the application wants to keep. */
import { type JobContext, type Json, jobState, type PluginContext } from '../../../engine/index.ts'
import { keepFiles, namedBy } from '../../files/keeper.ts'

const DAY_MS = 86_400_000

/** The job: a report is a record and stays; only files that no report names are put away. */
export async function tidy(context: JobContext): Promise<Json | undefined> {
  const named = namedBy(context, 'reports', 'file_key')
  if (named === undefined) return undefined
  const lost = await endLost(context)
  const let_go = await letGo(context)
  return { lost, let_go, ...(await keepFiles(context, 'reports', named)) }
}

/** Marks reports as failed whose job was given up or whose maker no longer exists, which the job itself cannot do. */
async function endLost({ database, model }: Pick<PluginContext, 'database' | 'model'>): Promise<number> {
  const pending = await model('reports')
    .query()
    .where({ status: 'pending' })
    .select('id', 'job_id')
    .castTo<{ id: number; job_id: string | null }[]>()
  let ended = 0
  for (const { id, job_id } of pending) {
    const job = await jobState(database.adhoc, job_id ?? '')
    if (job === undefined || job.status === 'failed')
      ended += await model('reports').query().where({ id, status: 'pending' }).patch({ status: 'failed' })
  }
  return ended
}

/**
 * With `keep_files_days`, the record of an old report no longer names its file; the keeper of files deletes it 30 days
 * later.
 */
async function letGo({ model, now, options }: PluginContext): Promise<number> {
  if (options.keep_files_days === undefined) return 0
  const before = new Date(now().getTime() - Number(options.keep_files_days) * DAY_MS)
  return model('reports')
    .query()
    .where({ status: 'completed' })
    .where('completed_at', '<', before.toISOString())
    .whereNotNull('file_key')
    .patch({ file: null, file_key: null, updated_at: now().toISOString() })
}
