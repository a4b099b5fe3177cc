/** What became of rows: of one batch, and of a whole file. */
import type { FieldErrors } from '../../engine/index.ts'

export interface RowErrors {
  /** The line of the file. */
  readonly row: number
  readonly uid: string | null
  readonly errors: FieldErrors
}

/** What became of some rows of a file. */
export interface Outcome {
  readonly imported: number
  readonly skipped: number
  readonly ids: readonly number[]
  readonly errors: readonly RowErrors[]
}

/** What became of a file, row by row where it went wrong. */
export interface Report extends Outcome {
  readonly total: number
  readonly failed: number
}

/** The batches of a file as one. */
export function reportOf(total: number, outcomes: readonly Outcome[]): Report {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0)
  const errors = outcomes.flatMap((outcome) => outcome.errors).sort((a, b) => a.row - b.row)
  return {
    total,
    imported: sum(({ imported }) => imported),
    skipped: sum(({ skipped }) => skipped),
    failed: errors.length,
    ids: outcomes.flatMap(({ ids }) => ids),
    errors,
  }
}

/** One sentence about a finished import. */
export function summary({ imported, skipped, failed, total }: Omit<Report, 'ids' | 'errors'>): string {
  return `${imported} of ${total} rows imported, ${skipped} skipped, ${failed} failed`
}
