/** Judges a value by a JSON Schema: one complaint for each mistake, at its place in the YAML. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { ourWord } from '../text/synonyms.ts'
import { branchesOf, pickBranch, resolveSchema } from './branch.ts'
import {
  bounds,
  type Complaints,
  complain,
  isRelationWord,
  missingBranch,
  missingIndentation,
  missingKey,
  relationAmongFields,
  unknownKey,
  unknownWord,
  WRONG,
  wrongKind,
  wrongValue,
} from './complaint.ts'
import type { Document, Path } from './definition.ts'
import { foreignComplaints, isForeign } from './plugin-schema.ts'
import { isKind, label, subject, words } from './sentence.ts'

/** The entries of a map that belong into an empty one above them, by its key. */
type Fallen = ReadonlyMap<string, JsonObject>

const NOTHING: Fallen = new Map()

/** The schema of the value under a key of a map. */
function schemaUnder(schema: JsonSchema, key: string): unknown {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
}

/** What fell out of the maps without a value among the entries of `value`, which `schema` judges. */
function fallenOut(schema: JsonSchema, value: JsonObject, root: JsonSchema): Fallen {
  if (!Object.values(value).includes(null)) return NOTHING
  const fallen = new Map<string, JsonObject>()
  const entries = Object.entries(value)
  let taken = 0
  for (const [index, [key, child]] of entries.entries()) {
    if (child !== null || index < taken) continue
    const within = ownBranches(schemaUnder(schema, key), root)
    if (within.length === 0 || !within.every((branch) => isKind(branch, {}) && !isKind(branch, null))) continue
    const rest = entries.slice(index + 1)
    const end = rest.findIndex(([name, one]) => isAtHome(schema, name, one, root) || !fits(within, name, one, root))
    const those = end === -1 ? rest : rest.slice(0, end)
    taken = index + 1 + those.length
    if (those.length > 0) fallen.set(key, Object.fromEntries(those))
  }
  return fallen
}

function ownBranches(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  if (!isObject(schema)) return []
  const resolved = resolveSchema(schema as JsonSchema, root)
  return branchesOf(resolved, root) ?? [resolved]
}

/** Whether an entry may be where it is written. */
function isAtHome(schema: JsonSchema, key: string, value: Json, root: JsonSchema): boolean {
  const properties = (schema.properties ?? {}) as object
  if (Object.hasOwn(properties, key)) return true
  return value === null || ownBranches(schema.additionalProperties, root).some((branch) => isKind(branch, value))
}

/** Whether an entry may be in a map of one of these branches. */
function fits(branches: readonly JsonSchema[], key: string, value: Json, root: JsonSchema): boolean {
  return branches.some((branch) => {
    if (Object.hasOwn((branch.properties ?? {}) as object, key)) return true
    return ownBranches(branch.additionalProperties, root).some((one) => isKind(one, value))
  })
}

type Judged = Json | typeof WRONG

interface Judging extends Complaints {
  readonly root: JsonSchema
  /** Lists that lost items → where each kept one stood. */
  readonly shortened: Map<Json, readonly number[]>
  /** Maps whose entries are next to them in the file, because they are indented too little. */
  readonly outside: Set<Json>
  /** The entries that were left out of maps whose losses are reported. */
  readonly lost: Path[]
}

export interface Judgement {
  readonly diagnostics: readonly Diagnostic[]
  /**
   * The value without what was wrong, or as it was probably meant, so that later stages can find their own mistakes;
   * undefined if too little is left.
   */
  readonly usable: Json | undefined
  /** The places of what is left. */
  readonly place: Document<unknown>['place']
  /** The entries that were left out of maps marked `x-losses`: later stages must know that they are written. */
  readonly lost: readonly Path[]
}

/**
 * Reports every mistake of a document by a schema. ajv does not do this: it reports each branch of a union that does
 * not fit, and compiling a schema of this size takes longer than the rest of the start.
 */
