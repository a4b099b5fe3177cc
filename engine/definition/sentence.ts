/** The words in which judgements speak of values, kinds and places. */
import { isObject, type Json, type JsonSchema } from '../json.ts'
import { memo } from '../memo.ts'
import type { Path } from './definition.ts'

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'empty',
}

/** Whether a value is of one of the JSON types a schema names; a schema without types takes any. */
export function isKind(schema: JsonSchema, value: Json): boolean {
  const types = typesOf(schema)
  if (types.length === 0) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array')
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
  return types.includes(typeof value)
}

const typesOf = memo((schema: JsonSchema): readonly string[] => {
  if (Array.isArray(schema.type)) return schema.type
  if (typeof schema.type === 'string') return [schema.type]
  return [...new Set((words(schema) ?? []).map((word) => (word === null ? 'null' : typeof word)))]
})

/** What a schema takes, in words: `text`, `a whole number`; of fixed words, the words themselves. */
export function kinds(schema: JsonSchema): readonly string[] {
  const known = words(schema)
  if (known !== undefined) return known.map(label)
  return typesOf(schema)
    .filter((type) => type !== 'null')
    .map((type) => KINDS[type] ?? type)
}

/** The fixed values a schema admits, if it lists them. */
export function words(schema: JsonSchema): readonly Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum
  return 'const' in schema ? [schema.const as Json] : undefined
}

/** What a value is, in words. */
export function kindOf(value: Json): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `text (${label(value)})`
  return typeof value === 'boolean' ? String(value) : `the number ${value}`
}

/** A value as part of a sentence, cut where it is long. */
export function label(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

/** The thing at a path, as the beginning or the end of a sentence: `"required"`, `Item 2 of "search"`. */
export function subject(path: Path, begins = true): string {
  const last = path.at(-1)
  if (last === undefined) return begins ? 'The file' : 'the file'
  if (typeof last === 'string') return `"${last}"`
  return `${begins ? 'Item' : 'item'} ${last + 1} of ${subject(path.slice(0, -1), false)}`
}

/** Characters that look like a blank and are none to YAML: those of texts that were copied from a page. */
const ODD_BLANKS = /[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]/

/** What to do about a key with such a character; undefined for one without. */
export function oddBlanks(key: string): string | undefined {
  return ODD_BLANKS.test(key)
    ? 'it has a character that only looks like a blank, as pages have them: write a usual blank instead'
    : undefined
}

/** Words that need no quotes, in any reader of YAML; those that older ones take for a switch are not among them. */
const PLAIN = /^[A-Za-z_$][\w$.*-]*$/
const OTHERWISE = /^(?:true|false|null|yes|no|on|off|y|n)$/i

export function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${flowKey(key)}: ${flow(item)}`)
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  if (typeof value === 'string') return PLAIN.test(value) && !OTHERWISE.test(value) ? value : JSON.stringify(value)
  return String(value)
}

/** A key as the guides write it: files are YAML 1.2, where only `null` is more than a text, and as a key it is one. */
export function flowKey(key: string): string {
  return key === 'on' || key === 'null' ? key : flow(key)
}
