/** Which columns begin anew: those whose old values mean nothing any more, and those that are computed again. */
import { type Pair, presentColumn } from './pair.ts'
import type { Column } from './table.ts'
import { typeChange } from './type-change.ts'

/** Whether a column starts anew because its old values can't be read as the new type, or nobody writes them any more. */
export function startsAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  if (startsComputed(was, column) || isComputedAnew(pair, column)) return true
  return (
    was !== undefined && was.type !== column.type && typeChange(column.name, was.type, column.type).kind === 'apart'
  )
}

/** Whether a column that was written becomes one that is computed, so that its values are set aside. */
export function startsComputed(was: Column | undefined, column: Column): boolean {
  return was !== undefined && was.generated === undefined && column.generated !== undefined
}

/** Whether a column that is computed has to be computed again. */
export function isComputedAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  if (was?.generated === undefined || column.generated === undefined) return false
  const isSame = was.generated === column.generated && was.type === column.type && was.name === column.name
  return !isSame || isBelowMoved(pair, column)
}

/** Whether a computed column names one that gets another type or name, so that it must go before. */
export function isBelowMoved(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was !== undefined && namesIn(was).some((name) => isMoved(pair, name))
}

/** The columns that a computed one may name: what stands in quotes. */
export function namesIn({ generated = '' }: Column): readonly string[] {
  return [...generated.matchAll(/"((?:[^"]|"")+)"/g)].map((match) => (match[1] ?? '').replaceAll('""', '"'))
}

/** Whether a column gets another type, or another one its name: PostgreSQL lets neither happen below a computed column. */
export function isMoved(pair: Pair, name: string): boolean {
  const column = pair.wanted.columns.find((one) => one.name === name)
  const was = column && presentColumn(pair, column)
  return was !== undefined && (was.name !== name || was.type !== column?.type || startsComputed(was, column))
}
