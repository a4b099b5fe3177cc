/** What a filter says of a row, worked out without SQL: the truth that the SQL of the same filter is held to. */
import type { Comparison, FilterOf } from '../../engine/filter/filter.ts'
import type { Json } from '../../engine/json.ts'

/** How two values of a column are ordered. */
export type Ordering = 'number' | 'text'

/** Whether a row satisfies a filter with literal operands; `ordering` says how a column's values compare. */
export function matches(
  filter: FilterOf<string>,
  row: Readonly<Record<string, Json>>,
  ordering: (column: string) => Ordering,
): boolean {
  if (filter.kind === 'not') return !matches(filter.of, row, ordering)
  if (filter.kind === 'and') return filter.of.every((part) => matches(part, row, ordering))
  if (filter.kind === 'or') return filter.of.some((part) => matches(part, row, ordering))
  if (filter.kind === 'related') throw new Error('a row has no other records')
  return compares(filter, row[filter.path] ?? null, ordering(filter.path))
}

function compares({ operator, operand }: Comparison<string>, value: Json, ordering: Ordering): boolean {
  const given = operand.kind === 'literal' ? operand.value : null
  const many = Array.isArray(given) ? (given as readonly Json[]) : [given]
  const order = (other: Json): number => compared(value, other, ordering)
  const listed = value !== null && many.some((item) => order(item) === 0)
  if (operator === 'null') return (value === null) === (given !== false)
  if (operator === 'in') return listed
  if (operator === 'not_in') return !listed
  if (operator === 'ne') return value === null || order(given) !== 0
  if (value === null) return false
  switch (operator) {
    case 'eq':
      return order(given) === 0
    case 'lt':
      return order(given) < 0
    case 'lte':
      return order(given) <= 0
    case 'gt':
      return order(given) > 0
    case 'gte':
      return order(given) >= 0
    case 'between':
      return order(many[0]!) >= 0 && order(many[1]!) <= 0
    case 'contains':
      return Array.isArray(value) ? many.every((item) => value.includes(item)) : folded(value).includes(folded(given))
    case 'starts_with':
      return folded(value).startsWith(folded(given))
    case 'ends_with':
      return folded(value).endsWith(folded(given))
  }
}

function folded(value: Json): string {
  return String(value).toLowerCase()
}

function compared(one: Json, other: Json, ordering: Ordering): number {
  const [a, b] = ordering === 'number' ? [Number(one), Number(other)] : [String(one), String(other)]
  return a < b ? -1 : a > b ? 1 : 0
}