export function judge(root: JsonSchema, document: Document<unknown>): Judgement {
  const judging: Judging = { root, document, diagnostics: [], shortened: new Map(), outside: new Set(), lost: [] }
  const judged = judgeNode(root, document.value as Json, [], judging)
  const usable = judged === WRONG ? undefined : judged
  const place: Document<unknown>['place'] = (path, part) => document.place(written(path, usable, judging), part)
  return {
    diagnostics: judging.diagnostics,
    usable,
    place: judging.shortened.size + judging.outside.size === 0 ? document.place : place,
    lost: judging.lost,
  }
}

/**
 * A path into what is left of a value, as a path into what was written: where an item was left out, the next ones have
 * moved up, and entries of a map may be next to it.
 */
function written(path: Path, usable: Json | undefined, { shortened, outside }: Judging): Path {
  let node: Json | undefined = usable
  const steps: (string | number)[] = []
  for (const step of path) {
    const stood = node === undefined ? undefined : shortened.get(node)
    if (node !== undefined && outside.has(node)) steps.pop()
    node = typeof node === 'object' && node !== null ? (node as JsonObject)[step] : undefined
    steps.push(stood !== undefined && typeof step === 'number' ? (stood[step] ?? step) : step)
  }
  return steps
}

function judgeNode(reference: JsonSchema, value: Json, path: Path, judging: Judging): Judged {
  const schema = resolveSchema(reference, judging.root)
  const branches = branchesOf(schema, judging.root)
  const [example] = (reference.examples ?? schema.examples ?? []) as readonly Json[]
  if (branches !== undefined) return judgeUnion(schema, branches, value, path, judging, example)
  if (!isKind(schema, value)) return wrongKind([schema], value, path, judging, example)
  if (isForeign(schema)) {
    const complaints = foreignComplaints(schema, value, path, judging.document)
    judging.diagnostics.push(...complaints)
    return complaints.length === 0 ? value : WRONG
  }
  const known = words(schema)
  if (known !== undefined && !known.includes(value)) return unknownWord(known, value, path, judging)
  if (Array.isArray(value)) return judgeList(schema, value, path, judging)
  if (typeof value === 'object' && value !== null) return judgeMap(schema, value as JsonObject, path, judging, [])
  return judgeScalar(schema, value, path, judging)
}

function judgeUnion(
  schema: JsonSchema,
  branches: readonly JsonSchema[],
  value: Json,
  path: Path,
  judging: Judging,
  example: Json | undefined,
): Judged {
  const picked = pickBranch(branches, value)
  if (picked.kind === 'none') return wrongKind(branches, value, path, judging, example)
  if (picked.kind === 'branch') {
    if (!isObject(value) || isForeign(picked.schema)) return judgeNode(picked.schema, value, path, judging)
    return judgeMap(picked.schema, value, path, judging, branches)
  }
  if (picked.kind === 'missing_key' && relationAmongFields(value as JsonObject, path, judging)) return WRONG
  // The wrong word is reported first; the rest of the map is judged all the same.
  if (picked.kind === 'unknown_word') unknownWord(picked.expected, picked.value, [...path, picked.key], judging)
  else missingBranch(picked.expected, schema, path, judging)
  // The keys of a relation are its own, and none of a field.
  if (picked.kind === 'unknown_word' && isRelationWord(picked.value)) return WRONG
  const rest = judgeMap(picked.schema, value as JsonObject, path, judging, [])
  if (rest === WRONG || picked.kind !== 'unknown_word' || picked.meant === undefined) return WRONG
  return Object.freeze({ ...(rest as JsonObject), ...picked.meant })
}

