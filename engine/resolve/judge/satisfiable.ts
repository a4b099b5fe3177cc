/** Filters that no record can fulfil, recognised by comparisons with values that are written out. */
import type { Field, FieldPath, Filter, WayPath } from '../../catalog/catalog.ts'
import { conjuncts, fold } from '../../filter/walk.ts'
import type { Json } from '../../json.ts'

/** A comparison of a filter. */
export type Comparison = Extract<Filter, { kind: 'compare' }>

/** Why no record can fulfil a filter, as a sentence; undefined where one might. */
export function neverHolds(filter: Filter): string | undefined {
  return judged(filter).never
}

/** Whether a filter asks for nothing. */
export function alwaysHolds(filter: Filter): boolean {
  return judged(filter).always
}

/** Whether every record fulfils a filter, by what its fields can hold; one that is empty, too. */
export function asksNothing(filter: Filter): boolean {
  return fold<FieldPath, WayPath, { readonly all: boolean; readonly one?: Comparison }>(filter, {
    compare: (part) => ({ all: isCertain(part), one: part }),
    related: () => ({ all: false }),
    not: () => ({ all: false }),
    and: (of) => ({ all: of.every(({ all }) => all) }),
    or: (of) => ({ all: of.some(({ all }) => all) || leavesNothing(of.flatMap(({ one }) => one ?? [])) }),
  }).all
}

/** Whether no value is none of these: the opposites of all cannot hold together. */
function leavesNothing(parts: readonly Comparison[]): boolean {
  const opposites = parts.flatMap((part) => opposite(part) ?? [])
  return contradiction(opposites) !== undefined || exhausted(opposites) !== undefined
}

/** The comparisons that must all hold, however they are nested. */
export function necessaryComparisons(filter: Filter): readonly Comparison[] {
  return conjuncts(filter).flatMap((part) => (part.kind === 'compare' ? [part] : []))
}

interface Judgement {
  readonly never: string | undefined
  readonly always: boolean
  /** The ways in which a record can fulfil it, each by comparisons that must all hold. */
  readonly ways: readonly (readonly Comparison[])[]
  /** The comparison that is all of it. */
  readonly one?: Comparison
}

/** More ways than these are not looked through. */
const MOST_WAYS = 64
/** Nothing is known of how a record fulfils it. */
const ANYHOW: Judgement['ways'] = [[]]

function judged(filter: Filter): Judgement {
  return fold<FieldPath, WayPath, Judgement>(filter, {
    compare: (part) => ({ never: impossible(part), always: false, ways: [[part]], one: part }),
    related: ({ count, of }) => ({
      never: count === undefined ? neverHolds(of) : undefined,
      always: false,
      ways: ANYHOW,
    }),
    not: ({ always, one }) => {
      const turned = one && opposite(one)
      return {
        never: always ? 'it is the opposite of a filter that every record fulfils' : undefined,
        always: false,
        ways: turned === undefined ? ANYHOW : [[turned]],
      }
    },
    and: (of) => {
      const ways = of.reduce<Judgement['ways']>((known, part) => together(known, part.ways), ANYHOW)
      const never = of.find((part) => part.never !== undefined)?.never ?? noWay(ways)
      return { never, always: of.every(({ always }) => always), ways }
    },
    or: (of) => ({
      never: of.every(({ never }) => never !== undefined) ? of[0]?.never : undefined,
      always: of.some(({ always }) => always),
      ways: of.flatMap(({ never, ways }) => (never === undefined ? ways : [])),
    }),
  })
}

/** Each way of one with each way of the other. */
function together(one: Judgement['ways'], other: Judgement['ways']): Judgement['ways'] {
  if (one.length * other.length > MOST_WAYS) return one.length <= MOST_WAYS ? one : ANYHOW
  return one.flatMap((way) => other.map((more) => [...way, ...more]))
}

/** Why none of these ways is possible. */
function noWay(ways: Judgement['ways']): string | undefined {
  const whys = ways.map((way) => contradiction(way) ?? exhausted(way))
  return whys.every((why) => why !== undefined) ? whys[0] : undefined
}

