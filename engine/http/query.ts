/** Reads the query of a request: refuses what is malformed, unknown or given twice, and decodes the rest by its fields. */
import type { Field } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { Decoded } from '../field/field-type.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { itemsOf } from '../text/listed.ts'
import { knownHere, nearest } from '../text/nearest.ts'

const NONE: Readonly<Record<string, Json>> = Object.freeze({})

/** A query string as parameters; throws bad_request when it is too long or its encoding is broken. */
export function parseQuery(text: string): URLSearchParams {
  if (text.length > LIMITS.queryBytes) throw new ApiError('bad_request', { message: 'Query string too long' })
  if (text.includes('%')) {
    try {
      decodeURIComponent(text)
    } catch {
      throw new ApiError('bad_request', { message: 'Malformed query string' })
    }
  }
  const query = ownNames(new URLSearchParams(text))
  if (/%00/.test(text)) refuseNul(query)
  return query
}

/** The same with `operators[price[gte]]` as `price[gte]`: clients made from the document may send either for its parameter `operators`. */
function ownNames(query: URLSearchParams): URLSearchParams {
  if (![...query.keys()].some((name) => NESTED.test(name))) return query
  return new URLSearchParams(
    [...query].map(([name, value]): [string, string] => [NESTED.exec(name)?.[1] ?? name, value]),
  )
}

const NESTED = /^operators\[([^[\]]+\[\w+\])\]$/

function refuseNul(query: URLSearchParams): void {
  const errors: Record<string, FieldError[]> = Object.create(null)
  for (const [name, value] of query) {
    if (name.includes('\0') || value.includes('\0')) {
      errors[name.replaceAll('\0', '')] = [
        fieldError('not_text', 'The parameter contains characters that are not text'),
      ]
    }
  }
  throw invalid(errors)
}

function unknown(name: string, fields: readonly Field[]): string {
  const names = fields.map((field) => field.name)
  const meant = nearest(name, names)
  return `Unknown parameter "${name.slice(0, 64)}"${meant === undefined ? knownHere(names) : `; did you mean "${meant}"?`}`
}

/** The items of a list, written with commas or given one by one. */
function partsOf(given: readonly string[]): readonly string[] {
  return given.flatMap(itemsOf).filter((text) => text.trim() !== '')
}

/** The value of a parameter within the bounds of its field; bounds of columns do not apply to queries. */
function valueIn({ type, options }: Field, text: string): Decoded {
  const parsed = type.parse(text, options)
  return 'error' in parsed || Object.keys(options.own).length === 0 ? parsed : type.decode(parsed.value, options)
}

/** The values of the declared parameters; throws validation_failed keyed by parameter. */
export function decodeQuery(
  query: URLSearchParams,
  fields: readonly Field[],
  unknownParameters: 'refuse' | 'ignore',
): Readonly<Record<string, Json>> {
  if (query.size === 0 && fields.length === 0) return NONE
  const values: Record<string, Json> = {}
  const errors: Record<string, FieldError[]> = Object.create(null)
  const known = new Map(fields.map((field) => [field.name, field]))
  if (unknownParameters === 'refuse') {
    const others = [...new Set(query.keys())].filter((name) => !known.has(name))
    for (const name of others.slice(0, LIMITS.queryErrors))
      errors[name] = [fieldError('unknown_parameter', unknown(name, fields))]
  }
  for (const [name, field] of known) {
    const given = query.getAll(name)
    const label = name.replaceAll('_', ' ')
    const text = given[0] ?? ''
    const listed = field.type.name === 'list'
    if (given.length > 1 && !listed) errors[name] = [fieldError('given_twice', `The ${label} may be given only once`)]
    else if (given.some((one) => one !== '')) {
      const decoded = listed ? field.type.decode(partsOf(given), field.options) : valueIn(field, text)
      if ('error' in decoded) errors[name] = [fieldError(decoded.code ?? 'invalid', `The ${label} ${decoded.error}`)]
      else values[name] = decoded.value
    } else if (field.default !== undefined) values[name] = field.default
    else if (field.required) errors[name] = [fieldError('required', `The ${label} is required`)]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return Object.freeze(values)
}
