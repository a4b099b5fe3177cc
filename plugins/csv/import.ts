/** ⇄ Imports a file while somebody waits: rows become records through validation, policies and hooks, each for itself. */
import { ApiError, type PluginContext, type Resource } from '../../engine/index.ts'
import { batchesOf, type Import, judge, refused, write } from './batch.ts'
import { layoutOf } from './layout.ts'
import { type Outcome, type Report, reportOf } from './outcome.ts'
import { inspectFile, type Sheet } from './parse.ts'

export interface ImportOptions {
  readonly dryRun: boolean
  /** Told after each batch how many rows of how many are done. */
  readonly progress?: (done: number, total: number) => Promise<void> | void
  /** Aborted when the rest would be in vain. */
  readonly signal?: AbortSignal
}

/** Looks through the file at a path; throws validation_failed for `file` when it can't be read as one of the resource. */
export function sheetOf(
  { catalog }: PluginContext,
  resource: Resource,
  path: string,
  longest = Number.POSITIVE_INFINITY,
): Promise<Sheet> {
  return inspectFile(path, layoutOf(catalog, resource)!, longest, catalog.strictness.unknownKeys === 'refuse')
}

/** Imports a file that was looked through. */
export async function importSheet(
  context: PluginContext,
  resource: Resource,
  sheet: Sheet,
  { dryRun, progress, signal }: ImportOptions,
): Promise<Report> {
  const work: Import = { context, resource, sheet, dryRun, seen: new Set() }
  const outcomes: Outcome[] = []
  let done = 0
  for await (const entries of batchesOf(sheet, 0)) {
    signal?.throwIfAborted()
    const judged = await judge(work, entries)
    const written = write(work, context, judged).catch((error: unknown) => {
      // When the database fails after something was imported, the rows of this batch have failed.
      if (!outcomes.some(({ imported }) => imported > 0)) throw error
      context.log.error({ err: error }, 'a batch of an import could not be written')
      const { message } = new ApiError('unavailable', { cause: error })
      const failed = judged.good.map((entry) => refused(entry, { row: [message] }))
      return { imported: 0, skipped: judged.skipped, ids: [], errors: [...judged.errors, ...failed] }
    })
    outcomes.push(await written)
    done += entries.length
    await progress?.(done, sheet.rows)
  }
  return reportOf(sheet.rows, outcomes)
}
