/** Changes of a column's type: whether its values fit the new type, and the SQL that converts them. */
import { quoted as q } from '../filter/sql.ts'

/** A type of PostgreSQL, taken apart. */
export interface Parsed {
  /** `numeric`, `timestamp with time zone`. */
  readonly base: string
  /** Characters or digits; infinite where the type has no bound. */
  readonly size: number
  readonly scale: number
}

/** Takes a type apart as `format_type` prints it. */
export function parseType(type: string): Parsed {
  const found = /^([a-z ]+?)(?:\((\d+)(?:,(\d+))?\))?( with(?:out)? time zone)?$/.exec(type)
  if (!found) return { base: type, size: Number.POSITIVE_INFINITY, scale: 0 }
  const [, base = type, size, scale, zone = ''] = found
  return {
    base: base + zone,
    size: size === undefined ? Number.POSITIVE_INFINITY : Number(size),
    scale: Number(scale ?? 0),
  }
}

const STRINGS: ReadonlySet<string> = new Set(['text', 'character varying'])
const INTEGERS: readonly string[] = ['smallint', 'integer', 'bigint']
export const MOMENT = 'timestamp with time zone'

const BOUNDS: Readonly<Record<string, string>> = {
  smallint: 'between -32768 and 32767',
  integer: 'between -2147483648 and 2147483647',
  bigint: 'between -9223372036854775808 and 9223372036854775807',
}

/** More digits than any column of numbers keeps, few enough that none is refused. */
const NUMBER = String.raw`^[+-]?\d{1,40}(\.\d{1,40})?$`
const DAY = String.raw`^(19|20|21)\d\d-\d\d-\d\d$`
const TIME = String.raw`([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?`
const ZONE = String.raw`(Z|[+-](0\d|1[0-4])(:?[0-5]\d)?)`
const YES = `'true', 't', 'yes', 'y', 'on', '1'`
const NO = `'false', 'f', 'no', 'n', 'off', '0'`

type Convert = (value: string, to: Parsed) => string | undefined

/** The days of the month in which the day lies are asked only of a month that there is. */
function isDay(text: string): string {
  const [year, month, day] = [1, 6, 9].map((at, i) => `substr(${text}, ${at}, ${i === 0 ? 4 : 2})::integer`)
  const last = `extract(day from make_date(${year}, ${month}, 1) + interval '1 month' - interval '1 day')`
  return `case when ${text} !~ '${DAY}' then false when ${month} not between 1 and 12 then false
    else ${day} between 1 and ${last} end`
}

function numberAs(value: string, to: Parsed): string | undefined {
  const bounds = BOUNDS[to.base]
  if (bounds !== undefined)
    return `case when ${value} = trunc(${value}) and ${value} ${bounds} then (${value})::${to.base} end`
  if (to.base !== 'numeric') return undefined
  if (!Number.isFinite(to.size)) return value
  const fits = `abs(${value}) < 1e${to.size - to.scale} and ${value} = round(${value}, ${to.scale})`
  return `case when ${fits} then (${value})::numeric(${to.size},${to.scale}) end`
}

function fromText(value: string, to: Parsed): string | undefined {
  const text = `btrim(${value})`
  switch (to.base) {
    case 'boolean':
      return `case when lower(${text}) in (${YES}) then true when lower(${text}) in (${NO}) then false end`
    case 'date':
      return `case when ${isDay(text)} then ${text}::date end`
    case MOMENT: {
      const moment = `upper(${text})`
      const day = `left(${moment}, 10)`
      const rest = `substr(${moment}, 11)`
      return `case when not (${isDay(day)}) then null when ${rest} = '' then (${day} || ' 00:00Z')::timestamptz
    when ${rest} ~ '^[T ]${TIME}$' then (${moment} || 'Z')::timestamptz
    when ${rest} ~ '^[T ]${TIME} ?${ZONE}$' then ${moment}::timestamptz end`
    }
    case 'uuid':
      return `case when ${text} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${text}::uuid end`
    default: {
      const inner = numberAs(`${text}::numeric`, to)
      return inner === undefined ? undefined : `case when ${text} ~ '${NUMBER}' then ${inner} end`
    }
  }
}

function fromNumber(value: string, to: Parsed): string | undefined {
  if (to.base === 'boolean') return `case when ${value} in (0, 1) then ${value} = 1 end`
  return numberAs(`${value}::numeric`, to)
}

/** A moment is a day where nothing is cut off: at the midnight with which the day begins. */
function dayOf(moment: string): string {
  return `case when ${moment} = date_trunc('day', ${moment}) then ${moment}::date end`
}

