/** The default of a column as the YAML writes it. */
import { isBigint } from '../field/bigint.ts'
import type { Json } from '../json.ts'

const NOW =
  /^\(?(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|(?:statement|clock|transaction)_timestamp\(\)|\('now'::text\)::timestamp[\w() ]*)\)?(?:::timestamp[\w() ]*)?$/i
const TODAY = /^\(?(?:CURRENT_DATE|now\(\)|CURRENT_TIMESTAMP|\('now'::text\)::date)\)?(?:::date)?$/i
const QUOTED = /^\(?'((?:[^']|'')*)'\)?(?:::[\w ".]+(?:\([\d,]+\))?)?$/s
const PLAIN = /^\(*(-?\d+(?:\.\d+)?|true|false)\)*(?:::[\w ]+(?:\([\d,]+\))?)?$/

/** The value; undefined where it is made of something else, and the database alone gives it. */
export function defaultOf(type: string, sql: string): Json | undefined {
  if (type === 'timestamp') return NOW.test(sql) ? '$now' : undefined
  if (type === 'date' && TODAY.test(sql)) return '$today'
  const text = QUOTED.exec(sql)?.[1]?.replaceAll("''", "'") ?? PLAIN.exec(sql)?.[1]
  // A word with a $ in front means something else to the YAML.
  if (text === undefined || text.startsWith('$')) return undefined
  switch (type) {
    case 'boolean':
      return text === 'true' || text === 't' ? true : text === 'false' || text === 'f' ? false : undefined
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    case 'bigint':
      return isBigint(text) ? text : undefined
    case 'json':
      return parsed(text)
    default:
      return text
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
