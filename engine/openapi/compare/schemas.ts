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
  /** The forms of a choice but null; none where there is no choice. */
  readonly alternatives: readonly JsonSchema[]
  readonly others: JsonSchema
  /** The schema itself, by its reference where it has one. */
  readonly whole: JsonSchema
}

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const FORMS = ['pattern', 'format', 'multipleOf', 'uniqueItems']

/** Compares schemas of two documents; `told` gets each change once, under the name of the schema where it has one. */
export function createSchemaComparison(
  older: OpenApiDocument,
  newer: OpenApiDocument,
  told: (change: Change) => void,
  seen = new Set<string>(),
): CompareSchemas {
  const rated: Comparison['rated'] = (spot, before, now) => {
    const found: Change[] = []
    if (!isAlike(flat(older, before), flat(newer, now))) return Number.POSITIVE_INFINITY
    createSchemaComparison(older, newer, (change) => found.push(change), new Set(seen))(spot, before, now)
    return found.length + found.filter(({ breaking }) => breaking).length * found.length
  }
  const compare: CompareSchemas = (spot, before, now) => {
    const [former, name] = [nameOf(before), nameOf(now)]
    if (former !== undefined || name !== undefined) {
      const key = `${spot.direction} ${former ?? JSON.stringify(before)} ${name ?? JSON.stringify(now)}`
      if (seen.has(key)) return
      seen.add(key)
    }
    const [was, is] = [flat(older, before), flat(newer, now)]
    // A form alone is not what it is in a choice: what changes is where the choice is.
    const isNamed = name !== undefined && isChoice(was) === isChoice(is)
    const place = isNamed ? { where: name, at: '', direction: spot.direction } : spot
    const say: Say = (breaking, what) =>
      told({ breaking, where: place.where, what: place.at === '' ? what : `${place.at} ${what}` })
    compareFlat({ spot: place, compare, rated, say }, was, is)
  }
  return compare
}

type Say = (breaking: boolean, what: string) => void

/** The two schemas, the comparison of their parts, and the receiver of changes. */
interface Comparison {
  readonly spot: Spot
  readonly compare: CompareSchemas
  /** How much differs between two forms, infinity where they have nothing in common. */
  readonly rated: (spot: Spot, older: JsonSchema, newer: JsonSchema) => number
  readonly say: Say
}

function compareFlat(comparison: Comparison, before: Flat, now: Flat): void {
  const { spot, compare, say } = comparison
  if (isChoice(before) || isChoice(now)) {
    compareChoices(comparison, before, now)
    return
  }
  const isSent = spot.direction === 'sent'
  compareTypes(before, now, isSent, say)
  compareWords(before, now, isSent, say)
  if (isSent) compareLimits(before.others, now.others, say)
  compareProperties(comparison, before, now)
  if (before.items !== undefined && now.items !== undefined)
    compare({ ...spot, at: within(spot.at, 'an item') }, before.items, now.items)
  if (before.alternatives.length > 0 && now.alternatives.length > 0) compareForms(comparison, before, now)
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

/** A schema that is no choice is a choice of one form. */
function compareChoices(comparison: Comparison, before: Flat, now: Flat): void {
  compareForms(comparison, before, now)
  const { spot, say } = comparison
  const isSent = spot.direction === 'sent'
  const [was, is] = [isNullable(before), isNullable(now)]
  if (was && !is) say(isSent, 'is no null any more')
  if (!was && is) say(!isSent, 'may be null now')
}

function compareForms(comparison: Comparison, before: Flat, now: Flat): void {
  const isSent = comparison.spot.direction === 'sent'
  const [gone, added] = paired(comparison, formsOf(before), formsOf(now))
  if (gone > 0) comparison.say(isSent, `has ${forms(gone)} less`)
  if (added > 0) comparison.say(!isSent, `has ${forms(added)} more`)
}

/** Whether a schema is nothing but a choice between others. */
function isChoice({ alternatives, properties, types }: Flat): boolean {
  const own = [...(types ?? [])].filter((type) => type !== 'null')
  return alternatives.length > 0 && own.length === 0 && Object.keys(properties).length === 0
}

/** Whether two forms can be one that was changed: their types meet, and objects share a property. */
function isAlike(one: Flat, other: Flat): boolean {
  if (isChoice(one) || isChoice(other)) return true
  if (one.types === undefined || other.types === undefined) return true
  const shared = [...one.types].filter((type) => other.types!.has(type))
  if (shared.some((type) => type !== 'object')) return true
  const [names, others] = [Object.keys(one.properties), Object.keys(other.properties)]
  return shared.length > 0 && (names.length === 0 || names.some((name) => others.includes(name)))
}

function forms(count: number): string {
  return count === 1 ? 'one form' : `${count} forms`
}

/** Compares each form with its later one; gives how many are gone, and how many are new. */
function paired(
  { compare, spot, rated }: Comparison,
  before: readonly JsonSchema[],
  now: readonly JsonSchema[],
): readonly [gone: number, added: number] {
  const left = [...now]
  const pair = (one: JsonSchema, at: number): void => compare(spot, one, left.splice(at, 1)[0]!)
  const changed = before.filter((one) => {
    const same = left.findIndex((other) => isSameForm(one, other))
    if (same !== -1) pair(one, same)
    return same === -1
  })
  const gone = changed.filter((one) => {
    // A form that was renamed or changed is the one that is most like it.
    const likeness = left.map((other) => rated(spot, one, other))
    const best = likeness.indexOf(Math.min(...likeness))
    if (Number.isFinite(likeness[best])) pair(one, best)
    return !Number.isFinite(likeness[best])
  })
  return [gone.length, left.length]
}

function isSameForm(one: JsonSchema, other: JsonSchema): boolean {
  return nameOf(one) === undefined ? isDeepStrictEqual(one, other) : nameOf(one) === nameOf(other)
}

function formsOf({ alternatives, whole }: Flat): readonly JsonSchema[] {
  return alternatives.length === 0 ? [whole] : alternatives
}

function isNullable({ types }: Flat): boolean {
  return types?.has('null') === true
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
  const withNull = own.some(isNull)
  const types = typesOf(whole) ?? parts.find((part) => part.types !== undefined && !withNull)?.types
  return {
    types: withNull ? new Set([...(types ?? []), 'null']) : types,
    words: (whole.enum as readonly unknown[] | undefined) ?? ('const' in whole ? [whole.const] : undefined),
    properties: Object.assign({}, ...parts.map((part) => part.properties), whole.properties),
    required: new Set([...parts.flatMap((part) => [...part.required]), ...((whole.required ?? []) as string[])]),
    items: (whole.items as JsonSchema | undefined) ?? parts.find((part) => part.items !== undefined)?.items,
    alternatives: own.filter((one) => !isNull(one)),
    others: Object.assign({}, ...parts.map((part) => part.others), whole),
    whole: schema,
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
