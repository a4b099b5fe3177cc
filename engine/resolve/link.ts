/** Names become references: filters, their parts, operands and orders as written, linked to the fields and relations that they mean. */

import type { Field, FieldPath, Filter, SortTerm, WayPath } from '../catalog/catalog.ts'
import type { FilterDefinition } from '../definition/definition.ts'
import type { Decoded, Operator } from '../field/field-type.ts'
import type { Comparison, FilterOf, OnTheWay, Operand } from '../filter/filter.ts'
import { type ParsedFilter, type PlacedPath, parseFilter, type Reading } from '../filter/parse-yaml.ts'
import { type Linker, linkWith } from '../filter/walk.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import { isOfActor } from './accounts.ts'
import type { Place } from './document-part.ts'
import { adviceFor } from './fields.ts'
import { relatedIn } from './filter-dependencies.ts'
import { neverHolds } from './judge/satisfiable.ts'
import { linkManyPath, linkPath } from './link-path.ts'
import { type Judging, linkRecordOperand } from './record-operand.ts'
import type { Draft, Resolution } from './resolution.ts'

/** Links a filter as written; undefined when any of it cannot be linked, with every complaint made. */
export function linkFilter(
  resolution: Resolution,
  draft: Draft,
  written: JsonObject,
  place: Place,
  judging?: Judging,
  reading?: Reading,
): Filter | undefined {
  const { filter } = parsed(resolution, written, place, reading)
  if (filter === undefined) return undefined
  return possible(resolution, linkPart(resolution, draft, filter, place, { decides: false, judging }), place)
}

/** Links a filter of an index, or one that selects a single record: it asks for no other records. */
export function linkPlain(
  resolution: Resolution,
  draft: Draft,
  written: JsonObject,
  place: Place,
  judging?: Judging,
): Filter | undefined {
  const filter = linkFilter(resolution, draft, written, place, judging)
  const [related] = filter === undefined ? [] : relatedIn(filter)
  if (related === undefined) return filter
  const message = `This condition cannot ask for the records of "${related.path.many.name}"`
  resolution.report('invalid_filter', message, place([]), {
    hint: 'an index, and the search for one record, know the fields of the record itself',
  })
  return undefined
}

/**
 * Links a filter that decides what somebody may do: over a deleted record it matches nothing unless it says
 * `with_deleted`, nor by a value that the actor does not have, negated or not.
 */
export function linkDecision(
  resolution: Resolution,
  draft: Draft,
  written: JsonObject,
  place: Place,
  judging?: Judging,
): Filter | undefined {
  const { filter } = parsed(resolution, written, place)
  if (filter === undefined) return undefined
  return possible(resolution, linkPart(resolution, draft, filter, place, { decides: true, judging }), place)
}

/** The filter, with a complaint where no record could ever fulfil it. */
function possible(resolution: Resolution, filter: Filter | undefined, place: Place): Filter | undefined {
  const reason = filter === undefined ? undefined : neverHolds(filter)
  if (reason !== undefined) {
    resolution.report('invalid_filter', `No record fulfils this: ${reason}`, place([]), {
      hint: reason.includes(' and ')
        ? 'all parts of a map must hold together; write any: [{ … }, { … }] where one of them is enough'
        : 'compare it with values that it can have, or take the condition away',
    })
  }
  return filter
}

function parsed(resolution: Resolution, written: JsonObject, place: Place, reading?: Reading): ParsedFilter {
  const found = parseFilter(written, reading)
  for (const { at, part, ...problem } of found.problems)
    resolution.report(problem.code, problem.message, place(at, part), problem)
  return found
}

/** The context in which a filter is linked. */
interface Linking {
  readonly decides: boolean
  readonly judging: Judging | undefined
}

function linkPart(
  resolution: Resolution,
  draft: Draft,
  part: FilterOf<PlacedPath>,
  place: Place,
  linking: Linking,
): Filter | undefined {
  const linker: Linker<PlacedPath, FieldPath, WayPath, Draft> = {
    compare: (comparison, about) => linkComparison(resolution, about, comparison, place, linking),
    related: (asked, about, inner) => {
      const path = linkManyPath(resolution, about, asked.path, place(asked.path.where, 'key'))
      const target = path && resolution.drafts.get(path.many.target)
      if (path === undefined || target === undefined) return undefined
      const of = inner(target)
      if (of === undefined) return undefined
      return { kind: 'related', path, of, count: asked.count, ...onTheWay(asked, linking) }
    },
  }
  return linkWith(linker, part, draft)
}

function linkComparison(
  resolution: Resolution,
  draft: Draft,
  part: Comparison<PlacedPath>,
  place: Place,
  linking: Linking,
): Filter | undefined {
  const path = linkPath(resolution, draft, part.path, place(part.path.where, 'key'))
  if (path === undefined) return undefined
  const span = place(part.path.where)
  if (!comparable(path.field, part.operator)) {
    const expected = path.field.type.operators
    resolution.report(
      'invalid_filter',
      `"${path.field.name}" (${path.field.type.name}) cannot be compared with "${part.operator}"`,
      span,
      { expected },
    )
    return undefined
  }
  const { operand: written } = part
  const holder = resolution.drafts.get(path.relations.at(-1)?.target ?? draft.name) ?? draft
  if (written.kind === 'actor' && !isOfActor(resolution, holder, path.field, written.attribute, span)) return undefined
  const operand =
    written.kind === 'record' || written.kind === 'before'
      ? linkRecordOperand(resolution, holder, path.field, written, linking.judging, span)
      : linkOperand(resolution, path.field, part.operator, written, span, linking.judging)
  if (operand === undefined) return undefined
  const { kind, operator } = part
  return { kind, path, operator, operand, ...onTheWay(part, linking) }
}

