/** Whether a condition holds or not depending on who asks. */
import type { Field, FieldPath, Filter } from '../catalog/catalog.ts'

/** Whether a condition compares with the caller, or with a value that is computed for the caller. */
export function speaksOfCaller(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.of.some(speaksOfCaller)
  if (filter.kind === 'not' || filter.kind === 'related') return speaksOfCaller(filter.of)
  const { operand, path } = filter
  if (operand.kind === 'actor' || operand.kind === 'before') return true
  return isForCaller(path) || (operand.kind === 'record' && isForCaller(operand.path))
}

function isForCaller({ field }: FieldPath): boolean {
  const { computed, count }: Field = field
  return count !== undefined || computed?.includes('{actor}') === true
}