function judgeList(schema: JsonSchema, value: readonly Json[], path: Path, judging: Judging): Judged {
  const items = schema.items as JsonSchema | undefined
  const kept: Json[] = []
  const stood: number[] = []
  const seen = schema.uniqueItems === true ? new Set<string>() : undefined
  for (const [index, item] of value.entries()) {
    const judged = items === undefined ? item : judgeNode(items, item, [...path, index], judging)
    if (judged !== WRONG) stood[kept.push(judged) - 1] = index
    if (seen?.has(JSON.stringify(item)))
      complain(judging, [...path, index], 'value', {
        code: 'wrong_value',
        message: `${label(item)} is in ${subject(path, false)} twice`,
        hint: 'remove one of the two',
      })
    seen?.add(JSON.stringify(item))
  }
  if (kept.length < value.length) judging.shortened.set(kept, stood)
  const sentence = bounds(value.length, schema.minItems, schema.maxItems, ' items')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  return falls(kept.length, schema.minItems) ? WRONG : Object.freeze(kept)
}

/** A map while its entries are judged, one after the other. */
interface JudgedMap {
  readonly schema: JsonSchema
  readonly value: JsonObject
  readonly path: Path
  readonly properties: Readonly<Record<string, JsonSchema>>
  /** Required keys that have not been found. */
  readonly missing: Set<string>
  readonly kept: Record<string, Json>
  /** The schemas that an unknown key may have been meant for, its own among them. */
  readonly others: readonly JsonSchema[]
}

const NONE: ReadonlySet<string> = new Set()

function judgeMap(
  schema: JsonSchema,
  value: JsonObject,
  path: Path,
  judging: Judging,
  others: readonly JsonSchema[],
): Judged {
  const missing = new Set(requiredOf(schema).filter((key) => !Object.hasOwn(value, key)))
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const map: JudgedMap = { schema, value, path, properties, missing, kept: {}, others }
  const fallen = fallenOut(schema, value, judging.root)
  const outside = fallen.size === 0 ? NONE : new Set([...fallen.values()].flatMap(Object.keys))
  let usable = true
  for (const [name, child] of Object.entries(value)) {
    if (outside.has(name)) continue
    const within = fallen.get(name)
    const entry = within === undefined ? judgeEntry(map, name, child, judging) : judgeFallen(map, name, within, judging)
    if (entry === undefined) continue
    if (entry.judged !== WRONG) map.kept[entry.key] = entry.judged
    else if (reportsLosses(schema)) judging.lost.push([...path, name])
    else if (requiredOf(schema).includes(entry.key)) usable = false
  }
  for (const key of missing) missingKey(key, properties[key], path, judging)
  const sentence = bounds(Object.keys(value).length, schema.minProperties, schema.maxProperties, ' entries')
  if (sentence !== undefined) wrongValue(sentence, path, judging)
  if (sentence !== undefined && !reportsLosses(schema)) return WRONG
  const enough = !falls(Object.keys(map.kept).length, schema.minProperties)
  return usable && missing.size === 0 && enough ? Object.freeze(map.kept) : WRONG
}

/** One judged entry of a map, under the key that was meant; undefined for an unknown key. */
function judgeEntry(
  map: JudgedMap,
  name: string,
  child: Json,
  judging: Judging,
): { readonly key: string; readonly judged: Judged } | undefined {
  const path = [...map.path, name]
  const own = Object.hasOwn(map.properties, name) ? map.properties[name] : undefined
  // A list of maps is the value of no path: others join conditions by "or" and "and".
  if (own === undefined && Array.isArray(child) && child.every(isObject) && ourWord(name, Object.keys(map.properties)))
    return judgeUnknown(map, name, child, judging)
  if (own === undefined && !nameFits(map.schema, name, path, judging)) return { key: name, judged: WRONG }
  const schema = own ?? map.schema.additionalProperties
  if (schema === false) return judgeUnknown(map, name, child, judging)
  return { key: name, judged: isObject(schema) ? judgeNode(schema, child, path, judging) : child }
}

