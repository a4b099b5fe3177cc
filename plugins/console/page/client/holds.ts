/** Whether a condition in the words of filters holds for a record that is on the screen. */
import { isRecord, type Json, type RecordData, valueAt } from './catalog.ts'
import type { Condition } from './screens.ts'

/** What conditions are asked of: a value by its path; undefined where it is not known. */
export type Values = (path: string) => Json | undefined

/** The values of a record as an answer has them; a related record is its id. */
export function valuesOf(record: RecordData): Values {
  return (path) => idIn(valueAt(record, path))
}

function idIn(value: Json): Json {
  return isRecord(value) && value.id !== undefined ? value.id : value
}

/** Whether it holds; what cannot be judged here holds, because the server judges again. `me` is the id of the reader. */
export function holds(condition: Condition | undefined, values: Values, me: Json): boolean {
  return condition === undefined || judged(condition, values, me) !== false
}

function judged(condition: Condition, values: Values, me: Json): boolean | undefined {
  return every(Object.entries(condition).map(([key, value]) => entry(key, value, values, me)))
}

function every(parts: readonly (boolean | undefined)[]): boolean | undefined {
  return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true
}

function entry(key: string, value: Json, values: Values, me: Json): boolean | undefined {
  if (key === 'not') return negated(judged(value as Condition, values, me))
  if (key === 'all' || key === 'any') {
    const parts = (value as readonly Condition[]).map((one) => judged(one, values, me))
    return key === 'all' ? every(parts) : negated(every(parts.map(negated)))
  }
  const now = values(key)
  if (now === undefined) return undefined
  if (value === null) return now === null
  if (Array.isArray(value)) return value.some((one) => isEqual(now, one as Json))
  if (!isRecord(value)) return isEqual(now, wanted(value, me))
  return every(Object.entries(value).map(([word, other]) => compared(word, now, other, me)))
}

function negated(is: boolean | undefined): boolean | undefined {
  return is === undefined ? undefined : !is
}

/** A variable as the value that it has now. */
export function wanted(value: Json, me: Json): Json {
  if (value === '$actor') return me
  if (value === '$now') return new Date().toISOString()
  if (value === '$today') return new Date().toISOString().slice(0, 10)
  return value
}

function isEqual(a: Json, b: Json): boolean {
  return a !== null && b !== null && String(a) === String(b)
}

function compared(word: string, now: Json, other: Json, me: Json): boolean | undefined {
  if (word === 'null') return (now === null) === other
  if (word === 'in') return (other as readonly Json[]).some((one) => isEqual(now, one))
  if (word === 'not_in') return !(other as readonly Json[]).some((one) => isEqual(now, one))
  const value = wanted(other, me)
  if (word === 'ne') return !isEqual(now, value)
  if (now === null || value === null) return false
  if (word === 'eq') return isEqual(now, value)
  const text = String(now).toLowerCase()
  if (word === 'contains') return text.includes(String(value).toLowerCase())
  if (word === 'starts_with') return text.startsWith(String(value).toLowerCase())
  if (word === 'ends_with') return text.endsWith(String(value).toLowerCase())
  const order = orderOf(now, value)
  const found = { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[word]
  return found
}

function orderOf(a: Json, b: Json): number {
  const [one, other] = [Number(a), Number(b)]
  if (Number.isFinite(one) && Number.isFinite(other)) return one - other
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}
