/** Which columns begin anew: those whose old values mean nothing any more, and those that are computed again. */
import { type Pair, presentColumn } from './pair.ts'
import type { Column } from './table.ts'
import { typeChange } from './type-change.ts'

/** Whether a column starts anew because its old values cannot be read as the new type, or nobody writes them any more. */
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

/** Whether a wanted column is computed from one that gets another type or name, so that it must go before. */
export function isBelowMoved(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was !== undefined && isOverMoved(pair, was)
}

/** Whether a computed column that is there is in the way of another one's type or name: PostgreSQL lets neither happen below it. */
export function isOverMoved(pair: Pair, { generated = '', over = [] }: Column): boolean {
  // What stands in quotes may be a name.
  const quoted = [...generated.matchAll(/"((?:[^"]|"")+)"/g)].map((match) => (match[1] ?? '').replaceAll('""', '"'))
  return quoted.some((name) => isMoved(pair, name)) || over.some((name) => isRetyped(pair, name))
}

/** Whether a wanted column gets another type, or another one its name. */
function isMoved(pair: Pair, name: string): boolean {
  const column = pair.wanted.columns.find((one) => one.name === name)
  const was = column && presentColumn(pair, column)
  return was !== undefined && (was.name !== name || was.type !== column?.type || startsComputed(was, column))
}

/** Whether a column that is there gets another type, by whatever name it was known when something was computed from it. */
function isRetyped(pair: Pair, name: string): boolean {
  return pair.wanted.columns.some((column) => {
    const was = presentColumn(pair, column)
    return was?.name === name && (was.type !== column.type || startsComputed(was, column))
  })
}
