/** SQL as small values, texts with parameters between them that are numbered when the whole is printed; and filters as such. */
import type { WorkingTime } from '../calendar/working-time.ts'
import type { Operator } from '../field/field-type.ts'
import type { Json } from '../json.ts'
import type { Comparison, FilterOf, Related } from './filter.ts'
import { fold } from './walk.ts'

/** Where the value of a parameter comes from when the statement runs; `slot` is a value of the request by name. */
export type Parameter =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'actor'; readonly attribute: string | undefined }
  | { readonly kind: 'now' }
  | { readonly kind: 'today' }
  /** The moment at which so much working time has passed since now. */
  | { readonly kind: 'working'; readonly working: WorkingTime }
  | { readonly kind: 'slot'; readonly name: string }

/** A piece of SQL. */
export interface Sql {
  readonly parts: readonly (string | Parameter)[]
}

/** A piece of SQL, or SQL text without parameters: keywords, quoted names, aliases. Never a value. */
export type Fragment = Sql | string | number

/**
 * Puts pieces together.
 *
 *     print(sql`${quoted('title')} = ${slot('v0')}::text`) // → { text: '"title" = $1::text', parameters: [{ kind: 'slot', name: 'v0' }] }
 */
export function sql(texts: TemplateStringsArray, ...fragments: readonly Fragment[]): Sql {
  return { parts: texts.flatMap((text, i) => (i === 0 ? [text] : [...partsOf(fragments[i - 1]!), text])) }
}

function partsOf(fragment: Fragment): Sql['parts'] {
  return typeof fragment === 'object' ? fragment.parts : [String(fragment)]
}

/** A parameter. */
export function parameter(source: Parameter): Sql {
  return { parts: [source] }
}

/** A value of the request. */
export function slot(name: string): Sql {
  return parameter({ kind: 'slot', name })
}

/** The pieces with a separator between them. */
export function join(fragments: readonly Fragment[], separator = ', '): Sql {
  return { parts: fragments.flatMap((fragment, i) => [...(i === 0 ? [] : [separator]), ...partsOf(fragment)]) }
}

/** A condition that holds when all of them do; true where there is none. */
export function and(conditions: readonly Fragment[]): Sql {
  return conditions.length === 0 ? sql`true` : join(conditions, ' and ')
}

/** A condition that holds when one of them does; false where there is none. */
export function or(conditions: readonly Fragment[]): Sql {
  return conditions.length === 0 ? sql`false` : join(conditions, ' or ')
}

/** A name in SQL. Names come from the catalog only. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** SQL text with `$n` parameters. */
export interface Printed {
  readonly text: string
  /** The value of each `$n`, in order. */
  readonly parameters: readonly Parameter[]
}

/** The text of a statement. Equal parameters share one `$n`; the first is the one after `before`. */
export function print({ parts }: Sql, before = 0): Printed {
  const parameters: Parameter[] = []
  const numbers = new Map<string, number>()
  const numberOf = (part: Parameter): number => {
    const key = JSON.stringify(part)
    const number = numbers.get(key) ?? before + parameters.push(part)
    numbers.set(key, number)
    return number
  }
  const text = parts.map((part) => (typeof part === 'string' ? part : `$${numberOf(part)}`)).join('')
  return { text, parameters }
}

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
