/** What became of rows: of one batch, and of a whole file. */
import type { FieldErrors, JsonObject } from '../../engine/index.ts'

/** What stood in a file where something was refused. */
export interface Cell {
  /** As the file calls it. */
  readonly column: string
  readonly value: string
}

export interface RowErrors {
  /** The line of the file. */
  readonly row: number
  readonly uid: string | null
  readonly errors: FieldErrors
  /** The cells that the errors speak of, under the same names. */
  readonly cells: Readonly<Record<string, Cell>>
}

/** What became of some rows of a file. */
export interface Outcome {
  readonly imported: number
  readonly skipped: number
  readonly failed: number
  readonly ids: readonly number[]
  readonly errors: readonly RowErrors[]
}

/** What became of a file, row by row where it went wrong. */
export interface Report extends Outcome {
  readonly total: number
  readonly dry_run: boolean
}

/** The rows whose errors a report tells: what nobody reads to its end need not be kept; `failed` counts them all. */
export const TOLD_ERRORS = 5_000

/** Sums up batches as they come, in memory that does not grow with the rows that fail. */
export interface Tally {
  add(outcome: Outcome): void
  report(): Report
}

export function tallyOf(total: number, dryRun: boolean, earlier: readonly Outcome[] = []): Tally {
  const sums = { imported: 0, skipped: 0, failed: 0 }
  const ids: number[] = []
  const errors: RowErrors[] = []
  const add = (outcome: Outcome): void => {
    sums.imported += outcome.imported
    sums.skipped += outcome.skipped
    // Batches that an older version noted don't count.
    sums.failed += outcome.failed ?? outcome.errors.length
    for (const id of outcome.ids) ids.push(id)
    const sorted = outcome.errors.toSorted((a, b) => a.row - b.row)
    errors.push(...sorted.slice(0, TOLD_ERRORS - errors.length))
  }
  for (const outcome of earlier) add(outcome)
  return { add, report: () => ({ total, ...sums, ids, errors, dry_run: dryRun }) }
}

/** One sentence about a finished import. */
export function summary({ dry_run, imported, skipped, failed, total }: Omit<Report, 'ids' | 'errors'>): string {
  return dry_run
    ? `${imported} of ${total} rows would be imported, ${skipped} skipped, ${failed} would fail; nothing was written`
    : `${imported} of ${total} rows imported, ${skipped} skipped, ${failed} failed`
}

/** Errors as plain JSON. */
export function plainErrors({ cells, ...told }: RowErrors): JsonObject {
  return { ...told, cells: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, { ...cell }])) }
}
