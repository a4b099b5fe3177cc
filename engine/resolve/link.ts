/** Names become references: paths, filters and operands as written, linked to the fields and relations they mean. */

import type { BelongsTo, Field, FieldPath, Filter } from '../catalog/catalog.ts'
import type { Path } from '../definition/definition.ts'
import type { Operator } from '../field/field-type.ts'
import type { FilterOf, Operand } from '../filter/filter.ts'
import { type ParsedFilter, type PlacedPath, parseFilter } from '../filter/parse-yaml.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Span } from '../text/source.ts'
import { isAttribute } from './accounts.ts'
import {
  brokenNames,
  type Draft,
  type DraftBelongsTo,
  type DraftField,
  type DraftRelation,
  type Resolution,
  suggest,
} from './resolution.ts'

/** Where a part of something written stands. */
export type Place = (path: Path, part?: 'key' | 'value') => Span

/** A field by its name, or by the belongs_to relation whose foreign key it is; an `of` resource sees its owner's too. */
export function fieldOf(resolution: Resolution, draft: Draft, name: string): DraftField | undefined {
  const relation = relationOf(resolution, draft, name)
  if (relation?.kind === 'belongs_to') return relation.field
  return draft.fields.get(name) ?? ownerDraft(resolution, draft)?.fields.get(name)
}

/** A relation by its name; an `of` resource sees its owner's too. */
export function relationOf(resolution: Resolution, draft: Draft, name: string): DraftRelation | undefined {
  return draft.relations.get(name) ?? ownerDraft(resolution, draft)?.relations.get(name)
}

function ownerDraft(resolution: Resolution, draft: Draft): Draft | undefined {
  return draft.owner === draft.name ? undefined : resolution.drafts.get(draft.owner)
}

/**
 * Links `role.slug` from a resource: belongs_to relations, then a field or a belongs_to (its foreign key).
 * Undefined when it can't be linked; that is reported, unless the reason is a mistake that is reported already.
 */
export function linkPath(
  resolution: Resolution,
  draft: Draft,
  segments: readonly string[],
  span: Span,
): FieldPath | undefined {
  if (segments.length - 1 > LIMITS.pathDepth) {
    resolution.report(
      'wrong_path',
      `A path follows at most ${LIMITS.pathDepth} relations; "${segments.join('.')}" follows ${segments.length - 1}`,
      span,
    )
    return undefined
  }
  const relations: BelongsTo[] = []
  let current = draft
  for (const segment of segments.slice(0, -1)) {
    const relation = step(resolution, current, segment, segments, span)
    const next = relation === undefined ? undefined : resolution.drafts.get(relation.target)
    if (relation === undefined || next === undefined) return undefined
    relations.push(relation)
    current = next
  }
  const last = segments.at(-1) ?? ''
  const field = fieldOf(resolution, current, last)
  if (field !== undefined) return { relations, field }
  reportUnknown(resolution, current, last, span)
  return undefined
}

function step(
  resolution: Resolution,
  draft: Draft,
  segment: string,
  segments: readonly string[],
  span: Span,
): DraftBelongsTo | undefined {
  const relation = relationOf(resolution, draft, segment)
  if (relation?.kind === 'belongs_to') return relation
  if (relation !== undefined) {
    resolution.report(
      'wrong_path',
      `"${segment}" leads to many records; "${segments.join('.')}" must follow belongs_to relations`,
      span,
    )
  } else if (draft.fields.has(segment)) {
    const hint = `"${segment}" is a field of "${draft.name}"; only relations can be followed`
    resolution.report('wrong_path', `"${segment}" is no relation`, span, { hint })
  } else reportUnknown(resolution, draft, segment, span)
  return undefined
}

function reportUnknown(resolution: Resolution, draft: Draft, word: string, span: Span): void {
  if (isBroken(resolution, draft, word)) return
  const relation = draft.relations.get(word)
  if (relation !== undefined) {
    resolution.report('wrong_path', `"${word}" leads to many records and is no value of one "${draft.name}"`, span)
    return
  }
  const relations = [...draft.relations.values()].flatMap((known) => (known.kind === 'belongs_to' ? [known.name] : []))
  const candidates = [...draft.fields.keys(), ...relations, ...brokenNames(resolution, draft.name)]
  resolution.report(
    'unknown_field',
    `"${draft.name}" has no field or relation "${word}"`,
    span,
    suggest(word, new Set(candidates)),
  )
}

