/** The shape that a json field's values must fit: the part of JSON Schema that can be judged fast and safely. */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { characters, lengthOf } from './characters.ts'
import { longestFor, matches, unusablePattern } from './pattern.ts'

/** Why a value does not fit, and where inside it. */
export interface Misfit {
  readonly error: string
  readonly at: string
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

const SILENT = ['$schema', '$comment', 'title', 'description', 'default', 'examples', 'format', 'deprecated']
const JUDGING = [
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
]

/** What the patterns of a schema may still take of one value, as a share of 1. */
interface Allowance {
  left: number
}

/** The first reason why a value does not fit a schema, or undefined when it does. */
export function misfit(
  schema: JsonObject,
  value: Json,
  at: readonly string[] = [],
  patterns: Allowance = { left: 1 },
): Misfit | undefined {
  const no = (error: string): Misfit => ({ error, at: at.join('.') })
  const types = [schema.type ?? []].flat() as readonly string[]
  if (types.length > 0 && !types.some((type) => isOf(type, value)))
    return no(`must be ${types.map((type) => KINDS[type] ?? type).join(' or ')}`)
  const words = Array.isArray(schema.enum)
    ? (schema.enum as readonly Json[])
    : 'const' in schema
      ? [schema.const ?? null]
      : undefined
  if (words !== undefined && !words.some((word) => same(word, value)))
    return no(`must be ${words.length === 1 ? '' : 'one of '}${words.map((word) => JSON.stringify(word)).join(', ')}`)
  const branches = (schema.anyOf ?? schema.oneOf) as readonly JsonObject[] | undefined
  if (branches !== undefined) {
    const misfits = branches.map((branch) => misfit(branch, value, at, patterns))
    const fitting = misfits.filter((found) => found === undefined).length
    if (fitting === 0) return misfits[0]
    if (schema.oneOf !== undefined && fitting > 1) return no('must fit only one of the forms that are known')
  }
  if (typeof value === 'string') return prefixed(no, textMisfit(schema, value, patterns))
  if (typeof value === 'number') return prefixed(no, bounds(value, schema.minimum, schema.maximum))
  if (Array.isArray(value)) return listMisfit(schema, value as readonly Json[], at, patterns)
  return typeof value === 'object' && value !== null ? mapMisfit(schema, value as JsonObject, at, patterns) : undefined
}

function textMisfit(schema: JsonObject, value: string, patterns: Allowance): string | undefined {
  const length = lengthOf(value)
  if (typeof schema.minLength === 'number' && length < schema.minLength)
    return `must be at least ${characters(schema.minLength)}`
  if (typeof schema.maxLength === 'number' && length > schema.maxLength)
    return `must be at most ${characters(schema.maxLength)}`
  if (typeof schema.pattern !== 'string') return undefined
  patterns.left -= value.length / longestFor(schema.pattern)
  if (patterns.left < 0) return 'makes the value hold more text than its patterns can check'
  return matches(schema.pattern, value) ? undefined : 'has an invalid format'
}

function listMisfit(
  schema: JsonObject,
  value: readonly Json[],
  at: readonly string[],
  patterns: Allowance,
): Misfit | undefined {
  const sentence = bounds(value.length, schema.minItems, schema.maxItems, 'have', ' items')
  if (sentence !== undefined) return { error: sentence, at: at.join('.') }
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    const found = isObject(schema.items) ? misfit(schema.items, item, [...at, String(index)], patterns) : undefined
    if (found !== undefined) return found
    const text = schema.uniqueItems === true ? canonical(item) : String(index)
    if (seen.has(text)) return { error: 'must not repeat another item', at: [...at, String(index)].join('.') }
    seen.add(text)
  }
  return undefined
}

function mapMisfit(
  schema: JsonObject,
  value: JsonObject,
  at: readonly string[],
  patterns: Allowance,
): Misfit | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {}
  for (const key of (schema.required ?? []) as readonly string[]) {
    if (!Object.hasOwn(value, key)) return { error: `must have the key "${key}"`, at: [...at, key].join('.') }
  }
  for (const [key, child] of Object.entries(value)) {
    const rest = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
    if (rest === false) return { error: `must not have the key "${key.slice(0, 64)}"`, at: [...at, key].join('.') }
    const found = isObject(rest) ? misfit(rest, child, [...at, key], patterns) : undefined
    if (found !== undefined) return found
  }
  const sentence = bounds(Object.keys(value).length, schema.minProperties, schema.maxProperties, 'have', ' entries')
  return sentence === undefined ? undefined : { error: sentence, at: at.join('.') }
}

function bounds(size: number, least: unknown, most: unknown, verb = 'be', unit = ''): string | undefined {
  if (typeof least === 'number' && size < least) return `must ${verb} at least ${least}${unit}`
  return typeof most === 'number' && size > most ? `must ${verb} at most ${most}${unit}` : undefined
}

function prefixed(no: (error: string) => Misfit, sentence: string | undefined): Misfit | undefined {
  return sentence === undefined ? undefined : no(sentence)
}

function isOf(type: string, value: Json): boolean {
  if (value === null) return type === 'null'
  if (Array.isArray(value)) return type === 'array'
  if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value))
  return typeof value === type
}

function same(a: Json, b: Json): boolean {
  return a === b || canonical(a) === canonical(b)
}

/** JSON with sorted keys: equal values, equal texts. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`
}

/** Why a schema can't be used, as a sentence; undefined when it can. */
export function unusableShape(schema: Json): string | undefined {
  if (!isObject(schema)) return 'The schema must be a map'
  const unknown = Object.keys(schema).find((keyword) => !JUDGING.includes(keyword) && !SILENT.includes(keyword))
  if (unknown !== undefined) return `The schema uses "${unknown}"; it may use ${JUDGING.join(', ')}`
  const unusable = typeof schema.pattern === 'string' ? unusablePattern(schema.pattern) : undefined
  if (unusable !== undefined) return unusable
  const inner = [
    ...(isObject(schema.properties) ? Object.values(schema.properties) : []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(isObject(schema.additionalProperties) ? [schema.additionalProperties] : []),
    ...([schema.anyOf ?? [], schema.oneOf ?? []].flat() as readonly Json[]),
  ]
  return inner.map(unusableShape).find((sentence) => sentence !== undefined)
}
