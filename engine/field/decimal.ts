/** The field type `decimal`: an exact number, a string on the wire because JSON's numbers are not exact. */
import type { Json } from '../json.ts'
import { numberOption, ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldOptions, FieldType, Refusal } from './field-type.ts'

const PRECISION = 12
const SCALE = 2
/** A JSON number of more digits may already have lost some of them. */
const SURE_DIGITS = 15

const LIMIT = { type: ['number', 'string'], 'x-expects': 'a number', pattern: '^-?\\d+(\\.\\d+)?$' }

export const decimal: FieldType = {
  name: 'decimal',
  description: 'An exact number such as money; a string in JSON.',
  options: {
    precision: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: `All digits; ${PRECISION} if absent.`,
      examples: [12],
    },
    scale: {
      type: 'integer',
      minimum: 0,
      maximum: 50,
      description: `Digits after the point; ${SCALE} if absent.`,
      examples: [2],
    },
    min: { ...LIMIT, description: 'The least value.', examples: ['0.01'] },
    max: { ...LIMIT, description: 'The greatest value.', examples: ['9999.99'] },
  },
  column: (options) => `numeric(${precisionOf(options)},${scaleOf(options)})`,
  schema: (options) => ({
    type: 'string',
    pattern: `^-?\\d+${scaleOf(options) > 0 ? `\\.\\d{${scaleOf(options)}}` : ''}$`,
  }),
  input: (options) => {
    const [scale, digits] = [scaleOf(options), precisionOf(options) - scaleOf(options)]
    const most = Number(`${'9'.repeat(digits) || '0'}.${'9'.repeat(scale) || '0'}`)
    const whole = digits === 0 ? '0+' : `0*\\d{1,${digits}}`
    return {
      type: ['string', 'number'],
      pattern: scale > 0 ? `^[+-]?${whole}(\\.\\d{1,${scale}}0*)?$` : `^[+-]?${whole}(\\.0+)?$`,
      minimum: Number(options.own.min ?? -most),
      maximum: Number(options.own.max ?? most),
    }
  },
  wire: 'string',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: (value, options) => {
    const parts = split(value)
    return 'error' in parts ? parts : fit(parts, options)
  },
  parse: (text) => {
    const parts = split(text.trim())
    return 'error' in parts ? parts : { value: join(parts, parts.fraction.length) }
  },
  mistakes: (options) => {
    const errors: Record<string, string> = {}
    const precision = precisionOf(options)
    if (scaleOf(options) > precision) errors.scale = `"scale" must not be above "precision" (${precision})`
    const min = split(options.own.min ?? null)
    const max = split(options.own.max ?? null)
    if (!('error' in min) && !('error' in max) && compare(min, max) > 0) {
      errors.max = `"max" must not be below "min" (${String(options.own.min)})`
    }
    for (const [bound, parts] of Object.entries({ min, max })) {
      const unfit = 'error' in parts ? undefined : beyond(parts, options)
      if (unfit !== undefined) errors[bound] = `"${bound}" is no value of the field: it ${unfit.error}`
    }
    return errors
  },
}

/** A number as its digits: sign, those before the point without leading zeros, those after it. */
interface Parts {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

function split(value: Json): Parts | Refusal {
  if (
    typeof value === 'number' &&
    value
      .toPrecision()
      .replace(/e.*|[-.]/g, '')
      .replace(/^0+/, '').length > SURE_DIGITS
  )
    return { code: 'invalid', error: 'must be sent as a string to keep all of its digits' }
  const text = typeof value === 'number' ? plain(value) : value
  const match = typeof text === 'string' && text.length <= 200 ? /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) : null
  if (match === null) return { code: 'wrong_type', error: 'must be a number' }
  const whole = (match[2] ?? '').replace(/^0+(?=\d)/, '')
  const fraction = (match[3] ?? '').replace(/0+$/, '')
  return { negative: match[1] === '-' && !(whole === '0' && fraction === ''), whole, fraction }
}

/** A JSON number without an exponent: 1e-7 becomes 0.0000001. */
function plain(value: number): string {
  const text = String(value)
  const [digits, exponent] = text.split('e')
  if (exponent === undefined || digits === undefined) return text
  const negative = digits.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.')
  const shift = Number(exponent)
  if (shift < 0) return `${negative}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  return `${negative}${whole}${fraction}${'0'.repeat(Math.max(0, shift - fraction.length))}`
}

/** Why a number has more digits than the field. */
function beyond(parts: Parts, options: FieldOptions): Refusal | undefined {
  const scale = scaleOf(options)
  const digits = precisionOf(options) - scale
  if (parts.fraction.length > scale)
    return {
      code: 'invalid',
      error:
        scale === 0
          ? 'must not have decimal places'
          : `must have at most ${scale} decimal place${scale === 1 ? '' : 's'}`,
    }
  if (parts.whole === '0' || parts.whole.length <= digits) return undefined
  return {
    code: 'too_long',
    error: `must have at most ${digits} digit${digits === 1 ? '' : 's'} before the decimal point`,
  }
}

function fit(parts: Parts, options: FieldOptions): Decoded {
  const scale = scaleOf(options)
  const unfit = beyond(parts, options)
  if (unfit !== undefined && parts.fraction.length > scale) return unfit
  const min = split(options.own.min ?? null)
  const max = split(options.own.max ?? null)
  if (!('error' in min) && compare(parts, min) < 0)
    return { code: 'too_small', error: `must be at least ${join(min, min.fraction.length)}` }
  if (!('error' in max) && compare(parts, max) > 0)
    return { code: 'too_large', error: `must be at most ${join(max, max.fraction.length)}` }
  if (unfit !== undefined) return unfit
  return { value: join(parts, scale) }
}

function join(parts: Parts, scale: number): string {
  const fraction = scale === 0 ? '' : `.${parts.fraction.padEnd(scale, '0')}`
  return `${parts.negative ? '-' : ''}${parts.whole}${fraction}`
}

function compare(a: Parts, b: Parts): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1
  const sign = a.negative ? -1 : 1
  if (a.whole.length !== b.whole.length) return a.whole.length < b.whole.length ? -sign : sign
  const width = Math.max(a.fraction.length, b.fraction.length)
  const left = a.whole + a.fraction.padEnd(width, '0')
  const right = b.whole + b.fraction.padEnd(width, '0')
  return left === right ? 0 : left < right ? -sign : sign
}

/** How many digits there are behind the point. */
export function scaleOf(options: FieldOptions): number {
  return numberOption(options, 'scale', Math.min(SCALE, precisionOf(options)))
}

/** How many digits there are in all. */
export function precisionOf(options: FieldOptions): number {
  return numberOption(options, 'precision', PRECISION)
}
