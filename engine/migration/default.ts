/** One spelling for the DEFAULT of a column, whether the catalog or PostgreSQL writes it, so that texts can be compared. */
import type { Json } from '../json.ts'
import { quoteText } from './name.ts'

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

function literal(type: string, text: string): string {
  if (type === 'jsonb') return quoteText(JSON.stringify(sorted(JSON.parse(text))))
  if (type.startsWith('timestamp')) {
    const at = new Date(/[zZ]$|[+-]\d\d(:?\d\d)?$/.test(text) ? text.replace(/([+-]\d\d)$/, '$1:00') : `${text}Z`)
    return quoteText(Number.isNaN(at.getTime()) ? text : at.toISOString())
  }
  return quoteText(text)
}

/** The DEFAULT of a decoded value: always a quoted literal, which PostgreSQL reads as the column's type. */
export function literalDefault(type: string, value: Json): string {
  if (type === 'jsonb') return literal(type, JSON.stringify(value))
  return literal(type, typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A DEFAULT as `pg_get_expr` prints it, in our spelling; expressions that are no literals stay as they are. */
export function canonicalDefault(type: string, printed: string): string {
  const sequence = /nextval\('"?([^'"]+)"?'(?:::regclass)?\)/.exec(printed)?.[1]
  if (sequence !== undefined) return `nextval('${sequence.split('.').at(-1)}')::text`
  const quoted = /^\(?'((?:[^']|'')*)'\)?(?:::[\w "]+(?:\([\d,]+\))?(?:\[\])?)?$/.exec(printed)?.[1]
  if (quoted !== undefined) return literal(type, quoted.replaceAll("''", "'"))
  const plain = /^\(?(-?\d+(?:\.\d+)?|true|false)\)?(?:::[\w ]+(?:\([\d,]+\))?)?$/.exec(printed)?.[1]
  if (plain !== undefined) return literal(type, plain)
  return printed
}
