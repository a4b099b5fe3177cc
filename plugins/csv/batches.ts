/** ⇄ What a job that imports leaves for its next run: its file, and what became of each batch that is written. */
import type { JobContext, PluginContext } from '../../engine/index.ts'
import type { Outcome } from './outcome.ts'

/** The resource of what became of each batch. */
export const BATCHES = 'import_batches'
/** Below which the plugin keeps its files; each is called like its job. */
export const PREFIX = 'imports/'

/** Where the file of a job is in the storage. */
export function keyOf(job: string): string {
  return `${PREFIX}${job}.csv`
}

/** What earlier runs came to. */
export interface Kept {
  readonly done: number
  readonly outcomes: readonly Outcome[]
}

/** Reads what earlier runs of a job came to. */
export async function keptBatches({ catalog, database, id }: JobContext): Promise<Kept> {
  const { table } = catalog.resources.get(BATCHES)!
  const found: { first_row: number; rows: number; outcome: Outcome }[] = await database
    .knex(table)
    .where({ job: id })
    .orderBy('first_row')
    .select('first_row', 'rows', 'outcome')
  const last = found.at(-1)
  return { done: last === undefined ? 0 : last.first_row + last.rows, outcomes: found.map(({ outcome }) => outcome) }
}

/** Notes a batch in the open transaction of `inner`; rejects when another process has written the same. */
export async function noteBatch(
  inner: PluginContext,
  job: string,
  first_row: number,
  rows: number,
  { errors, ids, imported, skipped }: Outcome,
): Promise<void> {
  const outcome = { imported, skipped, ids, errors: errors.map((one) => ({ ...one })) }
  const values = { job, first_row, rows, outcome, done_at: inner.now().toISOString() }
  await inner.records(BATCHES, 'system').create({}, values)
}