/** Whether a name is declared with a mistake that is reported already, so that using it is no second mistake. */
export function isBroken(resolution: Resolution, draft: Draft, word: string): boolean {
  return [draft.name, draft.owner].some((name) => {
    if (resolution.unusable.has(`${name}.${word}`)) return true
    const written = resolution.written.get(name)
    if (written === undefined) return false
    if (written.fields.has(word) || written.relations.has(word)) return !draft.relations.has(word)
    return [...written.relations].some(([relation, { value }]) => (value.column ?? `${relation}_id`) === word)
  })
}

/** Links a filter as written; undefined when any of it can't be linked, with every complaint made. */
export function linkFilter(
  resolution: Resolution,
  draft: Draft,
  written: JsonObject,
  place: Place,
): Filter | undefined {
  const { filter, withDeleted } = parsed(resolution, written, place)
  for (const at of withDeleted) {
    resolution.report(
      'invalid_filter',
      '"with_deleted" means something in policies and in what may be chosen',
      place(at, 'key'),
      {
        hint: 'leave it out: everywhere else deleted records on a path count anyway',
      },
    )
  }
  return filter === undefined ? undefined : linkPart(resolution, draft, filter, place, false)
}

/**
 * Links a filter that decides what somebody may do: the records that its paths lead through must be live unless it says
 * `with_deleted`, and a value that the actor does not have matches nothing, negated or not.
 */
export function linkDecision(
  resolution: Resolution,
  draft: Draft,
  written: JsonObject,
  place: Place,
): Filter | undefined {
  const { filter } = parsed(resolution, written, place)
  return filter === undefined ? undefined : linkPart(resolution, draft, filter, place, true)
}

function parsed(resolution: Resolution, written: JsonObject, place: Place): ParsedFilter {
  const found = parseFilter(written)
  for (const { at, part, ...problem } of found.problems)
    resolution.report(problem.code, problem.message, place(at, part), problem)
  return found
}

function linkPart(
  resolution: Resolution,
  draft: Draft,
  part: FilterOf<PlacedPath>,
  place: Place,
  decides: boolean,
): Filter | undefined {
  if (part.kind === 'not') {
    const of = linkPart(resolution, draft, part.of, place, decides)
    return of === undefined ? undefined : { kind: 'not', of }
  }
  if (part.kind !== 'compare') {
    const linked = part.of.map((inner) => linkPart(resolution, draft, inner, place, decides))
    const of = linked.filter((inner) => inner !== undefined)
    return of.length < linked.length ? undefined : { kind: part.kind, of }
  }
  const path = linkPath(resolution, draft, part.path, place(part.path.where, 'key'))
  if (path === undefined) return undefined
  const span = place(part.path.where)
  if (!comparable(path.field, part.operator)) {
    const expected = path.field.type.operators
    resolution.report(
      'invalid_filter',
      `"${path.field.name}" (${path.field.type.name}) can not be compared with "${part.operator}"`,
      span,
      { expected },
    )
    return undefined
  }
  const { operand: written } = part
  if (written.kind === 'actor' && written.attribute !== undefined) {
    const holder = resolution.drafts.get(path.relations.at(-1)?.target ?? draft.name) ?? draft
    if (!isAttribute(resolution, holder, path.field, written.attribute, span)) return undefined
  }
  const operand = linkOperand(resolution, path.field, part.operator, written, span)
  if (operand === undefined) return undefined
  const { kind, operator, withDeleted } = part
  return {
    kind,
    path,
    operator,
    operand,
    ...(decides ? { decides } : {}),
    ...(withDeleted === undefined ? {} : { withDeleted }),
  }
}

/** Whether a field knows an operator; `null` works on every field that is no count, the others are the type's to name. */
function comparable(field: Field, operator: Operator): boolean {
  if (field.count !== undefined) return false
  return operator === 'null' || field.type.operators.includes(operator)
}

/** A literal decoded by the field's type, as the database will compare it; variables stay. */
export function linkOperand(
  resolution: Resolution,
  field: Field,
  operator: Operator,
  operand: Operand,
  span: Span,
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
      resolution.report('wrong_value', `"${field.name}" ${result.error}`, span)
      return undefined
    }
    decoded.push(result.value)
  }
  return { kind: 'literal', value: many ? decoded : decoded[0]! }
}

/** A literal for a field, decoded; what a query string would accept is accepted too (a day for a timestamp). */
export function decodeLiteral(field: Field, value: Json): { readonly value: Json } | { readonly error: string } {
  if (value === null) return { value }
  const decoded = field.type.decode(value, field.options)
  if ('value' in decoded || typeof value !== 'string') return decoded
  const parsed = field.type.parse(value, field.options)
  return 'value' in parsed ? parsed : decoded
}
