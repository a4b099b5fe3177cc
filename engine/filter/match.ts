/** Filters on a record in memory, for what is about to be written; true and false exactly where the SQL is. */
import type { Json } from '../json.ts'
import type { Comparison, FilterOf, Operand } from './filter.ts'

/** What the variables of a filter stand for; `now` as ISO 8601 or PostgreSQL's text, `today` as `YYYY-MM-DD`. */
export interface Operands {
  actor(attribute: string | undefined): Json
  readonly now: string
  readonly today: string
}

/** How two values of a path are ordered; `guess` looks at the values, for paths whose type nobody knows. */
export type Ordering = 'number' | 'timestamp' | 'text' | 'guess'

/**
 * Whether a record satisfies a filter. `read` gives the record's value at a path, undefined or null where it has none.
 *
 *     match({ kind: 'compare', path: ['a'], operator: 'gte', operand: { kind: 'literal', value: 3 } }, () => 5, operands) // → true
 */
export function match<P>(
  filter: FilterOf<P>,
  read: (path: P) => Json | undefined,
  operands: Operands,
  ordering: (path: P) => Ordering = () => 'guess',
): boolean {
  const holds = (part: FilterOf<P>, negated: boolean): boolean => {
    switch (part.kind) {
      case 'not':
        return holds(part.of, !negated)
      case 'compare': {
        const operand = operandValue(part.operand, operands)
        if (part.decides === true && part.operand.kind === 'actor' && operand === null) return false
        return compares(part, read(part.path) ?? null, operand, ordering(part.path), negated)
      }
      default: {
        const all = (part.kind === 'and') !== negated
        return all ? part.of.every((inner) => holds(inner, negated)) : part.of.some((inner) => holds(inner, negated))
      }
    }
  }
  return holds(filter, false)
}

function operandValue(operand: Operand, operands: Operands): Json {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'actor':
      return operands.actor(operand.attribute)
    case 'now':
      return operands.now
    case 'today':
      return operands.today
    case 'slot':
      // A slot belongs to a compiled query string, which is never matched in memory; no value is no match.
      return null
  }
}

function compares<P>(
  comparison: Comparison<P>,
  value: Json,
  operand: Json,
  ordering: Ordering,
  negated: boolean,
): boolean {
  const equal = value !== null && operand !== null && order(value, operand, ordering) === 0
  // `is distinct from` in SQL: two absent values are not distinct, whichever of `ne` and `not eq` asks.
  const distinct = !equal && !(value === null && operand === null)
  if (comparison.operator === 'eq') return negated ? distinct : equal
  if (comparison.operator === 'ne') return negated ? equal : distinct
  return positive(comparison, value, operand, ordering) !== negated
}

function positive<P>(comparison: Comparison<P>, value: Json, operand: Json, ordering: Ordering): boolean {
  const { operator } = comparison
  if (operator === 'null') return (value === null) === (operand !== false)
  if (operator === 'not_in') return !isOneOf(value, operand, ordering)
  if (operator === 'in') return isOneOf(value, operand, ordering)
  if (value === null || operand === null) return false
  switch (operator) {
    case 'lt':
      return order(value, operand, ordering) < 0
    case 'lte':
      return order(value, operand, ordering) <= 0
    case 'gt':
      return order(value, operand, ordering) > 0
    case 'gte':
      return order(value, operand, ordering) >= 0
    case 'between': {
      const [from, to] = Array.isArray(operand) ? (operand as readonly Json[]) : [operand, operand]
      return (
        from !== undefined && to !== undefined && order(value, from, ordering) >= 0 && order(value, to, ordering) <= 0
      )
    }
    case 'contains':
      if (typeof value === 'object') return containsJson(value, Array.isArray(operand) ? operand : [operand])
      return folded(value).includes(folded(operand))
    case 'starts_with':
      return folded(value).startsWith(folded(operand))
    case 'ends_with':
      return folded(value).endsWith(folded(operand))
    default:
      return false
  }
}

function isOneOf(value: Json, list: Json, ordering: Ordering): boolean {
  if (value === null || !Array.isArray(list)) return false
  return list.some((item: Json) => item !== null && order(value, item, ordering) === 0)
}

function folded(value: Json): string {
  return String(value).toLowerCase()
}

/** jsonb's `@>` for lists: every wanted item stands somewhere in the value. */
function containsJson(value: Json, wanted: readonly Json[]): boolean {
  return (
    Array.isArray(value) &&
    wanted.every((item) => value.some((present: Json) => JSON.stringify(present) === JSON.stringify(item)))
  )
}

function order(left: Json, right: Json, ordering: Ordering): number {
  if (typeof left === 'object' || typeof right === 'object')
    return JSON.stringify(left) === JSON.stringify(right) ? 0 : 1
  const numeric =
    ordering === 'number' || (ordering === 'guess' && (typeof left === 'number' || typeof right === 'number'))
  if (numeric) return orderDecimals(String(left), String(right))
  if (ordering === 'timestamp' || ordering === 'guess') {
    const [a, b] = [instant(String(left)), instant(String(right))]
    if (a !== undefined && b !== undefined) return sign(a, b)
  }
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}

function sign(left: bigint | number, right: bigint | number): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** Exact order of decimal texts: `10.50` equals `10.5`, and no digit is lost to floating point. */
function orderDecimals(left: string, right: string): number {
  const scale = Math.max(fraction(left).length, fraction(right).length)
  const [a, b] = [scaled(left, scale), scaled(right, scale)]
  if (a === undefined || b === undefined) return sign(Number(left), Number(right))
  return sign(a, b)
}

function fraction(text: string): string {
  return /^[+-]?\d+\.(\d+)$/.exec(text)?.[1] ?? ''
}

function scaled(text: string, scale: number): bigint | undefined {
  const parts = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (parts === null) return undefined
  const digits = BigInt(`${parts[2]}${(parts[3] ?? '').padEnd(scale, '0')}`)
  return parts[1] === '-' ? -digits : digits
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/

/** Microseconds since the epoch of an ISO or PostgreSQL timestamp (UTC without an offset); undefined for other texts. */
function instant(text: string): bigint | undefined {
  const parts = TIMESTAMP.exec(text)
  if (parts === null) return undefined
  const [, day, time = '00:00:00', micro = '', zone = 'Z'] = parts
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  const milliseconds = Date.parse(`${day}T${time}${offset}`)
  return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 1000n + BigInt(micro.padEnd(6, '0'))
}
