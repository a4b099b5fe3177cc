/** A column as a field of the YAML: its type, the bounds in its checks, its default, and notes on the rest. */
import { isBigint } from '../field/bigint.ts'
import { isPrinted } from '../field/column-type.ts'
import { itemsOf } from '../field/list.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ColumnFacts } from './facts.ts'

/** A column as a field; where it can only be read, the SQL that reads it. */
export interface FieldForm {
  readonly type: string
  readonly options: JsonObject
  /** SQL over `t`, where the column cannot be written by the field. */
  readonly reads?: string
  /** A note for people: the fact, and its consequence. */
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

/** A name in SQL of the YAML, which reads `t.`, `$` and braces in its own way. */
export function quotedName(name: string): string {
  return /^[A-Za-z0-9_ ]*$/.test(name) ? `"${name}"` : `U&"${name.replace(UNPLAIN, codeOf)}"`
}

/** A text in SQL of the YAML. */
export function quotedText(text: string): string {
  return /^[A-Za-z0-9_ ]*$/.test(text) ? `'${text}'` : `U&'${text.replace(UNPLAIN, codeOf)}'`
}

const UNPLAIN = /[^A-Za-z0-9_ ]/gu

function codeOf(sign: string): string {
  const code = sign.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\+${code.padStart(6, '0')}` : `\\${code.padStart(4, '0')}`
}

/** SQL whose names and texts hold no sign that a terminal obeys: such signs become their codes. */
export function withoutControls(sql: string): string {
  return sql.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, (quoted) =>
    CONTROLS.test(quoted) ? `U&${quoted.replaceAll('\\', '\\\\').replace(new RegExp(CONTROLS, 'gu'), codeOf)}` : quoted,
  )
}

/** Without line breaks, which texts have. */
const CONTROLS = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** The field of a column. */
export function fieldOf(column: ColumnFacts, checks: readonly string[]): FieldForm | NoField {
  const { type, kind } = column
  const leftOut = LEFT_OUT[type]
  if (leftOut !== undefined) return { leftOut }
  if (kind === 'e') return ofEnum(column)
  const of = kind === 'A' ? itemsOf(type) : undefined
  if (of !== undefined) return { type: 'list', options: { of, max_items: 10_000, column_type: type } }
  if (kind === 'A' || kind === 'c') return read(column, 'json', 'to_jsonb')
  if (isPrinted(type)) return { type: 'text', options: { column_type: type } }
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

export function fitsEnum(words: readonly string[]): boolean {
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
  // A word that is shorter than its column would be answered with trailing blanks.
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

/** Words, or bounds of a number. */
export interface Bounds {
  readonly words?: readonly string[]
  readonly min?: string
  readonly max?: string
}

/** A check without brackets and casts, its texts apart: `state = ANY ARRAY[§0, §1]`. */
interface Plain {
  readonly text: string
  readonly texts: readonly string[]
}

const CAST = /::(?:"[^"]+"|[a-z_][\w. ]*[\w])(?:\([\d, ]+\))?(?:\[\])?/g
const COLUMN = '(?:"[^"]+"|\\w+)'

/** Undefined where something is computed: a bracket after a name is a call. */
function plain(sql: string): Plain | undefined {
  const texts: string[] = []
  const apart = sql.replace(/'((?:[^']|'')*)'/g, (_, text: string) => `§${texts.push(text.replaceAll("''", "'")) - 1}`)
  const bare = apart.replace(CAST, '')
  if (/[\w"]\(/.test(bare)) return undefined
  return { text: bare.replace(/[()]/g, ''), texts }
}

/** `state = ANY ARRAY[§0, §1]`, `state = §0 OR state = §1`. */
function wordsOf({ text, texts }: Plain): readonly string[] | undefined {
  const list = new RegExp(`^${COLUMN} = ANY ARRAY\\[(.*)\\]$`).exec(text)?.[1]?.split(', ')
  const named = list ?? text.split(' OR ').map((part) => new RegExp(`^${COLUMN} = (§\\d+)$`).exec(part)?.[1] ?? '')
  const words = named.map((name) => (/^§\d+$/.test(name) ? texts[Number(name.slice(1))] : undefined))
  return words.every((word) => word !== undefined) ? (words as readonly string[]) : undefined
}

/** `stars >= 1 AND stars <= 5`: the bounds; those of whole numbers may leave out their own end. */
function boundsOf({ text, texts }: Plain, whole: boolean): Bounds {
  const ends = text.split(' AND ').map((part) => {
    const [, operator = '', written = ''] = new RegExp(`^${COLUMN} (>=|<=|>|<) (\\S+)$`).exec(part) ?? []
    const value = written.startsWith('§') ? (texts[Number(written.slice(1))] ?? '') : written
    return /^-?\d+(\.\d+)?$/.test(value) ? endOf(operator, value, whole) : undefined
  })
  return ends.some((end) => end === undefined) ? {} : Object.assign({}, ...ends)
}

function endOf(operator: string, value: string, whole: boolean): Bounds | undefined {
  if (operator === '>=') return { min: value }
  if (operator === '<=') return { max: value }
  if (!whole || value.includes('.')) return undefined
  return operator === '>' ? { min: String(BigInt(value) + 1n) } : { max: String(BigInt(value) - 1n) }
}

/** The bounds of all checks of one column together. */
function boundsIn(checks: readonly string[], whole: boolean): Bounds {
  const all = checks.map((sql): Bounds => {
    const bare = plain(sql)
    if (bare === undefined) return {}
    const words = wordsOf(bare)
    return words === undefined ? boundsOf(bare, whole) : { words }
  })
  return Object.assign({}, ...all)
}

const NOW =
  /^\(?(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|(?:statement|clock|transaction)_timestamp\(\)|\('now'::text\)::timestamp[\w() ]*)\)?(?:::timestamp[\w() ]*)?$/i
const TODAY = /^\(?(?:CURRENT_DATE|now\(\)|CURRENT_TIMESTAMP|\('now'::text\)::date)\)?(?:::date)?$/i
const QUOTED_DEFAULT = /^\(?'((?:[^']|'')*)'\)?(?:::[\w ".]+(?:\([\d,]+\))?)?$/s
const PLAIN_DEFAULT = /^\(*(-?\d+(?:\.\d+)?|true|false)\)*(?:::[\w ]+(?:\([\d,]+\))?)?$/

/** The default as a value of the YAML; undefined where only the database can compute it. */
export function defaultOf(type: string, sql: string): Json | undefined {
  if (type === 'timestamp') return NOW.test(sql) ? '$now' : undefined
  if (type === 'date' && TODAY.test(sql)) return '$today'
  const text = QUOTED_DEFAULT.exec(sql)?.[1]?.replaceAll("''", "'") ?? PLAIN_DEFAULT.exec(sql)?.[1]
  // A word with a $ in front has another meaning in the YAML.
  if (text === undefined || text.startsWith('$')) return undefined
  switch (type) {
    case 'boolean':
      return text === 'true' || text === 't' ? true : text === 'false' || text === 'f' ? false : undefined
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    case 'bigint':
      return isBigint(text) ? text : undefined
    case 'json':
      return parsedJson(text)
    default:
      return text
  }
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
