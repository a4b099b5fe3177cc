/** Compares an answer with the parts of it that a scenario names. */
import { isObject, type Json } from '../json.ts'

/** One value that is another than the expected one. */
export interface Difference {
  readonly at: readonly (string | number)[]
  readonly expected: Json
  /** undefined: there is nothing. */
  readonly found: Json | undefined
}

/** What differs: keys that are not named may be anything, lists must have the same length. */
export function differences(expected: Json, found: Json | undefined, at: Difference['at'] = []): readonly Difference[] {
  if (isObject(expected) && isObject(found)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, Object.hasOwn(found, name) ? found[name] : undefined, [...at, name]),
    )
  }
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    return expected.flatMap((value: Json, index) => differences(value, found[index] as Json, [...at, index]))
  }
  return Object.is(expected, found) ? [] : [{ at, expected, found }]
}
