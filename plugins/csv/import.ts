/** ⇄ Imports a file while somebody waits: rows become records through validation, policies and hooks, each for itself. */
import { ApiError, type PluginContext, type Resource } from '../../engine/index.ts'
import { batchesOf, type Import, judge, refused, write } from './batch.ts'
import { layoutOf } from './layout.ts'
import type { ImportOptions } from './options.ts'
import { type Report, tallyOf } from './outcome.ts'
import { inspectFile, type Sheet } from './parse.ts'

export interface Watch {
  /** Called after each batch with how many rows are done, of how many. */
  readonly progress?: (done: number, total: number) => Promise<void> | void
  /** Aborted when nobody waits for the rest any more. */
  readonly signal?: AbortSignal
}

/** Looks through the file at a path; throws validation_failed for `file` when it can't be read as one of the resource. */
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

/** Imports a file that was looked through. */
export async function importSheet(
  context: PluginContext,
  resource: Resource,
  sheet: Sheet,
  { progress, signal }: Watch = {},
): Promise<Report> {
  const work: Import = { context, resource, sheet, seen: new Set(), made: new Map() }
  const tally = tallyOf(sheet.rows, sheet.options.dryRun)
  let [done, imported] = [0, 0]
  for await (const entries of batchesOf(sheet, 0)) {
    signal?.throwIfAborted()
    const judged = await judge(work, entries)
    const outcome = await write(work, context, judged).catch((error: unknown) => {
      // When the database fails after something was imported, the rows of this batch have failed.
      if (imported === 0) throw error
      context.log.error({ err: error }, 'a batch of an import could not be written')
      const { message } = new ApiError('unavailable', { cause: error })
      const errors = [...judged.errors, ...judged.good.map((entry) => refused(sheet, entry, { row: [message] }))]
      return { imported: 0, skipped: judged.skipped, failed: errors.length, ids: [], errors, created: {} }
    })
    tally.add(outcome)
    imported += outcome.imported
    done += entries.length
    await progress?.(done, sheet.rows)
  }
  return tally.report()
}
