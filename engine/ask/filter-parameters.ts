/** Filter parameters of a query string, one at a time: `status_id=1,2`, `created_at[gte]=…`, ranges, and conditions to which an author gives a name. */
import type { Field, FieldPath, Filter, FilterPath, ManyPath, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { OPERATORS, type Operator } from '../field/field-type.ts'
import type { FieldErrorCode } from '../field-error.ts'
import type { SlotOperand } from '../filter/filter.ts'
import { comparand } from '../filter/sql.ts'
import { mapLeaves } from '../filter/walk.ts'
import type { Json } from '../json.ts'
import { TEXTUAL } from '../plan/plan.ts'
import { itemsOf } from '../text/listed.ts'
import { type Asker, amongMany, isAskable, isManyAskable, overPath } from './askable.ts'
import { filterable, readable } from './policy.ts'

/** What parameters are read for, and where their values and complaints go. */
export interface FilterReader extends Asker {
  readonly resource: Resource
  /** How sentences begin that are about the value of a parameter. */
  readonly subject: (parameter: string) => string
  /** How many values a parameter may have. */
  readonly longestList: number
  /** Takes a complaint about a parameter. */
  readonly refuse: (parameter: string, code: FieldErrorCode, sentence: string) => void
  /** The values of the request, `v0`, `v1` … in the order in which filters name them. */
  readonly slots: Record<string, unknown>
}

/** The meaning of a parameter: a condition with a name, one end of a range, or a comparison of a path. */
export type KnownFilter =
  | { readonly kind: 'special'; readonly values: ReadonlyMap<string, Filter> }
  | { readonly kind: 'range'; readonly field: Field }
  | { readonly kind: 'path'; readonly path: FilterPath }

/** The filter of a name that the caller may use, whatever its operator; undefined when the resource has none. */
export function knownFilter(reader: FilterReader, parameter: string): KnownFilter | undefined {
  const { resource, actor } = reader
  const special = resource.specials.get(parameter)
  if (special !== undefined) {
    const values = askedWords(reader, resource, special.values)
    return values.size === 0 ? undefined : { kind: 'special', values }
  }
  const field = resource.ranges.get(/^(.+)_(?:from|to)$/.exec(parameter)?.[1] ?? '')
  if (field !== undefined && readable(field, actor)) return { kind: 'range', field }
  const path = resource.filters.get(partsOf(parameter).name)
  return path !== undefined && isKnownPath(reader, path) ? { kind: 'path', path } : undefined
}

/** The name of a filter and the operator that a parameter has in brackets. */
function partsOf(parameter: string): { readonly name: string; readonly written: string | undefined } {
  const [, name = '', written] = /^([^[\]]+)(?:\[(\w+)\])?$/.exec(parameter) ?? []
  return { name, written }
}

/** Whether the plain parameter of a filter takes several values with commas: in texts other than ids a comma is part of the value. */
export function takesSeveral({ key }: Pick<Resource, 'key'>, field: Field): boolean {
  const { operators } = field.type
  return operators.includes('in') && (field === key || !TEXTUAL.every((operator) => operators.includes(operator)))
}

/** Whether the text of a parameter is a list of values. */
export function isListed(resource: Pick<Resource, 'filters' | 'key'>, parameter: string): boolean {
  const { name, written } = partsOf(parameter)
  const path = resource.filters.get(name)
  if (written !== undefined) return written === 'in' || written === 'not_in' || written === 'between'
  return path !== undefined && takesSeveral(resource, path.field)
}

/** Whether the caller may filter a list by a path that its resource declares. */
export function isKnownPath(reader: Pick<FilterReader, 'actor' | 'catalog' | 'resource'>, path: FilterPath): boolean {
  return isOwn(path) ? filterable(path, reader.actor) : isAskable(reader, reader.resource, path)
}

function isOwn({ relations, through }: FilterPath): boolean {
  return relations.length === 0 && through === undefined
}

/** The filter that a known parameter is with all its values, none of them empty; undefined when it was refused. */
export function readFilter(
  reader: FilterReader,
  parameter: string,
  known: KnownFilter,
  texts: readonly [string, ...string[]],
): Filter | undefined {
  if (known.kind === 'path') return readComparison(reader, parameter, texts, known.path)
  if (texts.length > 1) {
    reader.refuse(parameter, 'given_twice', givenTwice(parameter))
    return undefined
  }
  if (known.kind === 'range') return readRange(reader, parameter, texts[0], known.field)
  return readSpecial(reader, parameter, texts[0], known.values)
}

/** The refusal of a second value. */
export function givenTwice(parameter: string): string {
  return `The ${parameter} parameter was given twice and takes one value`
}

function readSpecial(
  { refuse }: FilterReader,
  parameter: string,
  text: string,
  values: ReadonlyMap<string, Filter>,
): Filter | undefined {
  const filter = values.get(text)
  if (filter === undefined)
    refuse(parameter, 'not_allowed', `The ${parameter} parameter must be one of: ${[...values.keys()].join(', ')}`)
  return filter
}

function readRange(reader: FilterReader, parameter: string, text: string, field: Field): Filter | undefined {
  const from = parameter.endsWith('_from')
  const path: FieldPath = { relations: [], field }
  if (field.type.day === undefined) {
    const value = decodedValue(reader, parameter, text, field)
    return value === undefined ? undefined : compareWith(reader, path, from ? 'gte' : 'lte', value)
  }
  const day = field.type.day(text)
  if (day !== undefined)
    return from ? compareWith(reader, path, 'gte', day.from) : compareWith(reader, path, 'lt', day.before)
  reader.refuse(parameter, 'wrong_format', `The ${parameter} parameter must be a day, YYYY-MM-DD`)
  return undefined
}

function readComparison(
  reader: FilterReader,
  parameter: string,
  texts: readonly [string, ...string[]],
  path: FilterPath,
): Filter | undefined {
  const { written } = partsOf(parameter)
  const { operators } = path.field.type
  const refuse = (code: FieldErrorCode, sentence: string): undefined => void reader.refuse(parameter, code, sentence)
  if (written !== undefined && !(OPERATORS as readonly string[]).includes(written))
    return refuse('unknown_operator', `Unknown operator "${written}"; allowed here: ${operators.join(', ')}`)
  const given = isListed(reader.resource, parameter) ? texts.flatMap(itemsOf) : texts
  const implied = given.length > 1 && operators.includes('in') ? 'in' : operators.includes('eq') ? 'eq' : 'contains'
  const operator = (written ?? implied) as Operator
  if (operator === 'in' || operator === 'not_in') {
    const words = given.map((word) => word.trim()).filter((word) => word !== '')
    return compared(reader, parameter, words, path, operator)
  }
  if (texts.length > 1) return refuse('given_twice', givenTwice(parameter))
  if (operator !== 'between' || given.length === 2) return compared(reader, parameter, given, path, operator)
  return refuse('invalid', `${reader.subject(parameter)} takes two values with a comma between them`)
}

/** A comparison with values that are written as texts: two for `between`, any number for `in` and `not_in`, else one. */
export function compared(
  reader: FilterReader,
  parameter: string,
  texts: readonly string[],
  path: FilterPath,
  operator: Operator,
): Filter | undefined {
  const { operators } = path.field.type
  if (!operators.includes(operator)) {
    reader.refuse(
      parameter,
      'unknown_operator',
      `The operator "${operator}" does not go with this field; allowed: ${operators.join(', ')}`,
    )
    return undefined
  }
  const comparison = (at: FieldPath): Filter | undefined => {
    if (operator === 'in' || operator === 'not_in') return anyOf(reader, parameter, texts, at, operator)
    const [text = '', end = ''] = texts
    return operator === 'between'
      ? between(reader, parameter, [text, end], at)
      : comparisonOf(reader, parameter, text, at, operator)
  }
  const absent = operator === 'ne' || operator === 'not_in' || (operator === 'null' && wantsAbsence(texts[0]) === true)
  return isOwn(path) ? comparison(path) : overPath(reader, reader.resource, path, absent, comparison)
}

function comparisonOf(
  reader: FilterReader,
  parameter: string,
  text: string,
  path: FieldPath,
  operator: Operator,
): Filter | undefined {
  const { field } = path
  if (operator === 'null') return absence(reader, parameter, text, path)
  if (TEXTUAL.includes(operator) && field.type.wire !== 'json') {
    const wanted = textOf(reader, parameter, text)
    return wanted === undefined ? undefined : compareWith(reader, path, operator, comparand(operator, wanted))
  }
  const day = TEXTUAL.includes(operator) ? undefined : field.type.day?.(text)
  if (day !== undefined) return onDay(reader, path, operator, day)
  const value = decodedValue(reader, parameter, text, field)
  if (value === undefined) return undefined
  const stored = field.type.wire === 'json' ? 'json' : 'scalar'
  return compareWith(reader, path, operator, comparand(operator, value, stored))
}

function wantsAbsence(text = ''): boolean | undefined {
  return /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined
}

function absence(reader: FilterReader, parameter: string, text: string, path: FieldPath): Filter | undefined {
  const wanted = wantsAbsence(text)
  if (wanted !== undefined)
    return { kind: 'compare', path, operator: 'null', operand: { kind: 'literal', value: wanted } }
  reader.refuse(parameter, 'wrong_type', `${reader.subject(parameter)} must be true or false`)
  return undefined
}

function between(
  reader: FilterReader,
  parameter: string,
  [from, to]: readonly [string, string],
  path: FieldPath,
): Filter | undefined {
  const low = comparisonOf(reader, parameter, from, path, 'gte')
  const high = comparisonOf(reader, parameter, to, path, 'lte')
  return low === undefined || high === undefined ? undefined : { kind: 'and', of: [low, high] }
}

/** A plain day means all of it, so each operator takes the end of the day that keeps its meaning. */
function onDay(
  reader: FilterReader,
  path: FieldPath,
  operator: Operator,
  { from, before }: { from: string; before: string },
): Filter {
  if (operator === 'gte') return compareWith(reader, path, 'gte', from)
  if (operator === 'gt') return compareWith(reader, path, 'gte', before)
  if (operator === 'lt') return compareWith(reader, path, 'lt', from)
  if (operator === 'lte') return compareWith(reader, path, 'lt', before)
  const during: Filter = {
    kind: 'and',
    of: [compareWith(reader, path, 'gte', from), compareWith(reader, path, 'lt', before)],
  }
  return operator === 'ne' ? { kind: 'not', of: during } : during
}

function anyOf(
  reader: FilterReader,
  parameter: string,
  words: readonly string[],
  path: FieldPath,
  operator: 'in' | 'not_in',
): Filter | undefined {
  if (words.length > reader.longestList) {
    reader.refuse(parameter, 'too_many', `${reader.subject(parameter)} takes at most ${reader.longestList} values`)
    return undefined
  }
  if (path.field.type.day === undefined) {
    const values = words.map((word) => decodedValue(reader, parameter, word, path.field))
    return values.includes(undefined) ? undefined : compareWith(reader, path, operator, values as Json[])
  }
  // Each word may be a day or a moment, so each is a condition of its own.
  const filters = words.map((word) => comparisonOf(reader, parameter, word, path, 'eq'))
  if (filters.includes(undefined)) return undefined
  const any: Filter = { kind: 'or', of: filters as Filter[] }
  return operator === 'in' ? any : { kind: 'not', of: any }
}

function decodedValue(
  { refuse, subject }: FilterReader,
  parameter: string,
  text: string,
  field: Field,
): Json | undefined {
  const decoded = field.type.parse(text, field.options)
  if ('value' in decoded) return decoded.value
  refuse(parameter, decoded.code ?? 'invalid', `${subject(parameter)} ${decoded.error}`)
  return undefined
}

function textOf({ refuse, subject }: FilterReader, parameter: string, text: string): string | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return text
  refuse(parameter, 'not_text', `${subject(parameter)} must be well-formed text without NUL`)
  return undefined
}

