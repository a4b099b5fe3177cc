/** PostgreSQL's text of a column as JSON text: the hottest loop of every read. */
import type { WireKind } from './field-type.ts'

/** The JSON of one column's text as pg gives it; null is SQL's NULL. */
export function wireJson(kind: WireKind, text: string | null): string {
  if (text === null) return 'null'
  switch (kind) {
    case 'number':
      return number(text)
    case 'string':
      return string(text)
    case 'boolean':
      return text === 't' || text === 'true' ? 'true' : 'false'
    case 'timestamp':
      return timestamp(text)
    case 'date':
      return `"${text}"`
    case 'json':
      return text
  }
}

/** NaN and the infinities are numbers to PostgreSQL and none to JSON. */
function number(text: string): string {
  const first = text.charCodeAt(0)
  return first === 78 || first === 73 || (first === 45 && text.charCodeAt(1) === 73) ? 'null' : text
}

/** Up to this length a loop beats the call into JSON.stringify. */
const SHORT = 64

function string(text: string): string {
  const { length } = text
  if (length > SHORT) return JSON.stringify(text)
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 32 || unit === 34 || unit === 92 || unit > 0xd7ff) return JSON.stringify(text)
  }
  return `"${text}"`
}

const ZEROS = ['', '0', '00', '000', '0000', '00000']

/** `2026-01-01 10:00:00.12+00` → `"2026-01-01T10:00:00.120000Z"`. */
function timestamp(text: string): string {
  const { length } = text
  // Anything but a moment of our era in UTC is rare: infinity, years beyond 9999.
  if (text.charCodeAt(10) !== 32 || text.charCodeAt(length - 3) !== 43) return JSON.stringify(text)
  const day = text.slice(0, 10)
  if (length === 22) return `"${day}T${text.slice(11, 19)}.000000Z"`
  if (length === 29) return `"${day}T${text.slice(11, 26)}Z"`
  return `"${day}T${text.slice(11, length - 3)}${ZEROS[29 - length] ?? ''}Z"`
}
