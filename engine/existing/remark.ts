/** Remarks for people on parts of a database that the YAML does not say. */
import { visible } from '../text/visible.ts'

export interface Remark {
  readonly table: string
  readonly column?: string
  /** The part that could not be taken over as it is. */
  readonly what: string
  /** The replacement. */
  readonly done: string
}

/** One line for each, in the order of tables and columns. */
export function remarkLines(remarks: readonly Remark[]): readonly string[] {
  const named = remarks.map((remark) => ({
    ...remark,
    name: remark.column === undefined ? remark.table : `${remark.table}.${remark.column}`,
  }))
  const sorted = named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return sorted.map(({ name, what, done }) => visible(`${name} ${what}: ${done}`))
}
