/** ⇄ Imports a file: rows become records through validation, policies and hooks, in batches, each row for itself. */
import { ApiError, type FieldErrors, type Json, type PluginContext, type Resource } from '../../engine/index.ts'
import { type Entry, entryOf } from './entry.ts'
import { keepAhead, takenKeys } from './keys.ts'
import { layoutOf } from './layout.ts'
import { matchNames } from './match.ts'
import { inspectFile, rowsOf, type Sheet } from './parse.ts'

/** Rows of one transaction: PostgreSQL keeps track of so many savepoints without a detour. */
const BATCH = 50

/** What became of a file, row by row where it went wrong. */
export interface Report {
  readonly total: number
  readonly imported: number
  readonly skipped: number
  readonly failed: number
  readonly ids: readonly number[]
  readonly errors: readonly { readonly row: number; readonly uid: string | null; readonly errors: FieldErrors }[]
}

export interface ImportOptions {
  readonly dryRun: boolean
  readonly longest: number
  /** Told after each batch how many rows of how many are done. */
  readonly progress?: (done: number, total: number) => void
}

interface Import {
  readonly context: PluginContext
  readonly resource: Resource
  readonly sheet: Sheet
  readonly dryRun: boolean
  readonly ids: Json[]
  readonly errors: { readonly row: number; readonly uid: string | null; readonly errors: FieldErrors }[]
  /** Keys of rows that were written, or would have been. */
  readonly seen: Set<string>
  imported: number
  skipped: number
}

/** Imports the file at a path; throws validation_failed for `file` when it can't be read as one of the resource. */
export async function importFile(
  context: PluginContext,
  resource: Resource,
  path: string,
  { dryRun, longest, progress }: ImportOptions,
): Promise<Report> {
  const layout = layoutOf(context.catalog, resource)!
  const sheet = await inspectFile(path, layout, longest, context.catalog.strictness.unknownKeys === 'refuse')
  const work: Import = {
    context,
    resource,
    sheet,
    dryRun,
    ids: [],
    errors: [],
    seen: new Set(),
    imported: 0,
    skipped: 0,
  }
  let total = 0
  let batch: Entry[] = []
  const flush = async (): Promise<void> => {
    await writeBatch(work, batch)
    progress?.(total, sheet.rows)
    batch = []
  }
  for await (const row of rowsOf(sheet)) {
    const entry = entryOf(sheet, row)
    // The second row of a key is judged when the first has been written.
    if (batch.length === BATCH || (entry.key !== null && batch.some(({ key }) => key === entry.key))) await flush()
    total++
    batch.push(entry)
  }
  await flush()
  const { ids, errors, imported, skipped } = work
  const found = [...errors].sort((a, b) => a.row - b.row)
  return { total, imported, skipped, failed: errors.length, ids: ids.map(Number), errors: found }
}

async function writeBatch(work: Import, batch: readonly Entry[]): Promise<void> {
  const { context, dryRun, ids, resource, seen, sheet } = work
  if (batch.length === 0) return
  const taken = await takenKeys(context, resource, sheet, batch)
  const fresh = batch.filter(({ key }) => key === null || !(taken.has(key) || seen.has(key)))
  work.skipped += batch.length - fresh.length
  await matchNames(context, sheet.columns.keys(), fresh)
  const good = fresh.filter(({ errors }) => Object.keys(errors).length === 0)
  for (const entry of fresh) if (!good.includes(entry)) fail(work, entry, entry.errors)
  if (!dryRun) await keepAhead(context, resource, sheet, good)
  const outcomes = await create(work, good)
  outcomes.forEach((outcome, at) => {
    const entry = good[at]!
    if ('error' in outcome) fail(work, entry, outcome.error.params.errors ?? { row: [outcome.error.message] })
    else {
      work.imported++
      if (entry.key !== null) seen.add(entry.key)
      if (!dryRun) ids.push(outcome.record.id ?? null)
    }
  })
}

/** Creates what can be; when the database fails after something was imported, the rows of this batch have failed. */
async function create({ context, dryRun, imported, resource }: Import, entries: readonly Entry[]) {
  if (entries.length === 0) return []
  try {
    return await context.records(resource.name).createEach(entries, { dryRun })
  } catch (error) {
    if (imported === 0) throw error
    context.log.error({ err: error }, 'a batch of an import could not be written')
    const refusal = new ApiError('unavailable', { cause: error })
    return entries.map(() => ({ error: refusal }))
  }
}

function fail({ errors }: Import, { key, line }: Entry, found: FieldErrors): void {
  errors.push({ row: line, uid: key, errors: found })
}