function impossible({ operator, operand, path: { field } }: Comparison): string | undefined {
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

/** The values that a field can have, `null` among them; undefined where they cannot be counted. */
function domainOf({ nullable, options: { own }, type }: Field): readonly Json[] | undefined {
  const words = type.wire === 'boolean' ? [true, false] : type.name === 'enum' ? (own.values as Json[]) : undefined
  return words && [...words, ...(nullable ? [null] : [])]
}

/** A field for which comparisons together admit no value. */
function exhausted(parts: readonly Comparison[]): string | undefined {
  for (const { path } of parts) {
    const about = parts.filter((other) => wayOf(other.path) === wayOf(path) && other.operand.kind === 'literal')
    // A path over a relation has no value where the relation has none.
    const values = path.relations.length === 0 ? domainOf(path.field) : undefined
    if (values?.every((value) => about.some((part) => !admits(part, value))))
      return `"${wayOf(path)}" has no other values`
  }
  return undefined
}

/** Whether every value that the field of the record itself can have fulfils a comparison. */
function isCertain(part: Comparison): boolean {
  const { operand, operator, path } = part
  const { field, relations } = path
  if (relations.length > 0 || operand.kind !== 'literal') return false
  const values = domainOf(field)
  if (Object.hasOwn(OPPOSITES, operator) && values?.every((value) => admits(part, value)) === true) return true
  if (operator === 'null') return operand.value === false && !field.nullable
  const { max, min } = field.options.own
  if (field.nullable) return false
  if (operator === 'gte' && typeof min === 'number') return order(field, min, operand.value) >= 0
  return operator === 'lte' && typeof max === 'number' && order(field, max, operand.value) <= 0
}

/** The opposite of a comparison, where another comparison says it. */
function opposite(part: Comparison): Comparison | undefined {
  const { operand, operator, path } = part
  if (operand.kind !== 'literal') return undefined
  if (operator === 'null') return { ...part, operand: { ...operand, value: operand.value !== true } }
  const ordered = ORDERS[operator]
  if (ordered !== undefined && (path.field.nullable || path.relations.length > 0)) return undefined
  const other = OPPOSITES[operator] ?? ordered
  return other && { ...part, operator: other }
}

const OPPOSITES: Readonly<Record<string, Comparison['operator']>> = { eq: 'ne', ne: 'eq', in: 'not_in', not_in: 'in' }
const ORDERS: Readonly<Record<string, Comparison['operator']>> = { lt: 'gte', gte: 'lt', gt: 'lte', lte: 'gt' }

/** Two comparisons of one value that cannot both hold. */
function contradiction(parts: readonly Comparison[]): string | undefined {
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
function exclude(one: Comparison, other: Comparison): boolean {
  const [first, second] = [valuesOf(one), valuesOf(other)]
  if (first !== undefined) return first.every((value) => !admits(other, value))
  if (second !== undefined) return second.every((value) => !admits(one, value))
  if (!isLiteral(one) || !isLiteral(other)) return compareTurned(one, other)
  if (one.operator === 'null' && other.operator === 'null') return one.operand.value !== other.operand.value
  const bounds = [one, other].map(boundOf)
  const [low, high] = [bounds.find((bound) => bound?.side === 'low'), bounds.find((bound) => bound?.side === 'high')]
  if (low === undefined || high === undefined) return false
  const ordered = order(one.path.field, low.value, high.value)
  return ordered > 0 || (ordered === 0 && (low.open || high.open))
}

/** Whether two comparisons of a value with one other value of the record leave nothing. */
function compareTurned(one: Comparison, other: Comparison): boolean {
  if (one.operand.kind !== 'record' || other.operand.kind !== 'record') return false
  if (wayOf(one.operand.path) !== wayOf(other.operand.path)) return false
  const [first, second] = [SIDES[one.operator] ?? '', SIDES[other.operator] ?? '']
  return first !== '' && second !== '' && ![...first].some((side) => second.includes(side))
}

/** How a value may lie to the other one, by the operator. */
const SIDES: Readonly<Record<string, string>> = { lt: '<', lte: '<=', eq: '=', gte: '=>', gt: '>', ne: '<>' }

function isLiteral(part: Comparison): part is Comparison & { readonly operand: { readonly kind: 'literal' } } {
  return part.operand.kind === 'literal'
}

/** The only values that a comparison admits, `[null]` for an absent one; undefined where they cannot be counted. */
function valuesOf({ operator, operand, path }: Comparison): readonly Json[] | undefined {
  if (operand.kind !== 'literal') return undefined
  const { value } = operand
  if (operator === 'null' && value === true) return [null]
  // One moment may be written in several ways.
  if (path.field.type.wire === 'timestamp') return undefined
  if (operator === 'eq') return [value]
  return operator === 'in' && Array.isArray(value) ? value : undefined
}

function admits(part: Comparison, value: Json): boolean {
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

function boundOf({ operator, operand }: Comparison) {
  if (operand.kind !== 'literal') return undefined
  const { value } = operand
  if (operator === 'gt' || operator === 'gte') return { side: 'low', value, open: operator === 'gt' } as const
  if (operator === 'lt' || operator === 'lte') return { side: 'high', value, open: operator === 'lt' } as const
  return undefined
}

/** Above 0 where the first value comes after the second; NaN where their texts do not say so. */
export function order({ type }: Field, one: Json, other: Json): number {
  if (type.name === 'integer' || type.name === 'decimal') return Number(one) - Number(other)
  if (type.name === 'bigint') return Number(BigInt(String(one)) - BigInt(String(other)))
  if (type.wire !== 'date' || typeof one !== 'string' || typeof other !== 'string') return Number.NaN
  return one < other ? -1 : one > other ? 1 : 0
}

function shown({ operator, operand }: Comparison): string {
  if (operand.kind === 'record') return `${WORDS[operator] ?? operator} "${wayOf(operand.path)}"`.trim()
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
