/** The field type `url`: an address on the web, or a path on this one where the YAML says so. */
import { brokenLine, decodeText, parseText, TEXT_OPERATORS } from './characters.ts'
import type { FieldType } from './field-type.ts'

const LONGEST = 2_000

export const url: FieldType = {
  name: 'url',
  description: 'An http or https address.',
  options: {
    relative: { type: 'boolean', description: 'Also a relative path without "..".', examples: [true] },
  },
  column: () => `character varying(${LONGEST})`,
  longest: () => LONGEST,
  schema: (options) => ({
    type: 'string',
    format: options.own.relative === true ? 'uri-reference' : 'uri',
    maxLength: LONGEST,
  }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: false,
  decode: (value, options) => {
    const decoded = decodeText(value, 0, LONGEST)
    if ('error' in decoded) return decoded
    const text = String(decoded.value)
    const broken = brokenLine(text)
    if (broken !== undefined) return { code: 'invalid', error: broken }
    if (isWebAddress(text) || (options.own.relative === true && isRelativePath(text))) return decoded
    return {
      code: 'wrong_format',
      error:
        options.own.relative === true ? 'must be a valid URL or a relative path without ".."' : 'must be a valid URL',
    }
  },
  parse: parseText,
}

/** Only what a browser opens as a page: no javascript:, no data:, no name and password. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/\\]/i.test(text) || unprintable(text)) return false
  try {
    const { username, password, hostname } = new URL(text)
    return username === '' && password === '' && hostname !== ''
  } catch {
    return false
  }
}

function isRelativePath(text: string): boolean {
  if (unprintable(text) || /[\\:]/.test(text) || text.startsWith('//')) return false
  const steps = text
    .replace(/[?#].*$/, '')
    .replace(/%2e/gi, '.')
    .replace(/%2f|%5c/gi, '/')
    .split('/')
  return text !== '' && !steps.includes('..')
}

function unprintable(text: string): boolean {
  return /[\s\p{Cc}<>"`]/u.test(text)
}
