/** YAML as people write it: one line for each field. */
import type { Json } from '../json.ts'

/** Words that YAML 1.1 or 1.2 takes for something other than a text. */
const OTHER = /^(?:true|false|null|yes|no|on|off|y|n)$/i
const BARE = /^[A-Za-z$][A-Za-z0-9_$./-]*(?: [A-Za-z0-9_$./-]+)*$/

/** What single quotes can hold as it is, and double ones could not. */
const SINGLE = /^[ !"#-&(-~]*"[ !"#-&(-~]*$/

/** A text, in quotes where it would be something else without them. */
export function scalar(text: string): string {
  if (BARE.test(text) && !OTHER.test(text)) return text
  return SINGLE.test(text) ? `'${text}'` : JSON.stringify(text)
}

/** A value on one line. */
export function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? scalar(value) : String(value)
  const entries = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Names beside what belongs to them, under one another: nothing of a wider name than this is made to wait for. */
const WIDEST = 24

/** A map with one line for each entry, below a key. */
export function block(key: string, entries: Iterable<readonly [name: string, value: Json]>): string {
  const all = [...entries]
  if (all.length === 0) return ''
  const width = Math.min(WIDEST, Math.max(...all.map(([name]) => scalar(name).length)))
  return `${key}:\n${all.map(([name, value]) => `  ${`${scalar(name)}:`.padEnd(width + 1)} ${flow(value)}\n`).join('')}`
}
