/** Whether a filter holds for one value of an attribute with several values, as a path of a PATCH names some of them. */
import { isObject, type Json, type JsonObject } from '../../../engine/index.ts'
import type { Filter, Value } from './parse.ts'

/** Whether a value fulfils a filter over its sub-attributes. */
export function holdsFor(filter: Filter, element: JsonObject): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.parts.every((part) => holdsFor(part, element))
    case 'any':
      return filter.parts.some((part) => holdsFor(part, element))
    case 'no':
      return !holdsFor(filter.part, element)
    case 'present':
      return (valueAt(element, filter.name) ?? null) !== null
    case 'some':
      return false
    case 'compare':
      return compared(valueAt(element, filter.name), filter.by, filter.value)
  }
}

/** The value of a key of an object, whose name in lower case is given. */
export function valueAt(object: Json | undefined, name: string): Json | undefined {
  if (!isObject(object)) return undefined
  const key = Object.keys(object).find((one) => one.toLowerCase() === name)
  return key === undefined ? undefined : object[key]
}

function compared(stored: Json | undefined, by: string, value: Value): boolean {
  const [one, other] = [textOf(stored), textOf(value)]
  if (by === 'eq') return one === other
  if (by === 'ne') return one !== other
  if (one === undefined || other === undefined) return false
  switch (by) {
    case 'co':
      return one.includes(other)
    case 'sw':
      return one.startsWith(other)
    case 'ew':
      return one.endsWith(other)
    case 'gt':
      return one > other
    case 'ge':
      return one >= other
    case 'lt':
      return one < other
    default:
      return one <= other
  }
}

/** Texts are compared without regard to case; clients write booleans as texts too. */
function textOf(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : String(value).toLowerCase()
}
