/** The field type `slug`: a name for addresses, made from another field when it is not given. */
import { decodeText, parseText, TEXT_OPERATORS } from './characters.ts'
import type { FieldType } from './field-type.ts'

const LONGEST = 255
const FORM = '^[a-z0-9]+(?:[_-][a-z0-9]+)*$'
const SLUG = new RegExp(FORM)

export const slug: FieldType = {
  name: 'slug',
  description: 'A name for addresses: lower-case letters and digits, with single hyphens or underscores between them.',
  options: {
    from: {
      type: 'string',
      description: 'The field from which it is made when none is given.',
      examples: ['name'],
      pattern: '^[A-Za-z][A-Za-z0-9_]*$',
      'x-expects': 'a field of this resource',
    },
  },
  column: () => `character varying(${LONGEST})`,
  schema: () => ({ type: 'string', pattern: FORM, maxLength: LONGEST }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: true,
  decode: (value) => {
    const decoded = decodeText(value, 0, LONGEST)
    if ('error' in decoded || SLUG.test(String(decoded.value))) return decoded
    return {
      code: 'wrong_format',
      error: 'must contain only lower-case letters, digits and single hyphens or underscores',
    }
  },
  parse: (text) => parseText(text.trim()),
}

/** Letters that Unicode does not take apart into a base and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'ng',
  '&': ' and ',
}

/**
 * A text as a slug, at most `most` characters: `slugify('Größe & Weight') === 'grosse-and-weight'`.
 * Empty when the text has no letter or digit that ASCII could show.
 */
export function slugify(text: string, most = LONGEST): string {
  return text
    .toLowerCase()
    .replace(/[ßæœøđðþłıħŋ&]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, most + 1)
    .replace(/^-+/, '')
    .slice(0, most)
    .replace(/-+$/, '')
}
