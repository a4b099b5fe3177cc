/** A wanted table beside the one that is there, and which of its columns each wanted one is now. */
import { nameBefore } from './name.ts'
import type { Column, Present, Table } from './table.ts'

/** A wanted table and the one that is there, which may still have an earlier name. */
export interface Pair {
  readonly wanted: Table
  readonly actual: Table
  /** The column that was set aside last under each name, if it can be read as what is wanted now. */
  readonly aside: ReadonlyMap<string, Column>
  /** All pairs of the plan, by the names of the wanted tables. */
  readonly pairs: ReadonlyMap<string, Pair>
}

/** What planning needs beside the tables. */
export interface Circumstances {
  readonly present: Present
  /** Today in UTC, `2026-01-31`, for the names of what is set aside. */
  readonly day: string
  /** Whether indexes are made while others write; the embedded database has no others. */
  readonly concurrently: boolean
}

/** The column that the YAML calls the earlier one, while that is not wanted itself. */
export function earlierColumn({ wanted, actual }: Pair, column: Column): Column | undefined {
  if (column.renamedFrom === undefined) return undefined
  // A belongs_to is renamed by its relation's name; its column has the `_id`.
  const earlier = [column.renamedFrom, ...(column.name.endsWith('_id') ? [`${column.renamedFrom}_id`] : [])]
  const free = earlier.filter((name) => !wanted.columns.some((other) => other.name === name))
  return actual.columns.find((other) => free.includes(other.name))
}

/** The column that a wanted one is now: of its name, of its earlier name, or what was set aside under its name. */
export function presentColumn(pair: Pair, column: Column): Column | undefined {
  const same = pair.actual.columns.find((other) => other.name === column.name)
  return same ?? earlierColumn(pair, column) ?? pair.aside.get(column.name)
}

/** Whether no version of another YAML can work with the column yet, because this plan makes it or brings it back. */
export function isNew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was === undefined || was === pair.aside.get(column.name) || nameBefore(pair.actual.name) !== undefined
}

/** Whether the table and these columns are there under their names before any step is taken, so that work on them waits for none. */
export function isStanding({ wanted, actual }: Pair, names: readonly string[]): boolean {
  const isThere = (name: string) => [wanted, actual].every(({ columns }) => columns.some((one) => one.name === name))
  return wanted.name === actual.name && names.every(isThere)
}

/** Whether a column comes to a table that keeps its name, so that it can be added before any other step. */
export function isAddedAhead(pair: Pair, column: Column): boolean {
  const isGiven = column.nullable || column.default !== undefined || column.identity
  const isPlain = column.generated === undefined && column.fill === undefined
  return isStanding(pair, []) && presentColumn(pair, column) === undefined && isGiven && isPlain
}

/** Whether these columns are there under their names and of their types before any step that does harm. */
export function isSettled(pair: Pair, names: readonly string[]): boolean {
  const [then, now] = [pair.wanted, pair.actual].map(({ columns }) => new Map(columns.map((one) => [one.name, one])))
  const isSame = (name: string): boolean => {
    const [column, was] = [then?.get(name), now?.get(name)]
    if (column === undefined) return false
    if (was === undefined) return isAddedAhead(pair, column)
    return column.type === was.type && column.generated === was.generated
  }
  return isStanding(pair, []) && names.every(isSame)
}
