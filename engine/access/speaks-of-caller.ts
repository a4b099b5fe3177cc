/** Whether a condition holds or not depending on who asks. */

import type { Field, FieldPath, Filter } from '../catalog/catalog.ts'
import { comparedPaths, comparisons } from '../filter/walk.ts'

/** Whether a condition compares with the caller, or with a value that is computed for the caller. */
export function speaksOfCaller(filter: Filter): boolean {
  return comparisons(filter).some(
    (one) => one.operand.kind === 'actor' || one.operand.kind === 'before' || comparedPaths(one).some(isForCaller),
  )
}

function isForCaller({ field }: FieldPath): boolean {
  const { computed, count }: Field = field
  return count !== undefined || computed?.includes('{actor}') === true
}
