/** Filter parameters of a query string, one at a time: `status_id=1,2`, `created_at[gte]=…`, ranges and special filters. */
import type { Actor } from '../actor.ts'
import type { Field, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { OPERATORS, type Operator } from '../field/field-type.ts'
import { comparand } from '../filter/to-sql.ts'
import type { Json } from '../json.ts'
import { filterable, readable } from './scope.ts'

const TEXTUAL: readonly Operator[] = ['contains', 'starts_with', 'ends_with']

/** The conditions of one request as they are collected: filters over slots, the slots' values, a key of their shape. */
export interface FilterTerms {
  readonly resource: Resource
  readonly actor: Actor
  readonly longestList: number
  readonly refuse: (parameter: string, sentence: string) => void
  readonly filters: Filter[]
  readonly slots: Record<string, unknown>
  /** Whether the best plan depends on the values, so that the statement must not be planned once for all. */
  adhoc: boolean
  key: string
}

/** Terms of a request that has named none yet; `refuse` takes complaints, keyed by parameter. */
export function noTerms(
  resource: Resource,
  actor: Actor,
  longestList: number,
  refuse: FilterTerms['refuse'],
): FilterTerms {
  return { resource, actor, longestList, refuse, filters: [], slots: {}, adhoc: false, key: '' }
}

/** Whether the resource has a filter of the name that the caller may use, whatever its operator. */
export function knowsTerm(terms: FilterTerms, parameter: string): boolean {
  return (
    terms.resource.specials.has(parameter) ||
    rangeOf(terms, parameter) !== undefined ||
    pathOf(terms, parameter) !== undefined
  )
}

/** Reads one parameter with all its values, none of them empty; false when this resource knows none of the name. */
export function readTerm(terms: FilterTerms, parameter: string, texts: readonly string[]): boolean {
  const [text = '', second] = texts
  const special = terms.resource.specials.get(parameter)
  const ranged = special === undefined ? rangeOf(terms, parameter) : undefined
  if (special !== undefined || ranged !== undefined) {
    if (second !== undefined) terms.refuse(parameter, givenTwice(parameter))
    else if (special !== undefined) readSpecial(terms, parameter, text, special.values)
    else if (ranged !== undefined) readRange(terms, parameter, text, ranged)
    return true
  }
  const path = pathOf(terms, parameter)
  if (path === undefined) return false
  readComparison(terms, parameter, texts, path, /\[(\w+)\]$/.exec(parameter)?.[1])
  return true
}

/** The refusal of a second value. */
export function givenTwice(parameter: string): string {
  return `The ${parameter} parameter was given twice and takes one value`
}

function rangeOf({ resource, actor }: FilterTerms, parameter: string): Field | undefined {
  const field = resource.ranges.get(/^(.+)_(?:from|to)$/.exec(parameter)?.[1] ?? '')
  return field !== undefined && readable(field, actor) ? field : undefined
}

function pathOf({ resource, actor }: FilterTerms, parameter: string): FieldPath | undefined {
  const path = resource.filters.get(/^([^[\]]+)(?:\[\w+\])?$/.exec(parameter)?.[1] ?? '')
  return path !== undefined && filterable(path, actor) ? path : undefined
}

function readSpecial(terms: FilterTerms, parameter: string, text: string, values: ReadonlyMap<string, Filter>): void {
  const filter = values.get(text)
  if (filter === undefined)
    terms.refuse(parameter, `The ${parameter} parameter must be one of: ${[...values.keys()].join(', ')}`)
  else addTerm(terms, filter, `${parameter}=${text}`)
}

function readRange(terms: FilterTerms, parameter: string, text: string, field: Field): void {
  const end = parameter.endsWith('_from') ? 'from' : 'to'
  const path: FieldPath = { relations: [], field }
  const day = field.type.day?.(text)
  if (field.type.day !== undefined && day === undefined)
    terms.refuse(parameter, `The ${parameter} parameter must be a day, YYYY-MM-DD`)
  else if (day !== undefined) {
    addTerm(
      terms,
      end === 'from' ? compareWith(terms, path, 'gte', day.from) : compareWith(terms, path, 'lt', day.before),
      parameter,
    )
  } else {
    const value = decodedValue(terms, parameter, text, field)
    if (value !== undefined) addTerm(terms, compareWith(terms, path, end === 'from' ? 'gte' : 'lte', value), parameter)
  }
}

function readComparison(
  terms: FilterTerms,
  parameter: string,
  texts: readonly string[],
  path: FieldPath,
  written: string | undefined,
): void {
  const { type } = path.field
  if (written !== undefined && !(OPERATORS as readonly string[]).includes(written)) {
    terms.refuse(parameter, `Unknown operator "${written}"; allowed here: ${type.operators.join(', ')}`)
    return
  }
  const [text = ''] = texts
  // A text may hold commas itself, so only repeated parameters give it several values.
  const parted = !TEXTUAL.every((word) => type.operators.includes(word))
  const several = texts.length > 1 || (parted && text.includes(','))
  const listed = written === undefined && several && type.operators.includes('in')
  const operator = (written ?? (listed ? 'in' : type.operators.includes('eq') ? 'eq' : 'contains')) as Operator
  if (!type.operators.includes(operator)) {
    terms.refuse(
      parameter,
      `The operator "${operator}" does not go with this field; allowed: ${type.operators.join(', ')}`,
    )
    return
  }
  const any = operator === 'in' || operator === 'not_in'
  if (texts.length > 1 && !any) {
    terms.refuse(parameter, givenTwice(parameter))
    return
  }
  const words = listed && !parted ? texts : texts.flatMap((one) => one.split(','))
  const filter = any
    ? anyOf(terms, parameter, words, path, operator)
    : comparisonOf(terms, parameter, text, path, operator)
  if (filter === undefined) return
  if (TEXTUAL.includes(operator)) terms.adhoc = true
  addTerm(terms, filter, (parameter.split('[', 1)[0] ?? '') + operator)
}

function comparisonOf(
  terms: FilterTerms,
  parameter: string,
  text: string,
  path: FieldPath,
  operator: Operator,
): Filter | undefined {
  const { field } = path
  if (operator === 'null') {
    const wanted = /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined
    if (wanted === undefined) terms.refuse(parameter, `The ${parameter} parameter must be true or false`)
    else terms.key += String(wanted)
    return wanted === undefined
      ? undefined
      : { kind: 'compare', path, operator, operand: { kind: 'literal', value: wanted } }
  }
  if (operator === 'between') {
    const ends = text.split(',')
    if (ends.length !== 2) {
      terms.refuse(parameter, `The ${parameter} parameter takes two values with a comma between them`)
      return undefined
    }
    const low = comparisonOf(terms, parameter, ends[0]!, path, 'gte')
    const high = comparisonOf(terms, parameter, ends[1]!, path, 'lte')
    return low === undefined || high === undefined ? undefined : { kind: 'and', of: [low, high] }
  }
  const day = TEXTUAL.includes(operator) ? undefined : field.type.day?.(text)
  if (day !== undefined) return onDay(terms, path, operator, day)
  // Days and moments of one list give conditions of different shapes.
  if (field.type.day !== undefined) terms.key += 'm'
  const value =
    TEXTUAL.includes(operator) && field.type.wire !== 'json'
      ? textOf(terms, parameter, text)
      : decodedValue(terms, parameter, text, field)
  if (value === undefined) return undefined
  return compareWith(terms, path, operator, comparand(operator, value, field.type.wire === 'json' ? 'json' : 'scalar'))
}

/** A plain day means all of it, so each operator takes the end of the day that keeps its meaning. */
function onDay(
  terms: FilterTerms,
  path: FieldPath,
  operator: Operator,
  { from, before }: { from: string; before: string },
): Filter {
  terms.key += 'd'
  if (operator === 'gte') return compareWith(terms, path, 'gte', from)
  if (operator === 'gt') return compareWith(terms, path, 'gte', before)
  if (operator === 'lt') return compareWith(terms, path, 'lt', from)
  if (operator === 'lte') return compareWith(terms, path, 'lt', before)
  const during: Filter = {
    kind: 'and',
    of: [compareWith(terms, path, 'gte', from), compareWith(terms, path, 'lt', before)],
  }
  return operator === 'ne' ? { kind: 'not', of: during } : during
}

function anyOf(
  terms: FilterTerms,
  parameter: string,
  given: readonly string[],
  path: FieldPath,
  operator: 'in' | 'not_in',
): Filter | undefined {
  const words = given.map((word) => word.trim()).filter((word) => word !== '')
  if (words.length > terms.longestList) {
    terms.refuse(parameter, `The ${parameter} parameter takes at most ${terms.longestList} values`)
    return undefined
  }
  if (path.field.type.day !== undefined) {
    terms.key += String(words.length)
    const filters = words.map((word) => comparisonOf(terms, parameter, word, path, 'eq'))
    if (filters.some((filter) => filter === undefined)) return undefined
    const any: Filter = { kind: 'or', of: filters.filter((filter) => filter !== undefined) }
    return operator === 'in' ? any : { kind: 'not', of: any }
  }
  const values = words.map((word) => decodedValue(terms, parameter, word, path.field))
  return values.includes(undefined) ? undefined : compareWith(terms, path, operator, values as Json[])
}

function decodedValue(terms: FilterTerms, parameter: string, text: string, field: Field): Json | undefined {
  const decoded = field.type.parse(text, field.options)
  if ('value' in decoded) return decoded.value
  terms.refuse(parameter, `The ${parameter} parameter ${decoded.error}`)
  return undefined
}

function textOf(terms: FilterTerms, parameter: string, text: string): string | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return text
  terms.refuse(parameter, `The ${parameter} parameter must be well-formed text without NUL`)
  return undefined
}

function compareWith(terms: FilterTerms, path: FieldPath, operator: Operator, value: Json): Filter {
  const index = Object.keys(terms.slots).length
  terms.slots[`v${index}`] = value
  return { kind: 'compare', path, operator, operand: { kind: 'slot', index } }
}

function addTerm(terms: FilterTerms, filter: Filter, shape: string): void {
  terms.filters.push(filter)
  terms.key += `&${shape}`
}
