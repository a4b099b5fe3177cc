/** ⇄ An import while its caller waits: each row becomes a record through validation, policies and hooks. */
import { ApiError, type PluginContext, type Resource } from '../../engine/index.ts'
import { batchesOf, type Import, importOf, type Judged, judge, notesRows, refused, write } from './batch.ts'
import { layoutOf } from './columns.ts'
import type { ImportOptions } from './options.ts'
import { type Outcome, type Report, tallyOf } from './outcome.ts'
import { inspectFile, type Known, knownFile, type Sheet } from './parse.ts'
import { hasTransactions } from './transactions.ts'

export interface Watch {
  /** Called after each batch with the number of finished rows, and of all. */
  readonly progress?: (done: number, total: number) => Promise<void> | void
  /** Aborted when nobody waits for the rest. */
  readonly signal?: AbortSignal
}

/** Inspects the file at a path; throws validation_failed for `file` where it is no file of the resource. */
export function sheetOf(
  { catalog }: PluginContext,
  resource: Resource,
  path: string,
  options: ImportOptions,
  longest = Number.POSITIVE_INFINITY,
): Promise<Sheet> {
  const strict = catalog.strictness.unknownKeys === 'refuse'
  return inspectFile(path, layoutOf(catalog, resource)!, options, longest, strict)
}

/** The sheet of a file that was inspected earlier, when it was sent. */
export function sheetAgain(
  { catalog }: PluginContext,
  resource: Resource,
  path: string,
  options: ImportOptions,
  known: Known,
): Promise<Sheet> {
  const strict = catalog.strictness.unknownKeys === 'refuse'
  return knownFile(path, layoutOf(catalog, resource)!, options, known, strict)
}

/** Ends the transaction of a dry run. */
class Tried extends Error {}

/**
 * Imports an inspected file. A dry run of a file whose rows affect each other is one transaction, which is undone at
 * its end, so that each row is judged together with the rows before it.
 */
export async function importSheet(
  context: PluginContext,
  resource: Resource,
  sheet: Sheet,
  watch: Watch = {},
): Promise<Report> {
  const isTogether = sheet.options.dryRun && sheet.rows <= TRIED_TOGETHER && judgesSeveral(resource, sheet)
  if (!isTogether || !hasTransactions(context)) return importBatches(context, resource, sheet, watch)
  let report: Report | undefined
  const tried = context.transaction(async (inner) => {
    // Progress is recorded outside the transaction, for which the embedded database has no second connection.
    const { signal } = watch
    report = await importBatches(inner, resource, sheet, { ...(signal && { signal }) }, true)
    throw new Tried()
  })
  await tried.catch((error: unknown) => {
    if (!(error instanceof Tried)) throw error
  })
  return report!
}

/** The most rows of a dry run in one transaction, which blocks other writers for some seconds. */
const TRIED_TOGETHER = 5_000

/** Whether several records are judged together: by rules, unique values, or figures of other records. */
function judgesSeveral(resource: Resource, { columns }: Sheet): boolean {
  const { counts, foreignRules, indexes, linkRules, overlaps, relatedFollows, rules, soles } = resource
  return (
    [counts, foreignRules, linkRules, overlaps, relatedFollows, soles].some((some) => some.length > 0) ||
    rules.some(({ always }) => always) ||
    indexes.some(({ unique }) => unique) ||
    // Of two rows with one key the second is skipped.
    [...columns.keys()].some(({ field, key }) => field.unique && !key && field.type.generated === undefined)
  )
}

async function importBatches(
  context: PluginContext,
  resource: Resource,
  sheet: Sheet,
  { progress, signal }: Watch,
  trial = false,
): Promise<Report> {
  const work = importOf(context, resource, sheet, trial)
  const tally = tallyOf(sheet.rows, sheet.options.dryRun)
  let [done, imported] = [0, 0]
  for await (const found of batchesOf(work, 0)) {
    signal?.throwIfAborted()
    const judged = await judge(work, found)
    const outcome = await writeOnce(work, context, judged).catch((error: unknown): Outcome => {
      // When the database fails after some rows were imported, the rows of this batch have failed.
      if (imported === 0) throw error
      context.log.error({ err: error }, 'a batch of an import could not be written')
      const { message } = new ApiError('unavailable', { cause: error })
      const errors = [...judged.errors, ...judged.good.map((entry) => refused(sheet, entry, { row: [message] }))]
      const { repeated, skipped } = judged
      return { imported: 0, skipped, repeated, failed: errors.length, ids: [], errors, created: {}, notes: [] }
    })
    tally.add(outcome)
    imported += outcome.imported
    done += judged.entries.length
    await progress?.(done, sheet.rows)
  }
  return tally.report()
}

/** Writes a batch; in one transaction where it has rows without a key, so that they are noted with it. */
function writeOnce(work: Import, context: PluginContext, judged: Judged): Promise<Outcome> {
  if (!notesRows(work, judged) || !hasTransactions(context)) return write(work, context, judged)
  return context.transaction((inner) => write(work, inner, judged))
}