/** Entries next to an empty map instead of in it: one mistake, and the map is judged as if it had them. */
function judgeFallen(
  { schema, path }: JudgedMap,
  name: string,
  within: JsonObject,
  judging: Judging,
): { readonly key: string; readonly judged: Judged } {
  missingIndentation([...path, name], Object.keys(within), judging)
  const own = schemaUnder(schema, name)
  const judged = isObject(own) ? judgeGuess(own, within, [...path, name], judging, false) : within
  if (judged !== WRONG) judging.outside.add(judged)
  return { key: name, judged }
}

/** A key that the schema does not know is reported; its value is judged as that of the key that was probably meant. */
function judgeUnknown(map: JudgedMap, name: string, child: Json, judging: Judging): ReturnType<typeof judgeEntry> {
  const { properties, value, kept, missing } = map
  const path = [...map.path, name]
  const others = map.others.filter((branch) => branch !== map.schema)
  const meant = unknownKey(name, Object.keys(properties), value, path, judging, others)
  if (meant === undefined || Object.hasOwn(value, meant) || Object.hasOwn(kept, meant)) return undefined
  // A misspelled required key is one mistake: it is not missing as well.
  const isSure = missing.delete(meant)
  return { key: meant, judged: judgeGuess(properties[meant] ?? {}, child, path, judging, isSure) }
}

/** Judges a value by a guess. Its mistakes are reported only if the guess is sure; if it is not, they make it a wrong guess. */
function judgeGuess(schema: JsonSchema, value: Json, path: Path, judging: Judging, isSure: boolean): Judged {
  const guess: Judging = { ...judging, diagnostics: [], lost: [] }
  const judged = judgeNode(schema, value, path, guess)
  if (!isSure) return guess.diagnostics.length === 0 ? judged : WRONG
  judging.diagnostics.push(...guess.diagnostics)
  judging.lost.push(...guess.lost)
  return judged
}

/** Whether too few items or entries are left; what was wrong with the others has been reported. */
function falls(size: number, least: unknown): boolean {
  return typeof least === 'number' && size < least
}

function reportsLosses(schema: JsonSchema): boolean {
  return schema['x-losses'] === true
}

function requiredOf(schema: JsonSchema): readonly string[] {
  return (schema.required ?? []) as readonly string[]
}

const patterns = new Map<string, RegExp>()

/** The expression of a pattern in a schema; the same few judge every file. */
function expression(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known
}

function nameFits(schema: JsonSchema, key: string, path: Path, judging: Judging): boolean {
  const names = schema.propertyNames as JsonSchema | undefined
  if (names === undefined) return true
  const tooLong = typeof names.maxLength === 'number' && key.length > names.maxLength
  if (!tooLong && (typeof names.pattern !== 'string' || expression(names.pattern).test(key))) return true
  complain(judging, path, 'key', {
    code: 'wrong_name',
    message: `"${key}" cannot be a name here`,
    ...(typeof names['x-expects'] === 'string' ? { expected: [names['x-expects']] } : {}),
    ...(/:[^ ]/.test(key) ? { hint: 'write a space behind the colon' } : {}),
  })
  return false
}

function judgeScalar(schema: JsonSchema, value: Json, path: Path, judging: Judging): Judged {
  if (typeof value === 'number') {
    const sentence = bounds(value, schema.minimum, schema.maximum, '')
    return sentence === undefined ? value : wrongValue(sentence, path, judging, schema['x-advice'])
  }
  if (typeof value !== 'string') return value
  const sentence = bounds([...value].length, schema.minLength, schema.maxLength, ' characters')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  if (typeof schema.pattern !== 'string' || expression(schema.pattern).test(value)) return value
  const expects = schema['x-expects']
  complain(judging, path, 'value', {
    code: 'wrong_value',
    message: `${subject(path)} cannot be ${label(value)}`,
    expected: typeof expects === 'string' ? [expects] : [`text that matches ${schema.pattern}`],
  })
  return WRONG
}
