/** Filters as SQL: the connectives here, one comparison by whoever knows the columns. */
import type { Operator } from '../field/field-type.ts'
import type { Json } from '../json.ts'
import type { Comparison, FilterOf } from './filter.ts'

/**
 * The SQL of a filter. `not` is pushed down to the comparisons, so that a comparison with NULL stays two-valued:
 * `leaf` renders one comparison and its negation, each true or not true, never "unknown means excluded".
 *
 *     toSql(filter, (comparison, negated) => compareSql(`t.${comparison.path}`, comparison.operator, bind, negated))
 */
export function toSql<P>(
  filter: FilterOf<P>,
  leaf: (comparison: Comparison<P>, negated: boolean) => string,
  negated = false,
): string {
  if (filter.kind === 'not') return toSql(filter.of, leaf, !negated)
  if (filter.kind === 'compare') return leaf(filter, negated)
  const parts = filter.of.map((part) => toSql(part, leaf, negated))
  const conjunction = (filter.kind === 'and') !== negated
  if (parts.length === 0) return conjunction ? 'true' : 'false'
  if (parts.length === 1) return parts[0]!
  return `(${parts.join(conjunction ? ' and ' : ' or ')})`
}

/** How the compared column is stored, where the comparison's SQL depends on it. */
export type Comparable = 'scalar' | 'json'

/**
 * One comparison as SQL. `column` is an SQL expression; `value` gives the SQL of the comparand
 * (`$3`, or a quoted literal), already in the form that `comparand` gives; `between` asks for two.
 */
export function compareSql(
  column: string,
  operator: Operator,
  value: (part: 0 | 1) => string,
  negated = false,
  stored: Comparable = 'scalar',
): string {
  if (operator === 'ne') return negated ? `${column} = ${value(0)}` : `${column} is distinct from ${value(0)}`
  if (operator === 'eq' && negated) return `${column} is distinct from ${value(0)}`
  const positive = positiveSql(column, operator, value, stored)
  return negated ? `(${positive}) is not true` : positive
}

function positiveSql(column: string, operator: Operator, value: (part: 0 | 1) => string, stored: Comparable): string {
  switch (operator) {
    case 'eq':
      return `${column} = ${value(0)}`
    case 'ne':
      return `${column} is distinct from ${value(0)}`
    case 'in':
      return `${column} = any(${value(0)})`
    case 'not_in':
      return `(${column} = any(${value(0)})) is not true`
    case 'lt':
      return `${column} < ${value(0)}`
    case 'lte':
      return `${column} <= ${value(0)}`
    case 'gt':
      return `${column} > ${value(0)}`
    case 'gte':
      return `${column} >= ${value(0)}`
    case 'between':
      return `${column} between ${value(0)} and ${value(1)}`
    case 'contains':
      return stored === 'json' ? `${column} @> ${value(0)}::jsonb` : `${column} ilike ${value(0)}`
    case 'starts_with':
    case 'ends_with':
      return `${column} ilike ${value(0)}`
    case 'null':
      return `${column} is null`
  }
}

/** The text with `%`, `_` and `\` made literal for LIKE. */
export function likeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** The form in which a comparand is bound: patterns for the text operators, JSON for lists, as it is otherwise. */
export function comparand(operator: Operator, value: Json, stored: Comparable = 'scalar'): Json {
  if (operator === 'contains') {
    return stored === 'json'
      ? JSON.stringify(Array.isArray(value) ? value : [value])
      : `%${likeLiteral(String(value))}%`
  }
  if (operator === 'starts_with') return `${likeLiteral(String(value))}%`
  if (operator === 'ends_with') return `%${likeLiteral(String(value))}`
  return value
}
