/** Compares an answer with the expected parts of it. */
import { isObject, type Json } from '../json.ts'

/** One value that is not the expected one. */
export interface Difference {
  readonly at: readonly (string | number)[]
  readonly expected: Json
  /** undefined: no value. */
  readonly found: Json | undefined
}

/** The differences: keys that are not named may have any value, lists must have the same length. */
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