const FROM: Readonly<Record<string, Convert>> = {
  text: fromText,
  'character varying': fromText,
  smallint: fromNumber,
  integer: fromNumber,
  bigint: fromNumber,
  numeric: fromNumber,
  boolean: (value, to) => (isNumber(to) ? numberAs(`${value}::integer::numeric`, to) : undefined),
  date: (value, to) => (to.base === MOMENT ? `${value}::timestamp at time zone 'UTC'` : undefined),
  [MOMENT]: (value, to) => (to.base === 'date' ? dayOf(`(${value} at time zone 'UTC')`) : undefined),
}

function isNumber({ base }: Parsed): boolean {
  return base === 'numeric' || INTEGERS.includes(base)
}

/** The converted value of `column` (quoted); undefined where no value of the one type means one of the other. */
export function converted(column: string, from: Parsed, to: Parsed): string | undefined {
  return FROM[from.base]?.(column, to)
}

/**
 * `free`: every value fits; `checked`: those fit that `misfit` (SQL over the old column) does not name; `converted`: each
 * becomes `using`, which is null where it has no meaning as the new type; `apart`: none has one.
 */
export type TypeChange =
  | { readonly kind: 'free'; readonly using: string }
  | { readonly kind: 'checked'; readonly using: string; readonly misfit: string; readonly consequence: string }
  | { readonly kind: 'converted'; readonly using: string; readonly misfit: string; readonly consequence: string }
  | { readonly kind: 'apart' }

const HAVE_TEXT = new Set([...INTEGERS, 'numeric', 'boolean', 'date', 'timestamp with time zone', 'uuid'])

function betweenStrings(column: string, to: Parsed, using: string, from: Parsed): TypeChange {
  if (to.size >= from.size) return { kind: 'free', using }
  const consequence = `are longer than ${to.size} characters`
  return { kind: 'checked', using, misfit: `char_length(${column}) > ${to.size}`, consequence }
}

function betweenDecimals(column: string, from: Parsed, to: Parsed, using: string): TypeChange {
  if (to.scale >= from.scale && to.size - to.scale >= from.size - from.scale) return { kind: 'free', using }
  const misfit = `abs(${column}) >= 1e${to.size - to.scale} or ${column} <> round(${column}, ${to.scale})`
  return {
    kind: 'checked',
    using,
    misfit,
    consequence: `do not fit into ${to.size} digits, ${to.scale} of them decimals`,
  }
}

/** Judges a change between two types as `format_type` prints them, for a column of that (unquoted) name. */
export function typeChange(name: string, fromType: string, toType: string): TypeChange {
  const [from, to, column] = [parseType(fromType), parseType(toType), q(name)]
  const using = `${column}::${toType}`
  if (STRINGS.has(from.base) && STRINGS.has(to.base)) return betweenStrings(column, to, using, from)
  if (from.base === 'numeric' && to.base === 'numeric') return betweenDecimals(column, from, to, using)
  const [narrow, wide] = [INTEGERS.indexOf(from.base), INTEGERS.indexOf(to.base)]
  if (narrow >= 0 && wide >= narrow) return { kind: 'free', using }
  if (from.base === 'bigint' && to.base === 'integer') {
    const misfit = `${column} not between -2147483648 and 2147483647`
    return { kind: 'checked', using, misfit, consequence: 'are beyond 2147483647' }
  }
  if (narrow >= 0 && to.base === 'numeric') {
    // The least integer has no opposite of its own type.
    const misfit = `abs(${column}::numeric) >= 1e${to.size - to.scale}`
    return Number.isFinite(to.size)
      ? { kind: 'checked', using, misfit, consequence: 'are too large' }
      : { kind: 'free', using }
  }
  if (to.base === 'text' && HAVE_TEXT.has(from.base)) return { kind: 'free', using }
  if (to.base === 'character varying' && HAVE_TEXT.has(from.base)) {
    const misfit = `char_length(${column}::text) > ${to.size}`
    return { kind: 'checked', using, misfit, consequence: `are longer than ${to.size} characters` }
  }
  const value = converted(column, from, to)
  if (value === undefined) return { kind: 'apart' }
  const misfit = `${column} is not null and (${value}) is null`
  const isCutOff = from.base === MOMENT && to.base === 'date'
  const consequence = isCutOff
    ? 'have a time of day, which would be cut off'
    : `have a value that means nothing as ${toType}`
  return { kind: 'converted', using: value, misfit, consequence }
}

/** Whether PostgreSQL would write every row again, while everybody waits, to change the type of a column. */
export function rewrites(fromType: string, toType: string): boolean {
  const [from, to] = [parseType(fromType), parseType(toType)]
  if (STRINGS.has(from.base) && STRINGS.has(to.base)) return to.size < from.size
  if (from.base === 'numeric' && to.base === 'numeric') return to.size < from.size || to.scale !== from.scale
  return true
}
