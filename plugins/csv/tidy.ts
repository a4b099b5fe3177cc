/** ⇄ Deletes the files and batch notes of import jobs that will never run again. */
import { deleteInBatches, type JobContext, type JsonObject, openJobs } from '../../engine/index.ts'
import { keepFiles } from '../files/keeper.ts'
import { BATCHES, jobOf } from './job-state.ts'

/** A younger file may belong to a job that is about to be added. */
const DAY_MS = 86_400_000

/** The job: keeps a file, and the notes of its batches, while its import waits, runs, or can be tried again. */
export async function tidy(context: JobContext): Promise<JsonObject> {
  const { catalog, database, model, now, signal } = context
  const files = await keepFiles(context, 'imports', async (keys) => {
    const open = await openJobs(database.adhoc, keys.map(jobOf))
    return new Set(keys.filter((key) => open.has(jobOf(key))))
  })
  const { table } = catalog.resources.get(BATCHES)!
  const before = new Date(now().getTime() - DAY_MS).toISOString()
  const noted = await model(BATCHES).query().where('done_at', '<', before).distinct('job')
  const jobs = noted.map(({ job }) => String(job))
  const open = await openJobs(database.adhoc, jobs)
  const values = [jobs.filter((job) => !open.has(job))]
  const batches = await deleteInBatches(database.adhoc, { table, where: 'job = any($1::text[])', values }, signal)
  return { ...files, batches }
}
