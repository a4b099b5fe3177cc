/** The outcome of an import, for one batch and for a whole file, and what was recognised in the file. */
import { type FieldErrors, type Id, type JsonObject, LIMITS } from '../../engine/index.ts'
import type { Column } from './columns.ts'
import { SEPARATORS, type Sheet } from './parse.ts'
import { ENCODINGS } from './text.ts'

/** The text of a refused cell. */
export interface Cell {
  /** The title in the file. */
  readonly column: string
  readonly value: string
}

export interface RowErrors {
  /** The line of the file. */
  readonly row: number
  readonly uid: string | null
  readonly errors: FieldErrors
  /** The cells of the errors, under the same names. */
  readonly cells: Readonly<Record<string, Cell>>
}

/** Text that was lost from a row that became a record. */
export interface Note {
  /** The line of the file. */
  readonly row: number
  /** The title in the file. */
  readonly column: string
  readonly note: string
}

/** The outcome of some rows of a file. */
export interface Outcome {
  readonly imported: number
  readonly skipped: number
  readonly failed: number
  readonly ids: readonly Id[]
  readonly errors: readonly RowErrors[]
  /** Records created in addition to the rows, by resource. */
  readonly created: Readonly<Record<string, Created>>
  readonly notes: readonly Note[]
  /** The skipped rows that equal rows of earlier imports. */
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

/** The outcome for a file, with the rows that failed. */
export interface Report extends Outcome {
  readonly total: number
  readonly dry_run: boolean
}

/** The most failed rows that a report lists with their errors; `failed` counts all. */
export const TOLD_ERRORS = 5_000

/** The most created records of each resource in a report. */
const TOLD_NAMES = 1_000
/** The most notes in a report, and the most rows of earlier imports. */
export const TOLD_NOTES = 1_000

/** Adds up batches, in memory that does not grow with the rows that fail. */
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
    // Batches that an older version noted do not count.
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

/** A sentence about a finished import. */
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

/** Created records, as plain JSON. */
export function plainCreated({ created }: Pick<Outcome, 'created'>): JsonObject {
  return Object.fromEntries(
    Object.entries(created).map(([resource, { count, names }]) => [resource, { count, names: [...names] }]),
  )
}

/** Rows of earlier imports, as plain JSON. */
export function plainRepeated({ repeated: { count, rows } }: Pick<Outcome, 'repeated'>): JsonObject {
  return { count, rows: rows.slice(0, TOLD_NOTES).map((one) => ({ ...one })) }
}

/** As a JSON Schema. */
export const RECOGNISED = {
  type: 'object',
  additionalProperties: false,
  required: ['encoding', 'separator', 'columns', 'left_out'],
  properties: {
    encoding: { type: 'string', enum: ENCODINGS },
    separator: { type: 'string', enum: SEPARATORS },
    columns: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The columns that are read, each with what the file calls it.',
    },
    left_out: { type: 'array', items: { type: 'string' }, description: 'Layout of the file that are not read.' },
  },
} as const

/** The report on how a file was read. */
export function recognised({ columns, encoding, layout, leftOut, options, separator, titles }: Sheet) {
  const short = (title: string): string => title.slice(0, LIMITS.unknownKeyLength)
  // Layout that replace another one, or fill created records, are read for that.
  const helping = new Set(
    layout.columns.flatMap(({ create, otherwise }) => [
      ...(otherwise === undefined ? [] : [otherwise]),
      ...(create !== undefined && options.create.has(create.in) ? Object.values(create.from ?? {}) : []),
    ]),
  )
  const isRead = ({ intake, title }: Column): boolean => intake.kind !== 'ignored' || helping.has(title)
  const all = [...columns].map(([column, at]) => ({ column, title: short(titles[at] ?? '') }))
  const unread = all.filter(({ column }) => !isRead(column)).map(({ title }) => title)
  return {
    encoding,
    separator,
    columns: Object.fromEntries(
      all.filter(({ column }) => isRead(column)).map(({ column, title }) => [column.title, title]),
    ),
    left_out: [...leftOut, ...unread].slice(0, LIMITS.bodyErrors).map(short),
  }
}
