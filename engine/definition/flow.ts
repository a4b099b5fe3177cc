/** A value as YAML on one line: `{ type: enum, values: [draft, sent] }`. */
import { isObject, type Json } from '../json.ts'

/** Words that need no quotes, in any reader of YAML; those that older ones take for a switch are not among them. */
const PLAIN = /^[A-Za-z_$][\w$.*-]*$/
const OTHERWISE = /^(?:true|false|null|yes|no|on|off|y|n)$/i

export function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${flow(key)}: ${flow(item)}`)
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  if (typeof value === 'string') return PLAIN.test(value) && !OTHERWISE.test(value) ? value : JSON.stringify(value)
  return String(value)
}
