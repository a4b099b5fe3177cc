/** The field type `integer`: a whole number, of 32 bits unless its limits ask for more. */
import type { Json } from '../json.ts'
import { clamped } from './bigint.ts'
import { boundsMistakes, numberOption, ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldOptions, FieldType } from './field-type.ts'

/**
 * The ends of PostgreSQL's ranges are never stored: in a filter they mean everything beyond, so that
 * `count=99999999999` finds nothing and `count[lt]=99999999999` finds all, without an error of the database.
 */
const SMALL = { least: -2_147_483_647, most: 2_147_483_646 }
const LARGE = { least: -Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER }

/** A limit beyond the numbers that JavaScript keeps exactly would be another one than is written. */
function bound(description: string, example: number): Record<string, unknown> {
  const { least: minimum, most: maximum } = LARGE
  return {
    type: 'integer',
    minimum,
    maximum,
    description,
    examples: [example],
    'x-advice': 'type: bigint holds larger ones',
  }
}

export const integer: FieldType = {
  name: 'integer',
  description: 'A whole number.',
  options: {
    min: bound('The least value.', 1),
    max: bound('The greatest value.', 5),
  },
  column: (options) => (range(options) === LARGE ? 'bigint' : 'integer'),
  schema: (options) => ({
    type: 'integer',
    minimum: numberOption(options, 'min', range(options).least),
    maximum: numberOption(options, 'max', range(options).most),
  }),
  wire: 'number',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: (value, options) => {
    const number = wholeNumber(value)
    if (number === undefined) return { code: 'wrong_type', error: 'must be an integer' }
    return within(number, options)
  },
  parse: (text, options) => {
    if (!/^[+-]?\d{1,1000}$/.test(text.trim())) return { code: 'wrong_type', error: 'must be an integer' }
    const number = Number(text)
    const own = range(options)
    // A table that was there already may hold numbers beyond those of JavaScript, so that none may be found as another.
    if (own === LARGE && !Number.isSafeInteger(number)) return { value: clamped(text.trim()) }
    return { value: Math.min(own.most + 1, Math.max(own.least - 1, number)) }
  },
  mistakes: (options) => boundsMistakes(options),
}

/** A number or digit string as a whole number; undefined for anything else. */
export function wholeNumber(value: Json): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 0 : undefined
  return typeof value === 'string' && /^[+-]?\d{1,30}$/.test(value) ? Number(value) + 0 : undefined
}

function within(number: number, options: FieldOptions): Decoded {
  const { min, max } = options.own
  const { least, most } = range(options)
  const low = typeof min === 'number' ? min : least
  const high = typeof max === 'number' ? max : most
  if (typeof min === 'number' && typeof max === 'number' && (number < min || number > max))
    return { code: 'out_of_range', error: `must be between ${min} and ${max}` }
  if (number < low) return { code: 'too_small', error: `must be at least ${low}` }
  return number > high ? { code: 'too_large', error: `must be at most ${high}` } : { value: number === 0 ? 0 : number }
}

function range(options: FieldOptions): typeof SMALL {
  const low = numberOption(options, 'min', 0)
  const high = numberOption(options, 'max', 0)
  return low < SMALL.least || high > SMALL.most ? LARGE : SMALL
}
