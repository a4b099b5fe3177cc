/** Filters as authors write them in YAML, and callers in JSON: a map is AND, a key is a path, a value is a scalar, a list, null or operators. */

import { OPERATORS, type Operator } from '../field/field-type.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { ourHint } from '../text/synonyms.ts'
import type { CountOperator, FilterOf, Operand, RecordOperand } from './filter.ts'
import { leaves, mapLeaves } from './walk.ts'

/** The forms a variable may have, for `expected`. */
export const OPERAND_VARIABLES: readonly string[] = ['$actor', '$actor.<attribute>', '$now', '$today']

const RECORD_VARIABLES: readonly string[] = ['$record.<field>', '$before.<field>']

/** A variable (`$actor`, `$actor.team_id`, `$now`, `$today`) or a literal; undefined for an unknown variable. */
export function parseOperand(value: Json): Operand | undefined {
  if (typeof value !== 'string' || !value.startsWith('$')) return { kind: 'literal', value }
  if (value === '$now') return { kind: 'now' }
  if (value === '$today') return { kind: 'today' }
  if (value === '$actor') return { kind: 'actor', attribute: undefined }
  const attribute = /^\$actor\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1]
  return attribute === undefined ? undefined : { kind: 'actor', attribute }
}

/** `$record.category` or `$before.status.name`: the segments of its path; undefined for anything else. */
export function parseRecordOperand(value: Json): RecordOperand<readonly string[]> | undefined {
  if (typeof value !== 'string') return undefined
  const [, kind, path] = /^\$(record|before)\.([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/.exec(value) ?? []
  if (path === undefined) return undefined
  return { kind: kind === 'record' ? 'record' : 'before', path: path.split('.') }
}

/** A written path that knows its place inside the definition it was read from. */
export interface PlacedPath extends ReadonlyArray<string> {
  readonly where: readonly (string | number)[]
}

/** What is wrong with a filter: a diagnostic whose place is still a path inside the definition. */
interface FilterProblem {
  readonly code: 'invalid_filter' | 'unknown_operator'
  readonly message: string
  /** What it means to programs that sent the filter; `invalid` if absent. */
  readonly fault?: FieldErrorCode
  readonly at: readonly (string | number)[]
  readonly part: 'key' | 'value'
  readonly expected?: readonly string[]
  readonly hint?: string
}

export interface ParsedFilter {
  /** Absent when there are problems. */
  readonly filter?: FilterOf<PlacedPath>
  readonly problems: readonly FilterProblem[]
}

/** Keys of a filter that are no paths, so that no field or relation can have such a name. */
export const CONNECTIVES = ['any', 'all', 'not', 'with_deleted'] as const
/** Words that ask for the records that a relation leads to. */
const QUANTIFIERS = ['some', 'none', 'every', 'count'] as const
const PATTERNS: ReadonlySet<Operator> = new Set(['contains', 'starts_with', 'ends_with'])
const ORDERED: ReadonlySet<Operator> = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'])
const SEGMENT = /^[A-Za-z_][A-Za-z0-9_]*$/

/** How a filter is read: by an author's rules, or by those of requests. */
export interface Reading {
  /** Conditions, values of a list, and filters within filters, at most. */
  readonly terms: number
  readonly values: number
  readonly depth: number
  /** A text that is no variable is itself, also in a list, and nothing is asked of deleted records or of `$record`. */
  readonly request: boolean
}

export const OF_AUTHORS: Reading = {
  terms: LIMITS.filterTerms,
  values: LIMITS.valuesPerList,
  depth: Number.POSITIVE_INFINITY,
  request: false,
}

interface State {
  readonly reading: Reading
  readonly problems: FilterProblem[]
  terms: number
  depth: number
}

/**
 * Reads one filter definition; never throws.
 *
 *     parseFilter({ 'role.slug': { ne: 'customer' } }).filter
 *     // → { kind: 'compare', path: ['role', 'slug'], operator: 'ne', operand: { kind: 'literal', value: 'customer' } }
 */
export function parseFilter(definition: Json, reading: Reading = OF_AUTHORS): ParsedFilter {
  const state: State = { reading, problems: [], terms: 0, depth: 0 }
  const filter = parseMap(definition, [], state)
  if (state.terms > reading.terms) {
    state.problems.push({
      code: 'invalid_filter',
      message: `A filter has at most ${reading.terms} conditions; this one has ${state.terms}`,
      fault: 'too_many',
      at: [],
      part: 'value',
    })
  }
  const { problems } = state
  return problems.length > 0 ? { problems } : { filter, problems }
}

function parseMap(value: Json, at: PlacedPath['where'], state: State): FilterOf<PlacedPath> {
  if (!isObject(value)) {
    state.problems.push({
      code: 'invalid_filter',
      message: 'A filter is a map of conditions',
      at,
      part: 'value',
      expected: ['{ field: value }', '{ any: [ … ] }'],
    })
    return { kind: 'and', of: [] }
  }
  if (state.depth === state.reading.depth) {
    const message = `Filters stand within filters at most ${state.reading.depth} deep`
    state.problems.push({ code: 'invalid_filter', message, at, part: 'value' })
    return { kind: 'and', of: [] }
  }
  const entries = Object.entries(value)
  // A map without conditions is one too, or there could be any number of them.
  if (entries.length === 0) state.terms += 1
  state.depth += 1
  const of = entries.map(([key, entry]) => parseEntry(key, entry, [...at, key], state))
  state.depth -= 1
  return of.length === 1 ? of[0]! : { kind: 'and', of }
}

function parseEntry(key: string, value: Json, at: PlacedPath['where'], state: State): FilterOf<PlacedPath> {
  if (key === 'not') return { kind: 'not', of: parseMap(value, at, state) }
  if (key === 'with_deleted' && !state.reading.request) return parseWithDeleted(value, at, state)
  if (key === 'any' || key === 'all') {
    if (!Array.isArray(value) || value.length === 0) {
      state.problems.push({
        code: 'invalid_filter',
        message: `"${key}" takes a list of filters`,
        at,
        part: 'value',
        expected: [`${key}: [{ … }, { … }]`],
      })
      return { kind: 'and', of: [] }
    }
    const of = value.map((part: Json, index: number) => parseMap(part, [...at, index], state))
    return { kind: key === 'any' ? 'or' : 'and', of }
  }
  const segments = key.split('.')
  if (!segments.every((segment) => SEGMENT.test(segment))) {
    state.problems.push({
      code: 'invalid_filter',
      message: `"${key}" is not a path`,
      at,
      part: 'key',
      expected: ['field', 'relation.field', ...CONNECTIVES],
    })
    return { kind: 'and', of: [] }
  }
  return parseComparisons(Object.assign(segments, { where: at }), value, state)
}

function parseWithDeleted(value: Json, at: PlacedPath['where'], state: State): FilterOf<PlacedPath> {
  const before = state.problems.length
  const inner = parseMap(value, at, state)
  if (!followsRelation(inner) && state.problems.length === before) {
    state.problems.push({
      code: 'invalid_filter',
      message: 'Nothing in this "with_deleted" follows a relation',
      at,
      part: 'key',
      expected: ['with_deleted: { relation.field: value }'],
      hint: 'leave "with_deleted" out: it is about the records that paths lead through',
    })
  }
  return countingDeleted(inner)
}

function followsRelation(filter: FilterOf<PlacedPath>): boolean {
  return leaves(filter).some(({ kind, path }) => kind === 'related' || path.length > 1)
}

function countingDeleted(filter: FilterOf<PlacedPath>): FilterOf<PlacedPath> {
  return mapLeaves(filter, (leaf) => ({
    ...leaf,
    withDeleted: true,
    ...(leaf.kind === 'related' && { of: countingDeleted(leaf.of) }),
  }))!
}

function parseComparisons(path: PlacedPath, value: Json, state: State): FilterOf<PlacedPath> {
  if (value === null) return compare(path, 'null', true, path.where, state)
  if (Array.isArray(value)) return compare(path, 'in', value, path.where, state)
  if (!isObject(value)) return compare(path, 'eq', value, path.where, state)
  if (QUANTIFIERS.some((word) => Object.hasOwn(value, word))) return parseRelated(path, value, state)
  const entries = Object.entries(value)
  if (entries.length === 0) {
    state.problems.push({
      code: 'invalid_filter',
      message: `"${path.join('.')}" names no operator`,
      at: path.where,
      part: 'value',
      expected: OPERATORS,
    })
  }
  const of = entries.map(([word, operand]): FilterOf<PlacedPath> => {
    const at = [...path.where, word]
    if (isOperator(word)) return compare(path, word, operand, at, state)
    state.problems.push({
      code: 'unknown_operator',
      message: `Unknown operator "${word}"`,
      fault: 'unknown_operator',
      at,
      part: 'key',
      expected: OPERATORS,
      ...ourHint(word, OPERATORS),
    })
    return { kind: 'and', of: [] }
  })
  return of.length === 1 ? of[0]! : { kind: 'and', of }
}

/** `{ lines: { some: { … } } }`, `none`, `every`, and `{ count: { lte: 10 }, where: { … } }`. */
function parseRelated(path: PlacedPath, value: JsonObject, state: State): FilterOf<PlacedPath> {
  state.terms += 1
  const refuse = (message: string, at: PlacedPath['where'], part: 'key' | 'value', expected: readonly string[]) => {
    state.problems.push({ code: 'invalid_filter', message, at, part, expected })
    return { kind: 'and', of: [] } as const
  }
  const word = QUANTIFIERS.find((one) => Object.hasOwn(value, one))!
  const at = [...path.where, word]
  const other = Object.keys(value).find((one) => one !== word && !(word === 'count' && one === 'where'))
  if (other !== undefined)
    return refuse(
      `"${other}" does not go with "${word}"`,
      [...path.where, other],
      'key',
      word === 'count' ? ['count', 'where'] : [word],
    )
  const related = (of: FilterOf<PlacedPath>): FilterOf<PlacedPath> => ({ kind: 'related', path, of, count: undefined })
  if (word === 'some') return related(parseMap(value.some ?? null, at, state))
  if (word === 'none') return { kind: 'not', of: related(parseMap(value.none ?? null, at, state)) }
  if (word === 'every')
    return { kind: 'not', of: related({ kind: 'not', of: parseMap(value.every ?? null, at, state) }) }
  const of: FilterOf<PlacedPath> =
    value.where === undefined ? { kind: 'and', of: [] } : parseMap(value.where, [...path.where, 'where'], state)
  const counts = isObject(value.count ?? null)
    ? Object.entries(value.count as JsonObject)
    : [['eq', value.count] as const]
  const compared = counts.map(([operator, number]): FilterOf<PlacedPath> => {
    if (!isCountOperator(operator))
      return refuse(`A count cannot be compared with "${operator}"`, at, 'value', [...ORDERED])
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
      return refuse('A count is compared with a whole number', at, 'value', ['{ lte: 10 }'])
    return { kind: 'related', path, of, count: { operator, value: number } }
  })
  return compared.length === 1 ? compared[0]! : { kind: 'and', of: compared }
}

function isCountOperator(word: string): word is CountOperator {
  return ORDERED.has(word as Operator)
}

function compare(
  path: PlacedPath,
  operator: Operator,
  value: Json,
  at: PlacedPath['where'],
  state: State,
): FilterOf<PlacedPath> {
  state.terms += 1
  const refuse = (message: string, expected: readonly string[], hint = {}): FilterOf<PlacedPath> => {
    state.problems.push({ code: 'invalid_filter', message, at, part: 'value', expected, ...hint })
    return { kind: 'and', of: [] }
  }
  if (operator === 'null') {
    if (typeof value !== 'boolean') return refuse('"null" takes true or false', ['true', 'false'])
  } else if (operator === 'in' || operator === 'not_in' || operator === 'between') {
    const scalars = Array.isArray(value) && value.every((item) => item !== null && typeof item !== 'object')
    const isVariable = (item: Json): boolean => typeof item === 'string' && item.startsWith('$')
    if (!scalars || (!state.reading.request && value.some(isVariable))) {
      const form = [operator === 'between' ? '[from, to]' : '[a, b]']
      return refuse(`"${operator}" takes a list of values`, form, ourHint(path.join('.'), CONNECTIVES))
    }
    if (operator === 'between' && value.length !== 2) return refuse('"between" takes two values', ['[from, to]'])
    const { values } = state.reading
    if (value.length > values)
      return refuse(`A list has at most ${values} values`, [`1 to ${values} values`], { fault: 'too_many' })
  } else if (value === null || typeof value === 'object') {
    return refuse(`"${operator}" takes one value`, ['a string, number or boolean', ...OPERAND_VARIABLES])
  }
  if (state.reading.request) {
    const operand = PATTERNS.has(operator) ? undefined : parseOperand(value)
    return { kind: 'compare', path, operator, operand: operand ?? { kind: 'literal', value } }
  }
  const other = parseRecordOperand(value)
  if (other !== undefined) {
    if (!ORDERED.has(operator)) return refuse(`"${operator}" takes a value that is written out`, ['a text'])
    const operand = { kind: other.kind, path: Object.assign([...other.path], { where: at }) }
    return { kind: 'compare', path: Object.assign([...path], { where: at }), operator, operand }
  }
  const operand = parseOperand(value)
  if (operand === undefined)
    return refuse(`Unknown variable "${String(value)}"`, [...OPERAND_VARIABLES, ...RECORD_VARIABLES], variable(value))
  // A value that people write themselves would be read as a pattern: a name of "%" would contain everything.
  if (operand.kind !== 'literal' && PATTERNS.has(operator))
    return refuse(`"${operator}" takes a text that is written out`, ['a text'])
  // The path is rebuilt so that a complaint about the value points at the operator's own line.
  return { kind: 'compare', path: Object.assign([...path], { where: at }), operator, operand }
}

function isOperator(word: string): word is Operator {
  return (OPERATORS as readonly string[]).includes(word)
}

function variable(value: Json): { readonly hint?: string } {
  return ourHint(String(value).split('.')[0] ?? '', ['$actor', '$now', '$today', '$record', '$before'])
}
