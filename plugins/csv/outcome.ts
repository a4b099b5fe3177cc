/** What became of rows: of one batch, and of a whole file. */
import type { FieldErrors, Id, JsonObject } from '../../engine/index.ts'

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

/** What was not kept of a row that became a record. */
export interface Note {
  /** The line of the file. */
  readonly row: number
  /** As the file calls it. */
  readonly column: string
  readonly note: string
}

/** What became of some rows of a file. */
export interface Outcome {
  readonly imported: number
  readonly skipped: number
  readonly failed: number
  readonly ids: readonly Id[]
  readonly errors: readonly RowErrors[]
  /** What was created beside the rows, by resource. */
  readonly created: Readonly<Record<string, Created>>
  readonly notes: readonly Note[]
  /** Those of the skipped rows that equal rows of earlier imports. */
  readonly repeated: Repeated
}

export interface Repeated {
  readonly count: number
  /** The line of each, and the record that the earlier import made of it. */
  readonly rows: readonly { readonly row: number; readonly id: Id }[]
}

export interface Created {
  readonly count: number
  readonly names: readonly string[]
}

/** What became of a file, row by row where it went wrong. */
export interface Report extends Outcome {
  readonly total: number
  readonly dry_run: boolean
}

/** How many failed rows a report lists with their errors; `failed` counts all of them. */
export const TOLD_ERRORS = 5_000

/** How many created records of each resource a report names. */
const TOLD_NAMES = 1_000
/** How many notes a report has, and how many rows of earlier imports it lists. */
export const TOLD_NOTES = 1_000

/** Sums up batches as they come, in memory that does not grow with the rows that fail. */
export interface Tally {
  add(outcome: Outcome): void
  report(): Report
}

export function tallyOf(total: number, dryRun: boolean, earlier: readonly Outcome[] = []): Tally {
  const sums = { imported: 0, skipped: 0, failed: 0 }
  const ids: Id[] = []
  const errors: RowErrors[] = []
  const created: Record<string, { count: number; names: string[] }> = {}
  const notes: Note[] = []
  const repeated: { count: number; rows: Repeated['rows'][number][] } = { count: 0, rows: [] }
  const add = (outcome: Outcome): void => {
    sums.imported += outcome.imported
    sums.skipped += outcome.skipped
    // Batches that an older version noted don't count.
    sums.failed += outcome.failed ?? outcome.errors.length
    for (const id of outcome.ids) ids.push(id)
    const sorted = outcome.errors.toSorted((a, b) => a.row - b.row)
    errors.push(...sorted.slice(0, TOLD_ERRORS - errors.length))
    notes.push(...(outcome.notes ?? []).slice(0, TOLD_NOTES - notes.length))
    const again = outcome.repeated ?? { count: 0, rows: [] }
    repeated.count += again.count
    repeated.rows.push(...again.rows.slice(0, TOLD_NOTES - repeated.rows.length))
    for (const [resource, { count, names }] of Object.entries(outcome.created ?? {})) {
      const sum = created[resource] ?? { count: 0, names: [] }
      created[resource] = sum
      sum.count += count
      sum.names.push(...names.slice(0, TOLD_NAMES - sum.names.length))
    }
  }
  for (const outcome of earlier) add(outcome)
  return { add, report: () => ({ total, ...sums, ids, errors, created, notes, repeated, dry_run: dryRun }) }
}

/** One sentence about a finished import. */
export function summary(report: Omit<Report, 'ids' | 'errors' | 'notes'>): string {
  const { created, dry_run, imported, skipped, failed, repeated, total } = report
  const beside = Object.entries(created).map(
    ([name, { count }]) => `; ${count} ${name} ${dry_run ? 'would be ' : ''}created`,
  )
  const { count } = repeated
  const again = `; ${count} ${count === 1 ? 'row equals a row' : 'rows equal rows'} of earlier imports; the option again imports ${count === 1 ? 'it' : 'them'} once more`
  const told = `${counts({ dry_run, imported, skipped, failed, total })}${count === 0 ? '' : again}`
  return `${told}${beside.join('')}${dry_run ? '; nothing was written' : ''}`
}

function counts({
  dry_run,
  imported,
  skipped,
  failed,
  total,
}: Omit<Report, 'ids' | 'errors' | 'created' | 'notes' | 'repeated'>): string {
  return dry_run
    ? `${imported} of ${total} rows would be imported, ${skipped} skipped, ${failed} would fail`
    : `${imported} of ${total} rows imported, ${skipped} skipped, ${failed} failed`
}

/** Errors as plain JSON. */
export function plainErrors({ cells, errors, ...rest }: RowErrors): JsonObject {
  const told = Object.fromEntries(Object.entries(errors).map(([name, mistakes]) => [name, mistakes.map(String)]))
  return {
    ...rest,
    errors: told,
    cells: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, { ...cell }])),
  }
}

/** Notes as plain JSON. */
export function plainNotes({ notes }: Pick<Outcome, 'notes'>): JsonObject[] {
  return notes.slice(0, TOLD_NOTES).map((note) => ({ ...note }))
}

/** What was created, as plain JSON. */
export function plainCreated({ created }: Pick<Outcome, 'created'>): JsonObject {
  return Object.fromEntries(
    Object.entries(created).map(([resource, { count, names }]) => [resource, { count, names: [...names] }]),
  )
}

/** Rows of earlier imports, as plain JSON. */
export function plainRepeated({ repeated: { count, rows } }: Pick<Outcome, 'repeated'>): JsonObject {
  return { count, rows: rows.slice(0, TOLD_NOTES).map((one) => ({ ...one })) }
}
