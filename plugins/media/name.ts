/** Names of files, made harmless wherever they are shown or saved. */
import type { FieldErrorCode } from '../../engine/index.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const LONGEST = 255

/** The mistake in a file name, as the end of a sentence with its code; undefined without one. */
export function nameFault(name: string): { readonly code: FieldErrorCode; readonly says: string } | undefined {
  if (name === '' || name === '.' || name === '..') return { code: 'invalid', says: 'must name a file' }
  if (name.length > LONGEST) return { code: 'too_long', says: `must be at most ${LONGEST} characters` }
  if (/[/\\]/.test(name)) return { code: 'invalid', says: 'must not contain a slash' }
  if (UNSHOWN.test(name) || !name.isWellFormed())
    return { code: 'invalid', says: 'contains characters that cannot be shown' }
  return undefined
}

/** `Content-Disposition` of a download: plain ASCII for old clients, the whole name by RFC 5987 for the others. */
export function dispositionOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%;]/gu, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
