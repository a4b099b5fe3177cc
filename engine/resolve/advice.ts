/** What to write instead of a value that a field does not take. */
import type { Field } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'
import { nearest } from '../text/nearest.ts'

/** How a value of each type is written. */
const WRITTEN: Readonly<Record<string, string>> = {
  integer: '7',
  bigint: '"7"',
  reference: '7',
  reference_bigint: '"7"',
  decimal: '"9.50"',
  boolean: 'true or false',
  date: '2026-01-31',
  timestamp: '2026-01-31T09:30:00Z',
  string: '"a text"',
  text: '"a text"',
  secret: '"a text"',
  email: 'ann@example.org',
  url: 'https://example.org/page',
  color: '"#3366cc"',
  slug: 'a-name',
  list: '[a, b]',
  uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
}

/** What stands for the moment at which a record is written. */
const LATEST: Readonly<Record<string, string>> = { date: '$today', timestamp: '$now' }

/** A hint for a value that was refused with `error`. */
export function adviceFor({ options, type }: Pick<Field, 'options' | 'type'>, value: Json, error: string): string {
  const { values } = options.own
  if (Array.isArray(values)) {
    const meant = nearest(String(value), values.map(String))
    return meant === undefined ? 'take one of its words, or add this one to them' : `did you mean "${meant}"?`
  }
  if (error === 'has an invalid format') return `write a text that fits ${String(options.own.pattern ?? 'its form')}`
  const moment = LATEST[type.name]
  if (moment !== undefined && /^(now|today|current_?(timestamp|date|time)|curdate)\b/i.test(String(value)))
    return `write ${moment}`
  const bound = /^must (be|have) at (most|least)/.test(error)
  const example = WRITTEN[type.name]
  if (bound || example === undefined) return 'change the value, or what the field says of its values'
  return `write a value of the field, as ${example}`
}
