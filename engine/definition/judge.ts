/** Judges a value against a JSON Schema, one complaint a mistake, each at its place in the YAML. */
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import { branchesOf, pickBranch, resolveSchema } from './branch.ts'
import type { Document, Path } from './definition.ts'
import { foreignComplaints, isForeign } from './foreign-schema.ts'
import { isKind, kindOf, kinds, label, subject, words } from './sentence.ts'

/** Stands for a value that can not be used. */
const WRONG = Symbol('wrong')
type Judged = Json | typeof WRONG

interface Judging {
  readonly root: JsonSchema
  readonly document: Document<unknown>
  readonly diagnostics: Diagnostic[]
}

export interface Judgement {
  readonly diagnostics: readonly Diagnostic[]
  /** The value without what was wrong, so that later stages can find their own mistakes; undefined if too little is left. */
  readonly usable: Json | undefined
}

/**
 * Every mistake of a document by a schema. ajv is not asked, because it reports each branch of a union that
 * does not fit, and because compiling a schema of this size would take longer than the rest of the start.
 */
export function judge(root: JsonSchema, document: Document<unknown>): Judgement {
  const judging: Judging = { root, document, diagnostics: [] }
  const judged = judgeNode(root, document.value as Json, [], judging)
  return { diagnostics: judging.diagnostics, usable: judged === WRONG ? undefined : judged }
}

function judgeNode(written: JsonSchema, value: Json, path: Path, judging: Judging): Judged {
  const schema = resolveSchema(written, judging.root)
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
  judgeMap(picked.schema, value as JsonObject, path, judging, [])
  return WRONG
}

function missingBranch(expected: readonly string[], schema: JsonSchema, path: Path, judging: Judging): void {
  const example = Array.isArray(schema.examples) ? JSON.stringify(schema.examples[0]) : undefined
  complain(judging, path, 'key', {
    code: 'missing_key',
    message: `${subject(path)} needs ${expected.map((word) => `"${word}"`).join(' or ')}`,
    ...(example === undefined ? { expected } : { expected, hint: `for example ${example}` }),
  })
}

function judgeList(schema: JsonSchema, value: readonly Json[], path: Path, judging: Judging): Judged {
  const items = schema.items as JsonSchema | undefined
  const kept: Json[] = []
  for (const [index, item] of value.entries()) {
    const judged = items === undefined ? item : judgeNode(items, item, [...path, index], judging)
    if (judged !== WRONG) kept.push(judged)
    if (
      schema.uniqueItems === true &&
      value.findIndex((other) => JSON.stringify(other) === JSON.stringify(item)) < index
    )
      complain(judging, [...path, index], 'value', {
        code: 'wrong_value',
        message: `${label(item)} stands in ${subject(path, false)} twice`,
        hint: 'remove one of the two',
      })
  }
  const sentence = bounds(value.length, schema.minItems, schema.maxItems, ' items')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  return kept
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
      usable = false
      continue
    }
    const rest = own ?? schema.additionalProperties
    if (rest === false) {
      // A misspelled key is one mistake, not also a missing one.
      const meant = unknownKey(key, Object.keys(properties), value, [...path, key], judging, others)
      if (meant !== undefined && missing.delete(meant)) usable = false
      continue
    }
    const judged = typeof rest === 'object' ? judgeNode(rest as JsonSchema, child, [...path, key], judging) : child
    // Without a named field or relation, everything that speaks of it would look wrong too.
    if (judged !== WRONG) kept[key] = judged
    else if (own === undefined || ((schema.required ?? []) as readonly string[]).includes(key)) usable = false
  }
  for (const key of missing) missingKey(key, properties[key], path, judging)
  const sentence = bounds(Object.keys(value).length, schema.minProperties, schema.maxProperties, ' entries')
  if (sentence !== undefined) return wrongValue(sentence, path, judging)
  return usable && missing.size === 0 ? kept : WRONG
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