function onTheWay({ withDeleted }: OnTheWay, { decides }: Linking): OnTheWay {
  return { ...(decides ? { decides } : {}), ...(withDeleted === undefined ? {} : { withDeleted }) }
}

/** Whether a field knows an operator; `null` works on every field that is no count, the others are the type's to name. */
function comparable(field: Field, operator: Operator): boolean {
  if (field.count !== undefined) return false
  return operator === 'null' || field.type.operators.includes(operator)
}

/** A literal decoded by the field's type, as the database will compare it; variables stay. */
function linkOperand(
  resolution: Resolution,
  field: Field,
  operator: Operator,
  operand: Operand,
  span: Span,
  judging: Judging | undefined,
): Operand | undefined {
  if (operand.kind !== 'literal' || operator === 'null') return operand
  const many = (operator === 'in' || operator === 'not_in' || operator === 'between') && Array.isArray(operand.value)
  const text = operator === 'contains' || operator === 'starts_with' || operator === 'ends_with'
  if (text) return operand
  const values: readonly Json[] = many ? (operand.value as readonly Json[]) : [operand.value]
  const decoded: Json[] = []
  for (const value of values) {
    const result = decodeLiteral(field, value)
    if ('error' in result) {
      resolution.report('wrong_value', `"${field.name}" ${result.error}`, span, {
        ...(result.code === undefined ? {} : { fault: result.code }),
        hint: (many ? undefined : otherField(judging, value)) ?? adviceFor(field, value, result.error),
      })
      return undefined
    }
    decoded.push(result.value)
  }
  return { kind: 'literal', value: many ? decoded : decoded[0]! }
}

/** Advice where a filter has the name of another field for its value. */
function otherField(judging: Judging | undefined, value: Json): string | undefined {
  if (judging === undefined || judging.bare === true) return undefined
  if (typeof value !== 'string' || !judging.record.fields.has(value)) return undefined
  return `write $record.${value} for the value of "${value}"`
}

/** A literal for a field, decoded; what a query string would accept is accepted too (a day for a timestamp). */
export function decodeLiteral(field: Field, value: Json): Decoded {
  if (value === null) return { value }
  const decoded = field.type.decode(value, field.options)
  if ('value' in decoded || typeof value !== 'string') return decoded
  const parsed = field.type.parse(value, field.options)
  return 'value' in parsed ? parsed : decoded
}

interface LinkedPart {
  readonly filter: Filter
  /** The key with its value. */
  readonly span: Span
  readonly value: Span
}

/** Each key of a condition, linked by itself, with the place of the key and its value. */
export function linkedParts(
  resolution: Resolution,
  draft: Draft,
  written: FilterDefinition,
  place: Place,
  judging: Judging,
): readonly LinkedPart[] {
  return Object.entries(written).flatMap(([key, value]) => {
    const filter = linkFilter(resolution, draft, { [key]: value }, place, judging)
    return filter === undefined
      ? []
      : [{ filter, span: spanning(place([key], 'key'), place([key])), value: place([key]) }]
  })
}

/** From the beginning of one place to the end of another of the same file. */
function spanning(from: Span, to: Span): Span {
  return { ...from, end: Math.max(from.end, to.end) }
}

/** Links sort terms, each with an optional leading minus, and adds the id so that pages never repeat a record. */
export function linkOrder(
  resolution: Resolution,
  draft: Draft,
  written: readonly { readonly term: string; readonly span: Span }[],
): readonly SortTerm[] {
  const terms = written.flatMap(({ term, span }) => {
    const path = linkPath(resolution, draft, term.replace(/^-/, '').split('.'), span)
    if (path === undefined || !sortable(resolution, path, span)) return []
    return [{ path, direction: term.startsWith('-') ? 'desc' : 'asc' } as const]
  })
  return withKey(terms, draft.key)
}

/** Whether the database can order by it; reports it if not. */
export function sortable(resolution: Resolution, path: FieldPath, span: Span): boolean {
  const { field } = path
  const ordered = field.count === undefined && field.type.hidden !== true && field.type.wire !== 'json'
  if (!ordered)
    resolution.report(
      'not_sortable',
      `"${field.name}" (${field.count === undefined ? field.type.name : 'a count'}) has no order in the database`,
      span,
      { hint: 'sort by a field with one short value, such as a text, a number, a date or an enum' },
    )
  return ordered
}

function withKey(terms: readonly SortTerm[], key: Field): readonly SortTerm[] {
  if (terms.some(({ path }) => path.relations.length === 0 && path.field === key)) return terms
  return [...terms, { path: { relations: [], field: key }, direction: terms.at(-1)?.direction ?? 'asc' }]
}
