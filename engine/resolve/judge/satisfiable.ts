/** Filters that no record can fulfil, recognised by comparisons with values that are written out. */
import type { Field, FieldPath, Filter, WayPath } from '../../catalog/catalog.ts'
import { conjuncts, fold } from '../../filter/walk.ts'
import type { Json } from '../../json.ts'

type Compare = Extract<Filter, { kind: 'compare' }>

/** Why no record can fulfil a filter, as a sentence; undefined where one might. */
export function neverHolds(filter: Filter): string | undefined {
  return judged(filter).never
}

/** Whether a filter asks for nothing. */
export function alwaysHolds(filter: Filter): boolean {
  return judged(filter).always
}

/** The comparisons that must all hold, however they are nested. */
export function necessaryComparisons(filter: Filter): readonly Compare[] {
  return conjuncts(filter).flatMap((part) => (part.kind === 'compare' ? [part] : []))
}

interface Judgement {
  readonly never: string | undefined
  readonly always: boolean
  /** The comparisons that must all hold, however they are nested. */
  readonly all: readonly Compare[]
}

function judged(filter: Filter): Judgement {
  return fold<FieldPath, WayPath, Judgement>(filter, {
    compare: (part) => ({ never: impossible(part), always: false, all: [part] }),
    related: ({ count, of }) => ({ never: count === undefined ? neverHolds(of) : undefined, always: false, all: [] }),
    not: ({ always }) => ({
      never: always ? 'it is the opposite of a filter that every record fulfils' : undefined,
      always: false,
      all: [],
    }),
    and: (of) => {
      const all = of.flatMap((part) => part.all)
      const never = of.find((part) => part.never !== undefined)?.never ?? contradiction(all)
      return { never, always: of.every(({ always }) => always), all }
    },
    or: (of) => ({
      never: of.every(({ never }) => never !== undefined) ? of[0]?.never : undefined,
      always: of.some(({ always }) => always),
      all: [],
    }),
  })
}

function impossible({ operator, operand, path: { field } }: Compare): string | undefined {
  if (operand.kind !== 'literal') return undefined
  const { value } = operand
  const { max, min, values } = field.options.own
  if (operator === 'in' && Array.isArray(value) && value.length === 0)
    return `the list of values for "${field.name}" is empty`
  if (operator === 'between' && Array.isArray(value) && order(field, value[0] as Json, value[1] as Json) > 0)
    return `no "${field.name}" lies from ${value[0]} to ${value[1]}; the lower one comes first`
  if (operator === 'gt' && typeof max === 'number' && order(field, value, max) >= 0)
    return `"${field.name}" is at most ${max}`
  if (operator === 'lt' && typeof min === 'number' && order(field, value, min) <= 0)
    return `"${field.name}" is at least ${min}`
  if (operator !== 'not_in' || !Array.isArray(value) || !Array.isArray(values) || field.nullable) return undefined
  const left = values.filter((word) => !value.includes(word))
  return left.length === 0 ? `"${field.name}" has no other values` : undefined
}

/** Two comparisons of one value that cannot both hold. */
function contradiction(parts: readonly Compare[]): string | undefined {
  for (const [index, one] of parts.entries())
    for (const other of parts.slice(index + 1)) {
      if (wayOf(one.path) !== wayOf(other.path) || !exclude(one, other)) continue
      return `"${wayOf(one.path)}" cannot be ${shown(one)} and ${shown(other)}`
    }
  return undefined
}

function wayOf({ relations, field }: FieldPath): string {
  return [...relations.map(({ name }) => name), field.name].join('.')
}

/** Whether two comparisons of one value leave nothing. */
function exclude(one: Compare, other: Compare): boolean {
  const [first, second] = [valuesOf(one), valuesOf(other)]
  if (first !== undefined) return first.every((value) => !admits(other, value))
  if (second !== undefined) return second.every((value) => !admits(one, value))
  if (!isLiteral(one) || !isLiteral(other)) return false
  if (one.operator === 'null' && other.operator === 'null') return one.operand.value !== other.operand.value
  const bounds = [one, other].map(boundOf)
  const [low, high] = [bounds.find((bound) => bound?.side === 'low'), bounds.find((bound) => bound?.side === 'high')]
  if (low === undefined || high === undefined) return false
  const ordered = order(one.path.field, low.value, high.value)
  return ordered > 0 || (ordered === 0 && (low.open || high.open))
}

function isLiteral(part: Compare): part is Compare & { readonly operand: { readonly kind: 'literal' } } {
  return part.operand.kind === 'literal'
}

/** The only values that a comparison admits, `[null]` for an absent one; undefined where they cannot be counted. */
function valuesOf({ operator, operand, path }: Compare): readonly Json[] | undefined {
  if (operand.kind !== 'literal') return undefined
  const { value } = operand
  if (operator === 'null' && value === true) return [null]
  // One moment may be written in several ways.
  if (path.field.type.wire === 'timestamp') return undefined
  if (operator === 'eq') return [value]
  return operator === 'in' && Array.isArray(value) ? value : undefined
}

function admits(part: Compare, value: Json): boolean {
  if (part.operand.kind !== 'literal') return true
  const { operator, operand, path } = part
  const written = operand.value
  const list: readonly Json[] = Array.isArray(written) ? written : [written]
  if (operator === 'null') return (value === null) === written
  if (operator === 'ne' || operator === 'not_in') return !list.includes(value)
  if (operator === 'eq' || operator === 'in') return list.includes(value)
  const bound = boundOf(part)
  if (bound === undefined) return true
  if (value === null) return false
  const ordered = order(path.field, value, bound.value)
  if (Number.isNaN(ordered)) return true
  return bound.side === 'low'
    ? ordered > 0 || (ordered === 0 && !bound.open)
    : ordered < 0 || (ordered === 0 && !bound.open)
}

function boundOf({ operator, operand }: Compare) {
  if (operand.kind !== 'literal') return undefined
  const { value } = operand
  if (operator === 'gt' || operator === 'gte') return { side: 'low', value, open: operator === 'gt' } as const
  if (operator === 'lt' || operator === 'lte') return { side: 'high', value, open: operator === 'lt' } as const
  return undefined
}

/** Above 0 where the first value comes after the second; NaN where their texts do not say so. */
function order({ type }: Field, one: Json, other: Json): number {
  if (type.name === 'integer' || type.name === 'decimal') return Number(one) - Number(other)
  if (type.name === 'bigint') return Number(BigInt(String(one)) - BigInt(String(other)))
  if (type.wire !== 'date' || typeof one !== 'string' || typeof other !== 'string') return Number.NaN
  return one < other ? -1 : one > other ? 1 : 0
}

function shown({ operator, operand }: Compare): string {
  const value = operand.kind === 'literal' ? operand.value : undefined
  if (operator === 'null') return value === true ? 'absent' : 'there'
  return `${WORDS[operator] ?? operator} ${Array.isArray(value) ? value.join(', ') : String(value)}`.trim()
}

const WORDS: Readonly<Record<string, string>> = {
  eq: '',
  ne: 'other than',
  in: 'one of',
  not_in: 'none of',
  lt: 'below',
  lte: 'at most',
  gt: 'above',
  gte: 'at least',
}
