/** What a condition means, by the documentation alone: over records in memory, without SQL and without the engine. */
import type { Json, JsonObject } from '../../engine/json.ts'
import type { Row, Rows } from './rows.ts'
import type { Shape } from './shape.ts'

type Value = Json | undefined

interface Meaning {
  readonly shape: Shape
  readonly rows: Rows
  /** The record that `$record` means. */
  readonly record: At
  /** Whether the condition decides what somebody may do: over a deleted record nothing matches. */
  readonly decides: boolean
  readonly withDeleted: boolean
}

interface At {
  readonly resource: number
  readonly row: Row
}

/** Whether a condition holds of a record. */
export function holds(
  shape: Shape,
  rows: Rows,
  condition: JsonObject,
  resource: number,
  row: Row,
  decides: boolean,
): boolean {
  const record = { resource, row }
  return all(condition, record, { shape, rows, record, decides, withDeleted: false }, true)
}

/** Whether the parts of a map all hold; with `wanted` false, whether its opposite does. */
function all(condition: JsonObject, at: At, meaning: Meaning, wanted: boolean): boolean {
  const parts = Object.entries(condition).map(([key, value]) => part(key, value, at, meaning, wanted))
  return wanted ? parts.every(Boolean) : parts.some(Boolean)
}

function part(key: string, value: Json, at: At, meaning: Meaning, wanted: boolean): boolean {
  if (key === 'not') return all(value as JsonObject, at, meaning, !wanted)
  if (key === 'with_deleted') return all(value as JsonObject, at, { ...meaning, withDeleted: true }, wanted)
  if (key === 'any' || key === 'all') {
    const each = (value as JsonObject[]).map((one) => all(one, at, meaning, wanted))
    return (key === 'all') === wanted ? each.every(Boolean) : each.some(Boolean)
  }
  const path = key.split('.')
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  const word = isMap && ['some', 'none', 'every', 'count'].find((one) => one in value)
  if (word) return related(path, word, value as JsonObject, at, meaning, wanted)
  const written: JsonObject = isMap
    ? (value as JsonObject)
    : value === null
      ? { null: true }
      : Array.isArray(value)
        ? { in: value }
        : { eq: value }
  const each = Object.entries(written).map(([operator, operand]) =>
    compare(path, operator, operand, at, meaning, wanted),
  )
  return wanted ? each.every(Boolean) : each.some(Boolean)
}

/** Where relations to one record lead: a record, nowhere, or past a deleted one where that matches nothing. */
function follow(path: readonly string[], at: At, meaning: Meaning): At | 'absent' | 'closed' {
  let here = at
  for (const name of path) {
    const one = meaning.shape[here.resource]!.ones.find((relation) => relation.name === name)!
    const id = here.row.ones[name]
    if (id === null || id === undefined) return 'absent'
    const row = meaning.rows[one.target]![id - 1]!
    if (row.deleted && !meaning.withDeleted) return meaning.decides ? 'closed' : 'absent'
    here = { resource: one.target, row }
  }
  return here
}

function fieldOf(name: string, { row }: At): Value {
  return name === 'id' ? row.id : name in row.values ? row.values[name as keyof Row['values']] : row.ones[name]
}

function compare(path: readonly string[], operator: string, operand: Json, at: At, meaning: Meaning, wanted: boolean) {
  const end = follow(path.slice(0, -1), at, meaning)
  if (end === 'closed') return false
  const value = end === 'absent' ? null : fieldOf(path.at(-1)!, end)
  return matches(value ?? null, operator, operandOf(operand, meaning)) === wanted
}

function operandOf(operand: Json, meaning: Meaning): Json {
  if (typeof operand !== 'string' || !operand.startsWith('$record.')) return operand
  const path = operand.split('.').slice(1)
  const end = follow(path.slice(0, -1), meaning.record, meaning)
  return typeof end === 'string' ? null : (fieldOf(path.at(-1)!, end) ?? null)
}

/** Two-valued: a comparison with what is not there is false, and `ne` and `not_in` are its opposite. */
function matches(value: Json, operator: string, operand: Json): boolean {
  if (operator === 'null') return (value === null) === operand
  if (operator === 'ne') return !matches(value, 'eq', operand)
  if (operator === 'not_in') return !matches(value, 'in', operand)
  if (value === null || operand === null) return false
  const text = (one: Json): string => String(one).toLowerCase()
  switch (operator) {
    case 'eq':
      return order(value, operand) === 0
    case 'in':
      return (operand as Json[]).some((one) => order(value, one) === 0)
    case 'between':
      return order(value, (operand as Json[])[0]!) >= 0 && order(value, (operand as Json[])[1]!) <= 0
    case 'contains':
      return text(value).includes(text(operand))
    case 'starts_with':
      return text(value).startsWith(text(operand))
    case 'ends_with':
      return text(value).endsWith(text(operand))
    default:
      return ordered(order(value, operand), operator)
  }
}

function ordered(compared: number, operator: string): boolean {
  switch (operator) {
    case 'eq':
      return compared === 0
    case 'ne':
      return compared !== 0
    case 'lt':
      return compared < 0
    case 'lte':
      return compared <= 0
    case 'gt':
      return compared > 0
    default:
      return compared >= 0
  }
}

/** Numbers by their size, also where a text has them; all else by its signs. */
function order(one: Json, other: Json): number {
  const isNumber = (value: Json): boolean => /^\d+(\.\d+)?$/.test(String(value))
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other)
  return String(one) === String(other) ? 0 : String(one) < String(other) ? -1 : 1
}

function related(
  path: readonly string[],
  word: string,
  asked: JsonObject,
  at: At,
  meaning: Meaning,
  wanted: boolean,
): boolean {
  const end = follow(path.slice(0, -1), at, meaning)
  if (end === 'closed') return false
  const isNegation = word === 'none' || word === 'every'
  if (end === 'absent') return isNegation === wanted
  const records = members(path.at(-1)!, end, meaning)
  const inner = (asked[word === 'count' ? 'where' : word] ?? {}) as JsonObject
  const found = records.filter((record) => all(inner, record, meaning, true)).length
  if (word === 'some') return found > 0 === wanted
  if (word === 'none') return (found === 0) === wanted
  // All of them are so: there is none of which the opposite holds.
  if (word === 'every') return records.every((record) => !all(inner, record, meaning, false)) === wanted
  const [[operator = 'eq', number = 0] = []] = Object.entries(asked.count as JsonObject)
  return ordered(found - Number(number), operator) === wanted
}

/** The records that a relation leads to; deleted ones do not count, nor do those behind a deleted one. */
function members(name: string, { resource, row }: At, { rows, shape }: Meaning): readonly At[] {
  const { far, links, lists } = shape[resource]!
  const live = (target: number, ids: (one: Row) => boolean): readonly At[] =>
    rows[target]!.filter((one) => !one.deleted && ids(one)).map((one) => ({ resource: target, row: one }))
  const list = lists.find((one) => one.name === name)
  if (list !== undefined) return live(list.from, (one) => one.ones[list.by] === row.id)
  const link = links.find((one) => one.name === name)
  if (link !== undefined) return live(link.target, (one) => row.links[name]!.includes(one.id))
  const { between, by, from, through } = far.find((one) => one.name === name)!
  return live(from, (one) => {
    const next = one.ones[through]
    const middle = next === null || next === undefined ? undefined : rows[between]![next - 1]
    return middle !== undefined && !middle.deleted && middle.ones[by] === row.id
  })
}
