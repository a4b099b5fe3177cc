/** Marks by which tables are known again. */
import { createHash } from 'node:crypto'
import type { Table } from './table.ts'

/** A mark of anything that JSON can say. */
export function markOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}

/** Tables → their mark, because a start asks for it several times and tables never change. */
const marks = new WeakMap<readonly Table[], string>()

/** A catalog by the tables that it wants. */
export function catalogMark(wanted: readonly Table[]): string {
  const mark = marks.get(wanted) ?? markOf(wanted)
  marks.set(wanted, mark)
  return mark
}
