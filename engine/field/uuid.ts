/** The field type `uuid`: 128 bits as PostgreSQL writes them, in lower case with hyphens; and new UUIDs of version 7 (RFC 9562). */

import { randomBytes } from 'node:crypto'
import type { Json } from '../json.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldType } from './field-type.ts'

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const uuid: FieldType = {
  name: 'uuid',
  description: 'A UUID of any version.',
  options: {},
  column: () => 'uuid',
  schema: () => ({ type: 'string', format: 'uuid' }),
  wire: 'string',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: uuidOf,
  parse: uuidOf,
}

/** A text as a UUID, in the one form in which it is stored. */
function uuidOf(value: Json): Decoded {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return FORM.test(text) ? { value: text } : { code: 'wrong_format', error: 'must be a UUID' }
}

/** Whether PostgreSQL itself would write a UUID so. */
export function isUuid(text: string): boolean {
  return FORM.test(text)
}

/** Makes UUIDs of version 7, each greater than the one before, whatever its clock does. */
function uuid7Maker(random: (bytes: number) => Buffer = randomBytes): (now: number) => string {
  let lastMs = 0
  let count = 0
  return (now) => {
    const bytes = random(10)
    const ms = Math.max(Math.floor(now), lastMs)
    // Half of the numbers of a millisecond are left for those that come in the same one.
    count = ms > lastMs ? bytes.readUInt16BE(0) & 0x7ff : count + 1
    lastMs = count > 0xfff ? ms + 1 : ms
    if (count > 0xfff) count = 0
    const head = lastMs.toString(16).padStart(12, '0') + (0x7000 | count).toString(16)
    bytes[2] = (bytes[2]! & 0x3f) | 0x80
    const hex = head + bytes.subarray(2).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}

/** The next UUID of this process, for a moment in milliseconds. */
export const uuid7 = uuid7Maker()

/**
 * The same as the DEFAULT of a column, for rows that others write: milliseconds, then microseconds in steps of a quarter,
 * then chance. As PostgreSQL prints it, so that it is known again.
 */
export const UUID7_DEFAULT = `(encode((int8send(((((floor((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric)))::bigint << 16) + 28672) + (((EXTRACT(microseconds FROM clock_timestamp()))::bigint % (1000)::bigint) * 4))) || "substring"(uuid_send(gen_random_uuid()), 9)), 'hex'::text))::uuid`
