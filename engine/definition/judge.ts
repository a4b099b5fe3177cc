/** Judges a value against a JSON Schema, one complaint a mistake, each at its place in the YAML. */
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { branchesOf, pickBranch, resolveSchema } from './branch.ts'
import {
  bounds,
  type Complaints,
  complain,
  missingBranch,
  missingKey,
  unknownKey,
  unknownWord,
  WRONG,
  wrongKind,
  wrongValue,
} from './complaint.ts'
import type { Document, Path } from './definition.ts'
import { foreignComplaints, isForeign } from './foreign-schema.ts'
import { isKind, label, subject, words } from './sentence.ts'

type Judged = Json | typeof WRONG

interface Judging extends Complaints {
  readonly root: JsonSchema
  /** Lists that lost items → where each kept one stood. */
  readonly shortened: Map<Json, readonly number[]>
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
}

/**
 * Every mistake of a document by a schema. ajv is not asked, because it reports each branch of a union that
 * does not fit, and because compiling a schema of this size would take longer than the rest of the start.
 */
export function judge(root: JsonSchema, document: Document<unknown>): Judgement {
  const judging: Judging = { root, document, diagnostics: [], shortened: new Map() }
  const judged = judgeNode(root, document.value as Json, [], judging)
  const usable = judged === WRONG ? undefined : judged
  const place: Document<unknown>['place'] = (path, part) =>
    document.place(written(path, usable, judging.shortened), part)
  return { diagnostics: judging.diagnostics, usable, place: judging.shortened.size === 0 ? document.place : place }
}

/** A path into what is left of a value as a path into what was written: items may have moved up. */
function written(path: Path, usable: Json | undefined, shortened: Judging['shortened']): Path {
  let node: Json | undefined = usable
  return path.map((step) => {
    const stood = node === undefined ? undefined : shortened.get(node)
    node = typeof node === 'object' && node !== null ? (node as JsonObject)[step] : undefined
    return stood !== undefined && typeof step === 'number' ? (stood[step] ?? step) : step
  })
}

function judgeNode(reference: JsonSchema, value: Json, path: Path, judging: Judging): Judged {
  const schema = resolveSchema(reference, judging.root)
  const branches = branchesOf(schema, judging.root)
  if (branches !== undefined) return judgeUnion(schema, branches, value, path, judging)
  if (!isKind(schema, value)) return wrongKind([schema], value, path, judging)
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
): Judged {
  const picked = pickBranch(branches, value)
  if (picked.kind === 'none') return wrongKind(branches, value, path, judging)
  if (picked.kind === 'branch') {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isForeign(picked.schema))
      return judgeNode(picked.schema, value, path, judging)
    const others = branches.filter((branch) => branch !== picked.schema)
    return judgeMap(picked.schema, value as JsonObject, path, judging, others)
  }
  // Told before the rest of the map, which is still worth judging.
  if (picked.kind === 'unknown_word') unknownWord(picked.expected, picked.value, [...path, picked.key], judging)
  else missingBranch(picked.expected, schema, path, judging)
  const rest = judgeMap(picked.schema, value as JsonObject, path, judging, [])
  if (rest === WRONG || picked.kind !== 'unknown_word' || picked.meant === undefined) return WRONG
  return Object.freeze({ ...(rest as JsonObject), ...picked.meant })
}

function judgeList(schema: JsonSchema, value: readonly Json[], path: Path, judging: Judging): Judged {
  const items = schema.items as JsonSchema | undefined
  const kept: Json[] = []
  const stood: number[] = []
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    const judged = items === undefined ? item : judgeNode(items, item, [...path, index], judging)
    if (judged !== WRONG) stood[kept.push(judged) - 1] = index
    const text = schema.uniqueItems === true ? JSON.stringify(item) : String(index)
    if (seen.has(text))
      complain(judging, [...path, index], 'value', {
        code: 'wrong_value',
        message: `${label(item)} stands in ${subject(path, false)} twice`,
        hint: 'remove one of the two',
      })
    seen.add(text)
  }
  if (kept.length < value.length) judging.shortened.set(kept, stood)
  const sentence = bounds(value.length, schema.minItems, schema.maxItems, ' items')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  return falls(kept.length, schema.minItems) ? WRONG : Object.freeze(kept)
}

