/** Paths as written, linked to the relations and the field that they mean; an unknown word is reported with the nearest known one. */
import type { BelongsTo, Field, FieldPath, FilterPath, ManyPath } from '../catalog/catalog.ts'
import { typed } from '../catalog/stored.ts'
import { quoted } from '../filter/sql.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Span } from '../text/source.ts'
import { renameOf } from './document-part.ts'
import {
  brokenNames,
  type Draft,
  type DraftBelongsTo,
  type DraftField,
  type DraftRelation,
  type Resolution,
  suggest,
} from './resolution.ts'

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
  reportStep(resolution, current, last, span)
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
  } else reportStep(resolution, draft, segment, span)
  return undefined
}

/** Reports a name that a resource does not have, with the nearest known one, unless its own mistake is reported already. */
export function reportUnknown(
  resolution: Resolution,
  draft: Draft,
  name: string,
  span: Span,
  known: Iterable<string> = [...draft.fields.keys(), ...draft.relations.keys()],
  what = 'field or relation',
): undefined {
  if (isBroken(resolution, draft, name)) return
  const now = presentName(resolution, draft, name)
  const details = { ...suggest(name, known), ...(now === undefined ? {} : { hint: `it is called "${now}" now` }) }
  resolution.report('unknown_field', `"${draft.name}" has no ${what} "${name}"`, span, details)
}

/** The present name of the field or relation, or of its key, that had this name before. */
function presentName(resolution: Resolution, draft: Draft, name: string): string | undefined {
  const parts = [draft.name, draft.owner].flatMap((one) => {
    const written = resolution.written.get(one)
    return written === undefined ? [] : [...written.fields, ...written.relations]
  })
  for (const [now, { value }] of parts) {
    const before = renameOf(value.renamed_from)?.name
    if (before === name) return now
    if (`${before}_id` === name && draft.relations.has(now)) return `${now}_id`
  }
  return undefined
}

/** Reports a step of a path that a resource does not have, or that leads to many records. */
function reportStep(resolution: Resolution, draft: Draft, word: string, span: Span): void {
  const relation = draft.relations.get(word)
  if (relation !== undefined && !isBroken(resolution, draft, word)) {
    resolution.report('wrong_path', `"${word}" leads to many records and is no value of one "${draft.name}"`, span)
    return
  }
  const relations = [...draft.relations.values()].flatMap((known) => (known.kind === 'belongs_to' ? [known.name] : []))
  const candidates = [...draft.fields.keys(), ...relations, ...brokenNames(resolution, draft.name)]
  reportUnknown(resolution, draft, word, span, new Set(candidates))
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

/** Links a path of `filters`; undefined with a complaint where it cannot be one. */
export function linkFilterPath(
  resolution: Resolution,
  draft: Draft,
  segments: readonly string[],
  span: Span,
): FilterPath | undefined {
  let current: Draft | undefined = draft
  for (const [at, segment] of segments.slice(0, -1).entries()) {
    if (current === undefined) break
    const relation = relationOf(resolution, current, segment)
    if (relation === undefined) {
      if (fieldOf(resolution, current, segment)?.type.name !== 'json') break
      const holder = linkPath(resolution, draft, segments.slice(0, at + 1), span)
      return holder && insideJson(resolution, holder, segments.slice(at + 1), span)
    }
    if (relation.kind !== 'belongs_to') return linkThrough(resolution, draft, segments, at, span)
    current = resolution.drafts.get(relation.target)
  }
  return linkPath(resolution, draft, segments, span)
}

function linkThrough(
  resolution: Resolution,
  draft: Draft,
  segments: readonly string[],
  at: number,
  span: Span,
): FilterPath | undefined {
  const through = linkManyPath(resolution, draft, segments.slice(0, at + 1), span)
  const target = through && resolution.drafts.get(through.many.target)
  const rest = target && linkFilterPath(resolution, target, segments.slice(at + 1), span)
  if (through === undefined || rest === undefined) return undefined
  const refuse = (message: string): undefined => void resolution.report('wrong_path', message, span)
  const name = `"${segments.join('.')}"`
  if (rest.through !== undefined) return refuse(`${name} leads to many records twice; a filter does so once`)
  if (through.relations.length + 1 + rest.relations.length > LIMITS.pathDepth)
    return refuse(`A path follows at most ${LIMITS.pathDepth} relations; ${name} follows more`)
  return { ...rest, through }
}

/** A value inside a json field, as a field that is computed from it; its type is what the field's schema says there. */
function insideJson(
  resolution: Resolution,
  { relations, field: holder }: FilterPath,
  keys: readonly string[],
  span: Span,
): FilterPath | undefined {
  const { schema } = holder.options.own
  const inner = keys.reduce<JsonObject | undefined>(partOf, isObject(schema) ? schema : undefined)
  const kind = KINDS.get(typeName(inner)) ?? (typeName(inner) === '' ? ANY : undefined)
  const type = kind && resolution.extensions.fieldTypes.get(kind.type)
  const name = [holder.name, ...keys].join('.')
  if (kind === undefined || type === undefined) {
    resolution.report('not_filterable', `"${name}" is ${typeName(inner)} by its schema, and cannot be compared`, span)
    return undefined
  }
  const own = { ...Object.fromEntries(Object.entries(type.options).flatMap(defaultOf)), ...kind.own }
  const field: Field = {
    ...holder,
    name,
    ...typed(type, { name, required: false, nullable: true, own }),
    label: `${holder.label}, ${keys.join(' ')}`,
    description: undefined,
    default: undefined,
    backfill: undefined,
    unique: false,
    computed: kind.sql(`t.${quoted(holder.column)}${keys.map((key) => ` -> '${key}'`).join('')}`),
  }
  return { relations, field }
}

function partOf(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const properties = schema?.properties
  const part = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isObject(part) ? part : undefined
}

/** What the schema says of a value: one type, or nothing. */
function typeName(schema: JsonObject | undefined): string {
  const type = schema?.type
  const types = (Array.isArray(type) ? type : [type ?? null]).filter((one: Json) => one !== 'null' && one !== null)
  return types.length === 1 ? String(types[0]) : ''
}

function defaultOf([option, schema]: readonly [string, { readonly [keyword: string]: unknown }]): readonly (readonly [
  string,
  Json,
])[] {
  const value = schema.default
  return value === undefined ? [] : [[option, value as Json]]
}

interface Kind {
  /** The field type whose operators and forms it has. */
  readonly type: string
  readonly own: JsonObject
  /** The value, from the SQL of the json value; absent where the stored value is of another type. */
  readonly sql: (value: string) => string
}

const cast = (to: string, type: string) => (value: string) =>
  `case when jsonb_typeof(${value}) = '${type}' then (${value})::${to} end`

const ANY: Kind = { type: 'string', own: {}, sql: (value) => `${value} #>> '{}'` }

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['string', ANY],
  ['number', { type: 'decimal', own: { precision: 100, scale: 50 }, sql: cast('numeric', 'number') }],
  [
    'integer',
    {
      type: 'integer',
      own: { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
      sql: cast('numeric', 'number'),
    },
  ],
  ['boolean', { type: 'boolean', own: {}, sql: cast('boolean', 'boolean') }],
])
