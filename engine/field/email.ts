/** The field type `email`: an address, lower-cased so that it can be compared and be unique. */
import { decodeText, parseText, TEXT_OPERATORS } from './characters.ts'
import type { FieldType } from './field-type.ts'

const LONGEST = 254
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u
const LABEL = /^[a-z0-9\u0080-\u{10ffff}](?:[a-z0-9\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/u

export const email: FieldType = {
  name: 'email',
  description: 'An e-mail address, kept in lower case.',
  options: {},
  column: () => 'character varying(255)',
  schema: () => ({ type: 'string', format: 'email', maxLength: LONGEST }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: true,
  decode: (value) => {
    const decoded = decodeText(value, 0, LONGEST)
    if ('error' in decoded) return decoded
    const address = String(decoded.value).toLowerCase()
    return isAddress(address) ? { value: address } : { error: 'must be a valid email address' }
  },
  parse: (text) => parseText(text.trim().toLowerCase()),
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const labels = text.slice(at + 1).split('.')
  return (
    at > 0 &&
    at <= 64 &&
    !/\s/.test(text) &&
    LOCAL.test(text.slice(0, at)) &&
    labels.length >= 2 &&
    labels.every((label) => label.length <= 63 && LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}