/** A comparison with the next value of the request. */
function compareWith(reader: FilterReader, path: FieldPath, operator: Operator, value: Json): Filter {
  return { kind: 'compare', path, operator, operand: nextSlot(reader, value) }
}

/** A value of the request, in a slot of its own. */
export function nextSlot({ slots }: Pick<FilterReader, 'slots'>, value: Json): SlotOperand {
  const index = Object.keys(slots).length
  slots[`v${index}`] = value
  return { kind: 'slot', index }
}

/** The words of a parameter that the caller may ask for, each with what it means to this caller; none where it may ask for none. */
export function askedWords(
  asker: Asker,
  resource: Resource,
  words: ReadonlyMap<string, Filter>,
): ReadonlyMap<string, Filter> {
  const asked = [...words].flatMap(([word, filter]): [string, Filter][] => {
    const of = askedBy(asker, resource, filter)
    return of === undefined ? [] : [[word, of]]
  })
  return new Map(asked)
}

/** A condition as the caller asks it of records of `resource`; undefined where it compares what the caller may not read. */
function askedBy(asker: Asker, resource: Resource, filter: Filter): Filter | undefined {
  return mapLeaves(filter, (leaf): Filter | undefined => {
    if (leaf.kind === 'compare')
      return isAskable(asker, resource, leaf.path)
        ? overPath(asker, resource, leaf.path, holdsForAbsent(leaf), (path) => ({ ...leaf, path }))
        : undefined
    const { relations, many } = leaf.path
    if (many.kind === 'belongs_to' || !isManyAskableAt(asker, resource, { relations, many })) return undefined
    const of = askedBy(asker, targetOf(asker.catalog, many), leaf.of)
    return of && amongMany(asker, { relations, many }, of, leaf.count)
  })
}

/** Whether the comparison is true of a value that is not there. */
function holdsForAbsent({ operand, operator }: Extract<Filter, { kind: 'compare' }>): boolean {
  if (operator === 'null') return operand.kind === 'literal' && operand.value === true
  return operator === 'ne' || operator === 'not_in'
}

function isManyAskableAt(asker: Asker, from: Resource, { relations, many }: ManyPath): boolean {
  const last = relations.at(-1)
  const at = last === undefined ? from : targetOf(asker.catalog, last)
  const way: FilterPath = { relations, field: at.key }
  return (
    (last === undefined || isAskable(asker, from, way)) &&
    relations.every(({ field }) => readable(field, asker.actor)) &&
    isManyAskable(asker, at, many)
  )
}
