/** The field type `color`: a colour as the web writes it. */
import { parseText } from './characters.ts'
import type { FieldType } from './field-type.ts'

const FORM = '^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$'
const COLOR = new RegExp(FORM)

export const color: FieldType = {
  name: 'color',
  description: 'A colour, #rgb or #rrggbb.',
  options: {},
  column: () => 'character varying(7)',
  schema: () => ({ type: 'string', pattern: FORM }),
  wire: 'string',
  operators: ['eq', 'ne', 'in', 'not_in', 'null'],
  sortable: true,
  decode: (value) =>
    typeof value === 'string' && COLOR.test(value)
      ? { value }
      : { code: 'wrong_format', error: 'must be a color such as #f80 or #ff8800' },
  parse: parseText,
}
