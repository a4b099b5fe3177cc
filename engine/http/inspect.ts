/** Looks through a JSON body before anything uses it: depth (400), and text that no column can hold (422). */
import { ApiError, type FieldErrors } from '../error.ts'
import type { JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'

/** NUL, which PostgreSQL cannot store, and half a surrogate pair, which no UTF-8 can express. */
const UNUSABLE = /[\0\ud800-\udfff]/u

/** Errors by path; without a prototype, since `__proto__` may be one of the paths. */
function noErrors(): Record<string, string[]> {
  return Object.create(null)
}

/** What was found so far; a count beside it, because counting keys at every step would cost more than the look. */
interface Findings {
  readonly errors: Record<string, string[]>
  count: number
  /** The keys that lead to where the look is. */
  readonly at: (string | number)[]
}

function note(findings: Findings, sentence: (path: string) => string): void {
  // A long key would stand in the path of everything below it, as often as there is something wrong.
  const path = findings.at.map((key) => String(key).slice(0, LIMITS.unknownKeyLength)).join('.')
  findings.errors[path] = [sentence(path)]
  findings.count += 1
}

function walk(value: unknown, findings: Findings): void {
  if (findings.count >= LIMITS.bodyErrors) return
  if (typeof value === 'string') {
    if (UNUSABLE.test(value)) note(findings, (path) => `The ${path} contains characters that are not text`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const { at } = findings
  if (at.length >= LIMITS.jsonDepth) throw new ApiError('malformed_body')
  // Not by entries: a body may hold a hundred thousand of them.
  const depth = at.length
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      at[depth] = index
      walk(value[index], findings)
    }
  } else {
    for (const key of Object.keys(value)) {
      at[depth] = key
      if (key === '__proto__') note(findings, (path) => `The ${path} is not a known field`)
      else if (UNUSABLE.test(key)) note(findings, () => 'A key contains characters that are not text')
      else walk(Reflect.get(value, key), findings)
    }
  }
  at.length = depth
}

/**
 * What is wrong with a body's texts and keys, by path in dot form, the first LIMITS.bodyErrors of it; throws
 * malformed_body when it is nested too deep.
 */
export function inspectBody(body: JsonObject): FieldErrors {
  const findings: Findings = { errors: noErrors(), count: 0, at: [] }
  walk(body, findings)
  return findings.errors
}
