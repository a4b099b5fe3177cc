/** What the unique indexes of a table come to in the YAML, which asks that an index can hold every value. Pure. */
import type { JsonObject } from '../json.ts'
import { INDEXED_CHARACTERS, INDEXED_FIELDS } from '../resolve/sizes.ts'
import { LONGEST } from './column.ts'

/** Words of the YAML, and what people should know of them. */
export interface Uniqueness {
  readonly words: JsonObject
  readonly note?: { readonly what: string; readonly done: string }
}

const REFUSED = 'the database refuses a second one, as before'

/** Whether some value of a field would be too long for an index. */
function isLong({ type, max }: JsonObject): boolean {
  if (type === 'json') return true
  const longest = type === 'text' ? LONGEST.text : type === 'string' ? LONGEST.line : 0
  return Number(max ?? longest) > INDEXED_CHARACTERS
}

/** Of a field that is unique alone. */
export function uniqueField(field: JsonObject): Uniqueness {
  const { type, default: given, required, nullable } = field
  const unsaid = (why: string): Uniqueness => {
    return { words: {}, note: { what: 'is unique', done: `the YAML does not say so, because ${why}; ${REFUSED}` } }
  }
  if (type === 'json') return unsaid('it is json')
  if (type === 'boolean' && (required === true || nullable === false)) return unsaid('it is a boolean')
  if (given !== undefined && !(typeof given === 'string' && given.startsWith('$'))) return unsaid('it has a default')
  if (!isLong(field)) return { words: { unique: true } }
  const done = `the YAML takes at most ${INDEXED_CHARACTERS} characters; longer ones that are there are answered`
  return { words: { unique: true, max: INDEXED_CHARACTERS }, note: { what: 'is unique, and may be long', done } }
}

/** Of fields that are unique together; no words where one of them may be too long for an index, or there are too many. */
export function uniqueTogether(names: readonly string[], fields: ReadonlyMap<string, JsonObject>): Uniqueness {
  const long = names.filter((name) => isLong(fields.get(name) ?? {}))
  if (long.length === 0 && names.length <= INDEXED_FIELDS) return { words: { fields: [...names], unique: true } }
  const what = `is unique by ${names.join(', ')}`
  const why = long.length === 0 ? 'they are too many' : `${long.join(', ')} may be long`
  return { words: {}, note: { what, done: `the YAML does not say so, because ${why}; ${REFUSED}` } }
}