function unknownKey(
  key: string,
  known: readonly string[],
  value: JsonObject,
  path: Path,
  judging: Judging,
  others: readonly JsonSchema[],
): string | undefined {
  const free = known.filter((word) => !Object.hasOwn(value, word))
  const meant = nearest(key, known)
  const taken = meant !== undefined && Object.hasOwn(value, meant)
  const owners = others.filter((branch) => Object.hasOwn((branch.properties ?? {}) as object, key))
  const titles = owners.map((branch) => branch.title).filter((title) => typeof title === 'string')
  const hint =
    titles.length > 0
      ? `"${key}" belongs to ${titles.join(', ')}`
      : meant === undefined
        ? undefined
        : `did you mean "${meant}"${taken ? ', which is there already' : ''}?`
  complain(judging, path, 'key', {
    code: 'unknown_key',
    message: `Unknown key "${key}"`,
    expected: free,
    ...(hint === undefined ? {} : { hint }),
  })
  return titles.length > 0 ? undefined : meant
}

function missingKey(key: string, schema: JsonSchema | undefined, path: Path, judging: Judging): void {
  const example = Array.isArray(schema?.examples) ? JSON.stringify(schema.examples[0]) : '…'
  complain(judging, path, 'key', {
    code: 'missing_key',
    message: `${subject(path)} needs the key "${key}"`,
    hint: `add ${key}: ${example}`,
  })
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

function bounds(size: number, least: unknown, most: unknown, unit: string): string | undefined {
  if (typeof least === 'number' && size < least)
    return least === 1 && unit !== '' ? 'must not be empty' : `must be at least ${least}${unit}`
  return typeof most === 'number' && size > most ? `must be at most ${most}${unit}` : undefined
}

function wrongValue(sentence: string, path: Path, judging: Judging): typeof WRONG {
  complain(judging, path, 'value', { code: 'wrong_value', message: `${subject(path)} ${sentence}` })
  return WRONG
}

function wrongKind(branches: readonly JsonSchema[], value: Json, path: Path, judging: Judging): typeof WRONG {
  const expected = [...new Set(branches.flatMap(kinds))]
  const known = branches.flatMap((branch) => words(branch) ?? [])
  if (typeof value === 'string' && known.length > 0) return unknownWord(known, value, path, judging)
  const given = value === null ? 'and has no value' : `not ${kindOf(value)}`
  const hint = kindHint(expected, value, path, judging)
  complain(judging, path, 'value', {
    code: 'wrong_type',
    message: `${subject(path)} must be ${expected.join(' or ')}, ${given}`,
    expected,
    ...(hint === undefined ? {} : { hint }),
  })
  return WRONG
}

function kindHint(expected: readonly string[], value: Json, path: Path, judging: Judging): string | undefined {
  const span = judging.document.place(path)
  const text = span.source.text.slice(span.start, span.end)
  if (expected.includes('text') && (typeof value === 'number' || typeof value === 'boolean'))
    return `put it in quotes: "${text}"`
  if (expected.includes('true or false') && typeof value === 'string') {
    if (/^(yes|on|y)$/i.test(value)) return 'write true'
    if (/^(no|off|n)$/i.test(value)) return 'write false'
  }
  const number = expected.some((kind) => kind.endsWith('number'))
  if (number && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return `write it without quotes: ${value}`
  return expected.includes('a list') && typeof value === 'string' ? `write it as a list: [${text}]` : undefined
}

function unknownWord(known: readonly Json[], value: Json, path: Path, judging: Judging): typeof WRONG {
  const texts = known.map(String)
  const meant = typeof value === 'string' ? nearest(value, texts) : undefined
  complain(judging, path, 'value', {
    code: 'unknown_word',
    message: `${subject(path)} can not be ${label(value)}`,
    expected: texts,
    ...(meant === undefined ? {} : { hint: `did you mean "${meant}"?` }),
  })
  return WRONG
}

function complain(judging: Judging, path: Path, part: 'key' | 'value', rest: Omit<Diagnostic, 'span'>): void {
  judging.diagnostics.push({ ...rest, span: judging.document.place(path, part) })
}
