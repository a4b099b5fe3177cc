/** Paths that a list may be filtered by: over to-one relations, once over one that leads to many, and inside a json field. */
import type { Field, FilterPath } from '../catalog/catalog.ts'
import { quoted } from '../filter/sql.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Span } from '../text/source.ts'
import { fieldOf, linkManyPath, linkPath, relationOf } from './link-path.ts'
import type { Draft, Resolution } from './resolution.ts'

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
    type,
    options: { name, required: false, nullable: true, own },
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
