/**
 * The client of PostgreSQL ⇄, and how it turns the text of a column into a JavaScript value: numbers stay numbers,
 * times stay text.
 */
import { createRequire } from 'node:module'
import type pg from 'pg'

/**
 * `pg` looks at `navigator` to find out whether it runs at Cloudflare. Node 20 has none, so `pg` makes a Response instead,
 * for which Node loads all of its `fetch`: 40 ms and 4 MB of a start.
 */
function loadClient(): typeof import('pg') {
  const load = createRequire(import.meta.url)
  if ('navigator' in globalThis) return load('pg')
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Node.js' }, configurable: true })
  try {
    return load('pg')
  } finally {
    Reflect.deleteProperty(globalThis, 'navigator')
  }
}

const client = loadClient()

export const { Client, Pool } = client
export const types: typeof client.types = client.types

type Parse = (text: string) => unknown

const asText: Parse = (text) => text
/** The parser of an array of text, whose number pg's own list of types lacks. */
const TEXT_ARRAY: number = 1009
const asTexts: Parse = types.getTypeParser(TEXT_ARRAY, 'text')

/**
 * int8 → number; date, timestamp, timestamptz, numeric → text: Date drops microseconds and shifts days, a double drops
 * digits.
 */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [20, Number],
  [1082, asText],
  [1114, asText],
  [1184, asText],
  [1700, asText],
  [1182, asTexts],
  [1115, asTexts],
  [1185, asTexts],
  [1231, asTexts],
])

/** The parsers of one connection, so that nothing is changed for the whole process. */
export const COLUMN_TYPES: pg.CustomTypesConfig = Object.freeze({
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : PARSERS.get(oid)
    return own ?? (format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid, 'text'))
  },
})
