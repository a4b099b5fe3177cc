/** What changing the type of a column would do to the values in it. */
import { quoted as q } from '../filter/sql.ts'
import { converted, INTEGERS, MOMENT, type Parsed, parseType, STRINGS } from './convert.ts'

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
