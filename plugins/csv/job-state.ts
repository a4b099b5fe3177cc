/** ⇄ The state of an import job between its runs: its file, and the outcome of each written batch. */
import type { JobContext, JsonObject, PluginContext } from '../../engine/index.ts'
import { placeOf } from '../files/key.ts'
import { type Outcome, plainCreated, plainErrors, plainNotes, plainRepeated } from './outcome.ts'

/** The resource of batch outcomes. */
export const BATCHES = 'import_batches'

/** The key of a job's file in the storage, with the name of the job. */
export function keyOf(context: Pick<PluginContext, 'instance'>, job: string): string {
  return `${placeOf(context, 'imports')}${job}.csv`
}

/** The job of a file's key. */
export function jobOf(key: string): string {
  return key.replace(/^.*\//, '').replace(/\.csv$/, '')
}

/** The key of a job's file; jobs from before files had owners do not have it. */
export function fileOf(id: string, { file }: JsonObject): string {
  return typeof file === 'string' ? file : `imports/${id}.csv`
}

/** The results of earlier runs. */
export interface Kept {
  readonly done: number
  readonly outcomes: readonly Outcome[]
}

/** Reads the results of earlier runs of a job. */
export async function keptBatches({ model, id }: JobContext): Promise<Kept> {
  const found = await model(BATCHES)
    .query()
    .where({ job: id })
    .orderBy('first_row')
    .select('first_row', 'rows', 'outcome')
    .castTo<{ first_row: number; rows: number; outcome: Outcome }[]>()
  const last = found.at(-1)
  return { done: last === undefined ? 0 : last.first_row + last.rows, outcomes: found.map(({ outcome }) => outcome) }
}

/** Notes a batch in the open transaction of `inner`; rejects when another process has written it. */
export async function noteBatch(
  inner: PluginContext,
  job: string,
  first_row: number,
  rows: number,
  outcome: Outcome,
): Promise<void> {
  const { errors, failed, ids, imported, skipped } = outcome
  const more = { created: plainCreated(outcome), notes: plainNotes(outcome), repeated: plainRepeated(outcome) }
  const noted = { imported, skipped, failed, ids, errors: errors.map(plainErrors), ...more }
  const values = { job, first_row, rows, outcome: noted, done_at: inner.now().toISOString() }
  await inner.model(BATCHES).query().insert(values)
}
