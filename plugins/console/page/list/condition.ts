/** A condition as people build it: comparisons, joined by all, any or none, in groups of groups. */
import { type Filter, isRecord, type Json, type RecordData } from '../client/catalog.ts'
import type { Condition } from '../client/screens.ts'

export interface Comparison {
  readonly name: string
  readonly operator: string
  /** As a field of a form has it; several values have commas between them. */
  readonly value: string
}

export interface Group {
  readonly join: 'all' | 'any' | 'none'
  readonly parts: readonly (Comparison | Group)[]
}

type Filters = Readonly<Record<string, Filter>>

export function isGroup(part: Comparison | Group): part is Group {
  return 'join' in part
}

/** The condition of a group as a list takes it; comparisons without a value are left out. */
export function conditionOf(group: Group, filters: Filters): Condition {
  const parts = group.parts.flatMap((part): Condition[] => {
    if (isGroup(part)) return part.parts.length === 0 ? [] : [conditionOf(part, filters)]
    return part.value === '' || filters[part.name] === undefined ? [] : [comparisonOf(part, filters[part.name]!)]
  })
  return group.join === 'none' ? { not: { any: parts } } : { [group.join]: parts }
}

/** A comparison as a condition. */
export function comparisonOf({ name, operator, value }: Comparison, { type }: Filter): Condition {
  if (operator === 'null') return { [name]: { null: value === 'true' } }
  const one = (text: string): Json => typedValue(text.trim(), type)
  if (operator === 'in' || operator === 'not_in' || operator === 'between')
    return { [name]: { [operator]: value.split(',').map(one) } }
  return { [name]: { [operator]: one(value) } }
}

const NUMBERS = new Set(['integer', 'count', 'float'])

function typedValue(text: string, type: string): Json {
  if (type === 'boolean') return text === 'true'
  return NUMBERS.has(type) && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The group that a condition of an address is; undefined where it says what cannot be built here. */
export function groupOf(condition: Json, filters: Filters): Group | undefined {
  if (!isRecord(condition)) return undefined
  const entries = Object.entries(condition)
  const [[key, value] = ['', null]] = entries
  if (entries.length === 1 && (key === 'all' || key === 'any')) return joined(key, value, filters)
  if (entries.length === 1 && key === 'not') {
    const inner = groupOf(value, filters)
    return inner === undefined || inner.join === 'none' ? undefined : noneOf(inner)
  }
  return joined('all', entries.map(([name, one]) => ({ [name]: one })) as readonly RecordData[], filters)
}

/** What holds unless the group does. */
function noneOf(inner: Group): Group {
  return { join: 'none', parts: inner.join === 'any' || inner.parts.length === 1 ? inner.parts : [inner] }
}

function joined(join: 'all' | 'any', parts: Json, filters: Filters): Group | undefined {
  if (!Array.isArray(parts)) return undefined
  const read = (parts as readonly Json[]).map((part) => partOf(part, filters))
  return read.includes(undefined) ? undefined : { join, parts: read as readonly (Comparison | Group)[] }
}

const JOINS = new Set(['all', 'any', 'not'])

function partOf(part: Json, filters: Filters): Comparison | Group | undefined {
  if (!isRecord(part)) return undefined
  const entries = Object.entries(part)
  const [[name, value] = ['', null]] = entries
  if (entries.length !== 1 || JOINS.has(name)) return groupOf(part, filters)
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
  if (filter === undefined) return undefined
  if (value === null) return { name, operator: 'null', value: 'true' }
  const [[operator, operand] = ['', null], ...others] = Object.entries(operatorIn(value))
  const text = operandText(operand)
  if (others.length > 0 || text === undefined || !filter.operators.includes(operator)) return undefined
  return { name, operator, value: text }
}

/** A value alone is one to be equal to, and a list of them one to be among. */
function operatorIn(value: Json): RecordData {
  if (isRecord(value)) return value
  return Array.isArray(value) ? { in: value } : { eq: value }
}

/** An operand as a field of a form has it; undefined where the field would read it as another one. */
function operandText(operand: Json): string | undefined {
  if (!Array.isArray(operand)) return operand === null || isRecord(operand) ? undefined : String(operand)
  const texts = operand.map((one: Json) => (one === null || typeof one === 'object' ? ',' : String(one)))
  return texts.some((one) => one.includes(',')) ? undefined : texts.join(',')
}

/** How deep groups may lie in each other. */
export const DEEPEST = 2
