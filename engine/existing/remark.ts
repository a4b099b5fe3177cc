/** What of a database the YAML does not say, for people. */
import { visible } from '../text/visible.ts'

export interface Remark {
  readonly table: string
  readonly column?: string
  /** What it is that could not be taken over as it is. */
  readonly what: string
  /** What was done instead. */
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
