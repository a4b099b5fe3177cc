/** Looks through a JSON body before anything uses it: depth (400), and text that no column can hold (422). */
import { ApiError, type FieldErrors } from '../error.ts'
import type { JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'

/** NUL, which PostgreSQL cannot store, and half a surrogate pair, which no UTF-8 can express. */
const UNUSABLE = /[\0\ud800-\udfff]/u

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Errors by path; without a prototype, since `__proto__` may be one of the paths. */
function noErrors(): Record<string, string[]> {
  return Object.create(null)
}

function walk(value: unknown, path: string, depth: number, errors: Record<string, string[]>): void {
  if (typeof value === 'string') {
    if (UNUSABLE.test(value)) errors[path] = [`The ${path} contains characters that are not text`]
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > LIMITS.jsonDepth) throw new ApiError('malformed_body')
  for (const [key, child] of Object.entries(value)) {
    const below = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') errors[below] = [`The ${below} is not a known field`]
    else if (UNUSABLE.test(key)) errors[path] = ['A key contains characters that are not text']
    else walk(child, below, depth + 1, errors)
  }
}

/** What is wrong with a body's texts and keys, by path in dot form; throws malformed_body when it is nested too deep. */
export function inspectBody(body: JsonObject): FieldErrors {
  const errors = noErrors()
  walk(body, '', 1, errors)
  return errors
}
