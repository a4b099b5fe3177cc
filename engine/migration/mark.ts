/** Marks by which tables are known again. */
import { createHash } from 'node:crypto'
import { memo } from '../memo.ts'
import type { Table } from './table.ts'

/** What tables hold of the YAML is nothing that a database has to be brought to. */
const UNMARKED: ReadonlySet<string> = new Set(['of', 'was'])

/** A mark of anything that JSON can say. */
export function markOf(content: unknown): string {
  const text = JSON.stringify(content, (key, value: unknown) => (UNMARKED.has(key) ? undefined : value))
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** A catalog by the tables that it wants, which never change. */
export const catalogMark = memo((wanted: readonly Table[]): string => markOf(wanted))
