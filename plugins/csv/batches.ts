/** ⇄ What a job that imports leaves for its next run: its file, and what became of each batch that is written. */
import type { JobContext, JsonObject, PluginContext } from '../../engine/index.ts'
import { placeOf } from '../files/key.ts'
import { type Outcome, plainCreated, plainErrors, plainNotes, plainRepeated } from './outcome.ts'

/** The resource of what became of each batch. */
export const BATCHES = 'import_batches'

/** Where the file of a job is put in the storage; it is called like its job. */
export function keyOf(context: Pick<PluginContext, 'instance'>, job: string): string {
  return `${placeOf(context, 'imports')}${job}.csv`
}

/** The job whose file a key is. */
export function jobOf(key: string): string {
  return key.replace(/^.*\//, '').replace(/\.csv$/, '')
}

/** Where the file of a job is; one that was added before files had owners does not say it. */
export function fileOf(id: string, { file }: JsonObject): string {
  return typeof file === 'string' ? file : `imports/${id}.csv`
}

/** What earlier runs came to. */
export interface Kept {
  readonly done: number
  readonly outcomes: readonly Outcome[]
}

/** Reads what earlier runs of a job came to. */
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

/** Notes a batch in the open transaction of `inner`; rejects when another process has written the same. */
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