function judgeMap(
  schema: JsonSchema,
  value: JsonObject,
  path: Path,
  judging: Judging,
  others: readonly JsonSchema[],
): Judged {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const missing = new Set(((schema.required ?? []) as readonly string[]).filter((key) => !Object.hasOwn(value, key)))
  const kept: Record<string, Json> = {}
  let usable = true
  for (const [key, child] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (own === undefined && !namesFit(schema, key, path, judging)) {
      if (isWhole(schema)) usable = false
      continue
    }
    const rest = own ?? schema.additionalProperties
    if (rest === false) {
      // A misspelled key is one mistake, not also a missing one.
      const meant = unknownKey(key, Object.keys(properties), value, [...path, key], judging, others)
      if (meant === undefined || Object.hasOwn(value, meant) || Object.hasOwn(kept, meant)) continue
      const judged = judgeGuess(properties[meant] ?? {}, child, [...path, key], judging, missing.delete(meant))
      if (judged !== WRONG) kept[meant] = judged
      else if (isRequired(schema, meant)) usable = false
      continue
    }
    const judged = typeof rest === 'object' ? judgeNode(rest as JsonSchema, child, [...path, key], judging) : child
    if (judged !== WRONG) kept[key] = judged
    // Fields and relations (`x-whole`) are kept all or none: whoever goes on without some must know which they were.
    else if (isWhole(schema) || isRequired(schema, key)) usable = false
  }
  for (const key of missing) missingKey(key, properties[key], path, judging)
  const sentence = bounds(Object.keys(value).length, schema.minProperties, schema.maxProperties, ' entries')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  const whole = usable && missing.size === 0 && !falls(Object.keys(kept).length, schema.minProperties)
  return whole ? Object.freeze(kept) : WRONG
}

/** A value under a misspelled key, taken for the key that was meant: what it then says is judged too, if we are sure. */
function judgeGuess(schema: JsonSchema, value: Json, path: Path, judging: Judging, sure: boolean): Judged {
  const guess: Judging = { ...judging, diagnostics: [] }
  const judged = judgeNode(schema, value, path, guess)
  if (sure) judging.diagnostics.push(...guess.diagnostics)
  return sure || guess.diagnostics.length === 0 ? judged : WRONG
}

/** Whether so little is left that what was wrong would be complained of a second time. */
function falls(size: number, least: unknown): boolean {
  return typeof least === 'number' && size < least
}

function isWhole(schema: JsonSchema): boolean {
  return schema['x-whole'] === true
}

function isRequired(schema: JsonSchema, key: string): boolean {
  return ((schema.required ?? []) as readonly string[]).includes(key)
}

function namesFit(schema: JsonSchema, key: string, path: Path, judging: Judging): boolean {
  const names = schema.propertyNames as JsonSchema | undefined
  if (names === undefined) return true
  const tooLong = typeof names.maxLength === 'number' && key.length > names.maxLength
  if (!tooLong && (typeof names.pattern !== 'string' || new RegExp(names.pattern, 'u').test(key))) return true
  complain(judging, [...path, key], 'key', {
    code: 'wrong_name',
    message: `"${key}" can not be a name here`,
    ...(typeof names['x-expects'] === 'string' ? { expected: [names['x-expects']] } : {}),
  })
  return false
}

function judgeScalar(schema: JsonSchema, value: Json, path: Path, judging: Judging): Judged {
  if (typeof value === 'number') {
    const sentence = bounds(value, schema.minimum, schema.maximum, '')
    return sentence === undefined ? value : wrongValue(sentence, path, judging)
  }
  if (typeof value !== 'string') return value
  const sentence = bounds([...value].length, schema.minLength, schema.maxLength, ' characters')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  if (typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(value)) return value
  const expects = schema['x-expects']
  complain(judging, path, 'value', {
    code: 'wrong_value',
    message: `${subject(path)} can not be ${label(value)}`,
    expected: typeof expects === 'string' ? [expects] : [`text that matches ${schema.pattern}`],
  })
  return WRONG
}
