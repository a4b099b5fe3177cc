/** Paths as written, linked to the relations and the field they mean; what is unknown is reported with the nearest word. */
import type { BelongsTo, FieldPath, ManyPath } from '../catalog/catalog.ts'
import type { Path } from '../definition/definition.ts'
import { LIMITS } from '../limits.ts'
import type { Span } from '../text/source.ts'
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
 * Undefined when it cannot be linked; that is reported, unless the reason is a mistake that is reported already.
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
  const way = wayOf(resolution, draft, segments, span)
  if (way === undefined) return undefined
  const { relations, current } = way
  const last = segments.at(-1) ?? ''
  const field = fieldOf(resolution, current, last)
  if (field !== undefined) return { relations, field }
  reportUnknown(resolution, current, last, span)
  return undefined
}

/** The belongs_to relations before the last segment, and the resource that they lead to; undefined with a complaint. */
function wayOf(
  resolution: Resolution,
  draft: Draft,
  segments: readonly string[],
  span: Span,
): { readonly relations: readonly BelongsTo[]; readonly current: Draft } | undefined {
  const relations: BelongsTo[] = []
  let current = draft
  for (const segment of segments.slice(0, -1)) {
    const relation = step(resolution, current, segment, segments, span)
    const next = relation === undefined ? undefined : resolution.drafts.get(relation.target)
    if (relation === undefined || next === undefined) return undefined
    relations.push(relation)
    current = next
  }
  return { relations, current }
}

/** Links `ticket.comments` from a resource: belongs_to relations, then one that leads to many records. */
export function linkManyPath(
  resolution: Resolution,
  draft: Draft,
  segments: readonly string[],
  span: Span,
): ManyPath | undefined {
  const way = wayOf(resolution, draft, segments, span)
  if (way === undefined) return undefined
  const { relations, current } = way
  const last = segments.at(-1) ?? ''
  const many = relationOf(resolution, current, last)
  if (many !== undefined && many.kind !== 'belongs_to') return { relations, many }
  if (!current.fields.has(last) && isBroken(resolution, current, last)) return undefined
  const known = [...current.relations.values()].filter(({ kind }) => kind !== 'belongs_to').map(({ name }) => name)
  const message =
    many === undefined && !current.fields.has(last)
      ? `"${current.name}" has no field or relation "${last}"`
      : `"${last}" does not lead to many records`
  resolution.report('wrong_path', message, span, suggest(last, known))
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
