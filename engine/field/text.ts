/** The field type `text`: long text of several lines. */
import { LIMITS } from '../limits.ts'
import { boundsMistakes, brokenLines, decodeText, numberOption, parseText, TEXT_OPERATORS } from './characters.ts'
import type { FieldOptions, FieldType } from './field-type.ts'
import { MIN, maxOption } from './string.ts'

/** A body holds a megabyte, and a character up to four bytes. */
const LONGEST = 250_000

export const text: FieldType = {
  name: 'text',
  description: 'Long text of several lines.',
  options: { min: MIN, max: maxOption(LONGEST, LIMITS.textLength) },
  column: () => 'text',
  schema: (options) => ({
    type: 'string',
    maxLength: most(options),
    ...(options.own.min === undefined ? {} : { minLength: options.own.min }),
  }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: false,
  decode: (value, options) => {
    const decoded = decodeText(value, numberOption(options, 'min', 0), most(options))
    const broken = 'error' in decoded ? undefined : brokenLines(String(decoded.value))
    return broken === undefined ? decoded : { code: 'invalid', error: broken }
  },
  parse: parseText,
  mistakes: (options) => boundsMistakes(options, 'min', 'max', LIMITS.textLength),
}

function most(options: FieldOptions): number {
  return numberOption(options, 'max', LIMITS.textLength)
}
