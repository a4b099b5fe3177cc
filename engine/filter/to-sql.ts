/** Filters as SQL: `toSql` writes and, or and not, `compareSql` writes one comparison of a column. */

import type { Operator } from '../field/field-type.ts'
import type { Json } from '../json.ts'
import type { Comparison, FilterOf, Related } from './filter.ts'
import { and, type Fragment, or, type Sql, sql } from './sql.ts'
import { fold } from './walk.ts'

/**
 * The SQL of a filter. `not` is pushed down to the comparisons, so that a comparison with NULL stays two-valued:
 * `leaf` renders one comparison and its negation, each true or not true, never "unknown means excluded"; `null: false`
 * reaches it as the negation of `null: true`.
 *
 *     toSql(filter, ({ path, operator }, negated) => compareSql(`t.${path}`, operator, () => slot(path), negated))
 */
export function toSql<P, M>(
  filter: FilterOf<P, M>,
  leaf: (comparison: Comparison<P>, negated: boolean) => Sql,
  negated = false,
  related: (asked: Related<P, M>, negated: boolean) => Sql = refuseRelated,
): Sql {
  const joined =
    (kind: 'and' | 'or') =>
    (parts: readonly Negatable[]): Negatable =>
    (negative) => {
      const of = parts.map((part) => part(negative))
      const all = (kind === 'and') !== negative ? and(of) : or(of)
      return of.length > 1 ? sql`(${all})` : all
    }
  return fold<P, M, Negatable>(filter, {
    compare: (part) => (negative) => leaf(part, negative !== asksPresence(part)),
    related: (part) => (negative) => related(part, negative),
    not: (of) => (negative) => of(!negative),
    and: joined('and'),
    or: joined('or'),
  })(negated)
}

/** The SQL of a part, or of its opposite. */
type Negatable = (negative: boolean) => Sql

function refuseRelated(): Sql {
  throw new Error('A condition here cannot ask for other records.')
}

/** Whether the comparison is `null: false`, the opposite of `null: true`. */
function asksPresence({ operator, operand }: Comparison<unknown>): boolean {
  return operator === 'null' && operand.kind === 'literal' && operand.value === false
}

/** How the compared column is stored, where the comparison's SQL depends on it. */
export type Comparable = 'scalar' | 'json'

/**
 * One comparison as SQL. `column` is an SQL expression; `value` gives the SQL of the comparand
 * (a parameter or a quoted literal), already in the form that `comparand` gives; `between` asks for two.
 */
export function compareSql(
  column: Fragment,
  operator: Operator,
  value: (part: 0 | 1) => Fragment,
  negated = false,
  stored: Comparable = 'scalar',
): Sql {
  if (operator === 'ne') return negated ? sql`${column} = ${value(0)}` : sql`${column} is distinct from ${value(0)}`
  if (operator === 'null') return negated ? sql`${column} is not null` : sql`${column} is null`
  if (operator === 'eq' && negated) return sql`${column} is distinct from ${value(0)}`
  const positive = positiveSql(column, operator, value, stored)
  return negated ? sql`(${positive}) is not true` : positive
}

function positiveSql(
  column: Fragment,
  operator: Exclude<Operator, 'ne' | 'null'>,
  value: (part: 0 | 1) => Fragment,
  stored: Comparable,
): Sql {
  switch (operator) {
    case 'eq':
      return sql`${column} = ${value(0)}`
    case 'in':
      return sql`${column} = any(${value(0)})`
    case 'not_in':
      return sql`(${column} = any(${value(0)})) is not true`
    case 'lt':
      return sql`${column} < ${value(0)}`
    case 'lte':
      return sql`${column} <= ${value(0)}`
    case 'gt':
      return sql`${column} > ${value(0)}`
    case 'gte':
      return sql`${column} >= ${value(0)}`
    case 'between':
      return sql`${column} between ${value(0)} and ${value(1)}`
    case 'contains':
      return stored === 'json' ? sql`${column} @> ${value(0)}::jsonb` : sql`${column} ilike ${value(0)}`
    case 'starts_with':
    case 'ends_with':
      return sql`${column} ilike ${value(0)}`
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
