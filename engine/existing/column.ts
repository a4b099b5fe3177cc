/** What type of field a column is, and what of it the YAML cannot say. */
import type { JsonObject } from '../json.ts'
import { type Bounds, boundsIn } from './check.ts'
import type { ColumnFacts } from './facts.ts'

/** A column as a field; where it can only be read, the SQL that reads it. */
export interface FieldForm {
  readonly type: string
  readonly options: JsonObject
  /** SQL over `t`, where the column cannot be written by the field. */
  readonly reads?: string
  /** What people should know of it: what it is, and what that means. */
  readonly note?: { readonly what: string; readonly done: string }
}

/** A column that no answer could hold. */
export interface NoField {
  readonly leftOut: string
}

/** Characters of a line, and of a text. */
export const LONGEST = { line: 255, text: 65_535 }
const WHOLE: Readonly<Record<string, JsonObject>> = {
  smallint: { min: -32_768, max: 32_767 },
  integer: {},
}
const PLAIN: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  date: 'date',
  'timestamp with time zone': 'timestamp',
  jsonb: 'json',
  uuid: 'uuid',
  text: 'text',
}
const FLOATS: ReadonlySet<string> = new Set(['real', 'double precision'])
const LEFT_OUT: Readonly<Record<string, string>> = {
  bytea: 'bytes are no part of a JSON answer',
  tsvector: 'it is the index of a search, and no value',
}
/** The field type `enum` takes this much. */
const ENUM = { words: 200, length: 100 }

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The field of a column. */
export function fieldOf(column: ColumnFacts, checks: readonly string[]): FieldForm | NoField {
  const { type, kind } = column
  const leftOut = LEFT_OUT[type]
  if (leftOut !== undefined) return { leftOut }
  if (kind === 'e') return ofEnum(column)
  if (kind === 'A' || kind === 'c') return read(column, 'json', 'to_jsonb')
  if (kind !== 'b') return read(column, 'text', 'text')
  const [, base = type, size] = /^([a-z ]+)\((\d+(?:,-?\d+)?)\)$/.exec(type) ?? []
  if (base === 'character varying' || base === 'character' || type === 'text') return ofText(base, size, checks)
  if (type === 'bigint') return { type, options: endsOf(boundsIn(checks, true)) }
  const whole = WHOLE[type]
  if (whole !== undefined) return { type: 'integer', options: { ...whole, ...numbers(boundsIn(checks, true)) } }
  if (base === 'numeric' || FLOATS.has(type)) return ofNumber(base, size, boundsIn(checks, false))
  if (/^timestamp(\(\d\))? without time zone$/.test(type))
    return {
      type: 'timestamp',
      options: { column_type: type },
      note: { what: 'has no time zone', done: 'its values are taken as UTC' },
    }
  if (/^timestamp\(\d\) with time zone$/.test(type)) return { type: 'timestamp', options: {} }
  const plain = PLAIN[type]
  if (plain !== undefined) return { type: plain, options: {} }
  return type === 'json' ? read(column, 'json', 'jsonb') : read(column, 'text', 'text')
}

/** By a cast, or by a function of PostgreSQL's. */
function read({ name, type }: ColumnFacts, as: 'json' | 'text', by: string): FieldForm {
  const own = `t.${quotedName(name)}`
  const reads = by === 'to_jsonb' ? `to_jsonb(${own})` : `${own}::${by}`
  return { type: as, options: {}, reads, note: { what: `is ${type}`, done: `read only, as ${as}` } }
}

function fitsEnum(words: readonly string[]): boolean {
  const fits = (word: string) => word.length > 0 && word.length <= ENUM.length && word === word.trim()
  return words.length > 0 && words.length <= ENUM.words && new Set(words).size === words.length && words.every(fits)
}

function ofEnum(column: ColumnFacts): FieldForm {
  const { type, words } = column
  const named = /^(?:[a-z_][a-z0-9_]*\.)?(?:[a-z_][a-z0-9_]*|"[^"\\$]{1,63}")$/.test(type)
  if (words === null || !named || !fitsEnum(words)) return read(column, 'text', 'text')
  return { type: 'enum', options: { values: [...words], column_type: type } }
}

function ofText(base: string, size: string | undefined, checks: readonly string[]): FieldForm {
  const length = base === 'character' && size === undefined ? 1 : Number(size ?? Number.POSITIVE_INFINITY)
  const padded = base === 'character' && length > 1
  const { words } = boundsIn(checks, false)
  // A word that is shorter than its column would be answered with blanks behind it.
  if (words !== undefined && fitsEnum(words) && !(padded && words.some((word) => word.length < length)))
    return { type: 'enum', options: { values: [...words] } }
  const note = padded
    ? { note: { what: `is character(${length})`, done: 'answers have the blanks that fill it up' } }
    : {}
  if (length <= LONGEST.line)
    return { type: 'string', options: length === LONGEST.line ? {} : { max: length }, ...note }
  return { type: 'text', options: length < LONGEST.text ? { max: length } : {}, ...note }
}

function ofNumber(base: string, size: string | undefined, bounds: Bounds): FieldForm {
  const ends = endsOf(bounds)
  const [precision = 0, scale = 0] = (size ?? '').split(',').map(Number)
  const fits = size !== undefined && precision <= 100 && scale >= 0 && scale <= Math.min(50, precision)
  if (fits) return { type: 'decimal', options: { precision, scale, ...ends } }
  return { type: 'decimal', options: { column_type: base, ...ends } }
}

/** The ends as texts, which keep all digits. */
function endsOf({ min, max }: Bounds): JsonObject {
  return { ...(min && { min }), ...(max && { max }) }
}

function numbers({ min, max }: Bounds): JsonObject {
  const whole = (text: string | undefined) => (/^-?\d{1,15}$/.test(text ?? '') ? Number(text) : undefined)
  const [least, most] = [whole(min), whole(max)]
  return { ...(least === undefined ? {} : { min: least }), ...(most === undefined ? {} : { max: most }) }
}
