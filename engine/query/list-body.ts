/** The query of a list as a JSON body: the same parameters, with values and lists of values instead of texts. */
import { WORD_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'
import { FieldError, fieldError } from '../field-error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'

/** The parameters that a body stands for; throws ApiError validation_failed keyed by parameter. */
export function parametersOf(body: JsonObject): readonly (readonly [string, string])[] {
  // Without a prototype: a key may be "__proto__".
  const errors: Record<string, FieldError[]> = Object.create(null)
  let complaints = 0
  const parameters = Object.entries(body).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    const read = textsOf(name, value)
    if (!(read instanceof FieldError)) return read.map((text) => [name, text])
    complaints += 1
    if (complaints <= LIMITS.queryErrors) errors[name.slice(0, LIMITS.unknownKeyLength)] = [read]
    return []
  })
  if (complaints > 0) throw invalid(errors)
  return parameters
}

/** The texts of a parameter, or its refusal. */
function textsOf(name: string, value: Json): readonly string[] | FieldError {
  const subject = `The ${name.slice(0, LIMITS.unknownKeyLength)} parameter`
  if (name === 'where')
    return isObject(value) ? [JSON.stringify(value)] : fieldError('wrong_type', `${subject} must be an object`)
  if (value === null)
    return fieldError('invalid', `${subject} must not be null; {"where":{"field":null}} asks for what is absent`)
  if (isObject(value))
    return fieldError('wrong_format', `${subject} must be a value or a list of values; conditions stand under "where"`)
  if (!Array.isArray(value)) return [String(value)]
  const items: readonly Json[] = value
  if (items.length === 0) return fieldError('too_few', `${subject} must have at least 1 item`)
  if (items.some((item) => item === null || typeof item === 'object'))
    return fieldError('wrong_type', `${subject} must be a list of values`)
  const texts = items.map(String)
  return WORD_PARAMETERS.includes(name) || name.endsWith('[between]') ? [texts.join(',')] : texts
}
