/** The field type `email`: an address in the one form by which it can be compared and be unique. */
import { domainToASCII, domainToUnicode } from 'node:url'
import { decodeText, parseText, TEXT_OPERATORS } from './characters.ts'
import type { FieldType } from './field-type.ts'

const LONGEST = 254
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u
const LABEL = /^[a-z0-9\u0080-\u{10ffff}](?:[a-z0-9\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/u

export const email: FieldType = {
  name: 'email',
  description: 'An e-mail address, kept in lower case and in one form of its characters.',
  options: {},
  column: () => 'character varying(255)',
  schema: () => ({ type: 'string', format: 'email', maxLength: LONGEST }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: true,
  lowered: true,
  decode: (value) => {
    const decoded = decodeText(value, 0, LONGEST)
    if ('error' in decoded) return decoded
    const address = canonical(String(decoded.value))
    return isAddress(address) ? { value: address } : { code: 'wrong_format', error: 'must be a valid email address' }
  },
  parse: (text) => parseText(canonical(text.trim())),
}

/** Signs that nobody sees: with them, two addresses that look alike would be two. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** Lower case, one form for every character, and a domain always in letters, never in its `xn--` spelling. */
function canonical(text: string): string {
  const address = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (at === -1 || !/[^\0-\x7f]|(^|\.)xn--/.test(domain)) return address
  const letters = domainToUnicode(domainToASCII(domain))
  return letters === '' ? address : `${address.slice(0, at)}@${letters}`
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const labels = text.slice(at + 1).split('.')
  return (
    at > 0 &&
    at <= 64 &&
    !UNSEEN.test(text) &&
    LOCAL.test(text.slice(0, at)) &&
    labels.length >= 2 &&
    labels.every((label) => label.length <= 63 && LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}
