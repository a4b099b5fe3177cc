/** The changes between two JSON Schemas, for a client that sends such values or receives them. */
import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../../json.ts'
import type { Node, OpenApiDocument } from '../openapi-document.ts'

/** One change. */
export interface Change {
  readonly breaking: boolean
  /** The operation, `GET /api/v1/tickets`, or the schema that many operations share. */
  readonly where: string
  readonly what: string
}

/** A part of a document, after its reference was followed. */
export function resolved(document: OpenApiDocument, node: unknown): Node {
  let found = (node ?? {}) as Node
  while (typeof found.$ref === 'string') {
    const keys = found.$ref.replace(/^#\//, '').split('/')
    found = keys.reduce<Node>((at, key) => (at[key] ?? {}) as Node, document)
  }
  return found
}

/** The side of a schema: `sent` may take more than before, `answered` may hold less. */
export interface Spot {
  readonly where: string
  readonly at: string
  readonly direction: 'sent' | 'answered'
}

export type CompareSchemas = (spot: Spot, older: JsonSchema, newer: JsonSchema) => void

/** A schema with its references followed and its `allOf` merged. */
interface Flat {
  readonly types: ReadonlySet<string> | undefined
  readonly words: readonly unknown[] | undefined
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: ReadonlySet<string>
  readonly items: JsonSchema | undefined
  readonly alternatives: readonly JsonSchema[]
  readonly others: JsonSchema
}

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const FORMS = ['pattern', 'format', 'multipleOf', 'uniqueItems']

/** Compares schemas of two documents; `told` gets each change once, under the name of the schema where it has one. */
export function createSchemaComparison(
  older: OpenApiDocument,
  newer: OpenApiDocument,
  told: (change: Change) => void,
): CompareSchemas {
  const seen = new Set<string>()
  const compare: CompareSchemas = (spot, before, now) => {
    const [former, name] = [nameOf(before), nameOf(now)]
    if (former !== undefined || name !== undefined) {
      const key = `${spot.direction} ${former ?? JSON.stringify(before)} ${name ?? JSON.stringify(now)}`
      if (seen.has(key)) return
      seen.add(key)
    }
    const place = name === undefined ? spot : { where: name, at: '', direction: spot.direction }
    const say: Say = (breaking, what) =>
      told({ breaking, where: place.where, what: place.at === '' ? what : `${place.at} ${what}` })
    compareFlat({ spot: place, compare, say }, flat(older, before), flat(newer, now))
  }
  return compare
}

type Say = (breaking: boolean, what: string) => void

/** The two schemas, the comparison of their parts, and the receiver of changes. */
interface Comparison {
  readonly spot: Spot
  readonly compare: CompareSchemas
  readonly say: Say
}

function compareFlat(comparison: Comparison, before: Flat, now: Flat): void {
  const { spot, compare, say } = comparison
  const isSent = spot.direction === 'sent'
  compareTypes(before, now, isSent, say)
  compareWords(before, now, isSent, say)
  if (isSent) compareLimits(before.others, now.others, say)
  compareProperties(comparison, before, now)
  if (before.items !== undefined && now.items !== undefined)
    compare({ ...spot, at: within(spot.at, 'an item') }, before.items, now.items)
  compareAlternatives(comparison, before.alternatives, now.alternatives)
}

function compareProperties({ spot, compare, say }: Comparison, before: Flat, now: Flat): void {
  const isSent = spot.direction === 'sent'
  for (const [name, schema] of Object.entries(before.properties)) {
    const next = now.properties[name]
    if (next === undefined) {
      say(true, isSent ? `does not take "${name}" any more` : `has no "${name}" any more`)
      continue
    }
    if (isSent && now.required.has(name) && !before.required.has(name)) say(true, `requires "${name}" now`)
    if (!isSent && before.required.has(name) && !now.required.has(name)) say(true, `may be without "${name}" now`)
    compare({ ...spot, at: within(spot.at, `"${name}"`) }, schema, next)
  }
  for (const name of Object.keys(now.properties)) {
    if (name in before.properties) continue
    const isNeeded = isSent && now.required.has(name)
    const verb = isNeeded ? 'requires' : isSent ? 'takes' : 'has'
    say(isNeeded, `${verb} "${name}", which is new`)
  }
}

function compareAlternatives(
  { spot, compare, say }: Comparison,
  before: readonly JsonSchema[],
  now: readonly JsonSchema[],
): void {
  const isSent = spot.direction === 'sent'
  const matches = (one: JsonSchema, other: JsonSchema): boolean =>
    nameOf(one) === undefined ? isDeepStrictEqual(one, other) : nameOf(one) === nameOf(other)
  for (const one of before) {
    const next = now.find((other) => matches(one, other))
    if (next !== undefined) compare(spot, one, next)
  }
  const gone = before.filter((one) => !now.some((other) => matches(one, other)))
  const added = now.filter((one) => !before.some((other) => matches(one, other)))
  const [[was, ...others], [is, ...further]] = [gone, added]
  // If exactly one named form is gone and one is new, its resource was renamed.
  if (was && is && others.length + further.length === 0 && nameOf(was) !== undefined && nameOf(is) !== undefined) {
    compare(spot, was, is)
    return
  }
  for (const _ of gone) say(isSent, 'has one form less')
  for (const _ of added) say(!isSent, 'has one form more')
}

function within(at: string, part: string): string {
  return at === '' ? part : `${part} of ${at}`
}

function nameOf({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined
}

function flat(document: OpenApiDocument, schema: JsonSchema): Flat {
  const whole = resolved(document, schema)
  const parts = [...list(whole.allOf), ...list(whole.anyOf ?? whole.oneOf).filter(isNull)].map((one) =>
    flat(document, one),
  )
  const own = list(whole.anyOf ?? whole.oneOf)
  const isNullable = own.some(isNull)
  const types = typesOf(whole) ?? parts.find((part) => part.types !== undefined && !isNullable)?.types
  return {
    types: types === undefined || !isNullable ? types : new Set([...types, 'null']),
    words: (whole.enum as readonly unknown[] | undefined) ?? ('const' in whole ? [whole.const] : undefined),
    properties: Object.assign({}, ...parts.map((part) => part.properties), whole.properties),
    required: new Set([...parts.flatMap((part) => [...part.required]), ...((whole.required ?? []) as string[])]),
    items: (whole.items as JsonSchema | undefined) ?? parts.find((part) => part.items !== undefined)?.items,
    alternatives: own,
    others: Object.assign({}, ...parts.map((part) => part.others), whole),
  }
}

function list(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : []
}

function isNull({ type }: JsonSchema): boolean {
  return type === 'null'
}

function typesOf({ type, properties }: JsonSchema): ReadonlySet<string> | undefined {
  if (typeof type === 'string') return new Set([type])
  if (Array.isArray(type)) return new Set(type as string[])
  return properties === undefined ? undefined : new Set(['object'])
}

/** The types of the first that the second lacks; an integer counts as a number. */
function lacking(types: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...types].filter((type) => !others.has(type) && !(type === 'integer' && others.has('number')))
}

function compareTypes({ types: before }: Flat, { types: now }: Flat, isSent: boolean, say: Say): void {
  if (before === undefined && now === undefined) return
  if (before === undefined || now === undefined) {
    const isNarrower = before === undefined
    say(isSent === isNarrower, isNarrower ? `is ${[...now!].join(' or ')} now` : 'may be of any type now')
    return
  }
  const [gone, added] = [lacking(before, now), lacking(now, before)]
  if (gone.length > 0) say(isSent, `is no ${gone.join(' or ')} any more`)
  if (added.length > 0) say(!isSent, `may be ${added.join(' or ')} now`)
}

function compareWords({ words: before }: Flat, { words: now }: Flat, isSent: boolean, say: Say): void {
  if (before === undefined && now === undefined) return
  if (before === undefined || now === undefined) {
    const isNarrower = now !== undefined
    say(isSent === isNarrower, isNarrower ? `is one of ${shown(now)} now` : 'may be any value now')
    return
  }
  const gone = before.filter((word) => !now.includes(word))
  const added = now.filter((word) => !before.includes(word))
  if (gone.length > 0) say(isSent, `is not ${shown(gone)} any more`)
  if (added.length > 0) say(!isSent, `may be ${shown(added)} now`)
}

function shown(words: readonly unknown[]): string {
  return words.map((word) => JSON.stringify(word)).join(', ')
}

function compareLimits(before: JsonSchema, now: JsonSchema, say: Say): void {
  const compare = (key: string, isTighter: (old: number, next: number) => boolean): void => {
    const [old, next] = [before[key], now[key]] as (number | undefined)[]
    if (old === next) return
    const tighter = next !== undefined && (old === undefined || isTighter(old, next))
    say(
      tighter,
      next === undefined
        ? `has no ${key} any more`
        : `has ${key} ${next}${old === undefined ? '' : ` instead of ${old}`}`,
    )
  }
  for (const key of UPPER) compare(key, (old, next) => next < old)
  for (const key of LOWER) compare(key, (old, next) => next > old)
  for (const key of FORMS) {
    const [old, next] = [before[key], now[key]]
    if (old !== next)
      say(next !== undefined, next === undefined ? `needs no ${key} any more` : `has the ${key} ${String(next)} now`)
  }
}
