/** The message of each kind of mistake in a YAML file, with the expected words and the nearest known one. */
import { OTHER_NAMES } from '../field/type-synonyms.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { meant as meantOf } from '../text/synonyms.ts'
import type { Document, Path } from './definition.ts'
import { flow, kindOf, kinds, label, oddBlanks, subject, words } from './sentence.ts'

/** Represents a value that cannot be used. */
export const WRONG = Symbol('wrong')

/** Where complaints are gathered, and where their places are found. */
export interface Complaints {
  readonly document: Document<unknown>
  readonly diagnostics: Diagnostic[]
}

/** Reports that a map has none of several keys and must have one. */
export function missingBranch(
  expected: readonly string[],
  schema: JsonSchema,
  path: Path,
  complaints: Complaints,
): void {
  const example = Array.isArray(schema.examples) ? JSON.stringify(schema.examples[0]) : undefined
  complain(complaints, path, 'key', {
    code: 'missing_key',
    message: `${subject(path)} needs ${expected.map((word) => `"${word}"`).join(' or ')}`,
    ...(example === undefined ? { expected } : { expected, hint: `for example ${example}` }),
  })
}

/** Reports a map without entries whose entries are next to its key. */
export function missingIndentation(path: Path, keys: readonly string[], complaints: Complaints): void {
  const [first = ''] = keys
  const listed = keys.slice(0, 3).map((key) => `"${key.trim()}"`)
  const others = keys.length > 3 ? ` and ${keys.length - 3} more` : ''
  complain(complaints, path, 'key', {
    code: 'wrong_type',
    message: `${subject(path)} has no value, and what belongs into it is not indented: ${listed.join(', ')}${others}`,
    hint: `write two blanks more in front of ${keys.length === 1 ? 'it' : 'each'}${oddBlanks(first) === undefined ? '' : '; those that are there only look like blanks'}`,
  })
}

/** Reports a key that the schema does not know; returns the key that was probably meant. `others` are schemas that may know it. */
export function unknownKey(
  key: string,
  known: readonly string[],
  value: JsonObject,
  path: Path,
  complaints: Complaints,
  others: readonly JsonSchema[],
): string | undefined {
  const free = known.filter((word) => !Object.hasOwn(value, word))
  // A word that belongs to another place means nothing that is written nearly so here.
  const place = elsewhere(key, path)
  const meant = place === undefined ? meantOf(key, known) : undefined
  const taken = meant !== undefined && Object.hasOwn(value, meant)
  const owners = others.filter((branch) => Object.hasOwn((branch.properties ?? {}) as object, key))
  const titles = owners.map((branch) => branch.title).filter((title) => typeof title === 'string')
  const odd = oddBlanks(key)
  const hint =
    titles.length > 0
      ? ownedBy(key, titles, value)
      : odd !== undefined
        ? odd
        : meant === undefined
          ? place
          : /^has_?one$/i.test(key)
            ? 'write has_many, together with first: true'
            : `did you mean "${meant}"${taken ? ', which is there already' : ''}?`
  complain(complaints, path, 'key', {
    code: 'unknown_key',
    message: `Unknown key "${key}"`,
    expected: free,
    ...(hint === undefined ? {} : { hint }),
  })
  return titles.length > 0 ? undefined : meant
}

/** Whose key it is; a relation that is said to be of two kinds has one word too many. */
function ownedBy(key: string, titles: readonly string[], value: JsonObject): string {
  const other = titles.includes(key)
    ? Object.keys(value).find((word) => word !== key && RELATIONS.has(word))
    : undefined
  return other === undefined
    ? `"${key}" belongs to ${titles.join(', ')}`
    : `a relation is of one kind: take "${other}" or "${key}"`
}

/** The place of a key that is written in a wrong place. */
function elsewhere(key: string, path: Path): string | undefined {
  if (key === '<<') return 'maps are not merged: write the keys out'
  if (path.length === 1 && RELATIONS.has(key))
    return `a relation is written under "relations": { <name>: { ${key}: … } }`
  if (path.length !== 3 || path[0] !== 'fields') return undefined
  return PLACES.find(([words]) => words.test(key))?.[1].replace('*', String(path[1]))
}

/** Keys that other frameworks write at a field, with their place here. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^(indexe?d?|db_index)$/, 'an index is written next to "fields": indexes: [[*]]'],
  [/^filter(s|able|ed)?$/, 'a list is filtered by a key next to "fields": filters: [*]'],
  [/^sort(able)?$/, 'a list is sorted by a key next to "fields": sort: { keys: [*] }'],
  [/^search(able)?$/, 'a list is searched by a key next to "fields": search: [*]'],
  [
    /^(primary_?key|primary|auto_?increment)$/,
    'every record has an "id"; next to "fields", id: uuid says of which type',
  ],
  [
    /^auto_now(_add)?$/,
    'the plugin timestamps keeps created_at and updated_at; default: $now is the moment of the insert',
  ],
]

/** Reports a required key that is not there. */
export function missingKey(key: string, schema: JsonSchema | undefined, path: Path, complaints: Complaints): void {
  const example = Array.isArray(schema?.examples) ? JSON.stringify(schema.examples[0]) : '…'
  complain(complaints, path, 'key', {
    code: 'missing_key',
    message: `${subject(path)} needs the key "${key}"`,
    hint: `add ${key}: ${example}`,
  })
}

/** The predicate for a size outside its bounds, or undefined for one inside. */
export function bounds(size: number, least: unknown, most: unknown, unit: string): string | undefined {
  const has = unit === ' items' ? 'have' : 'be'
  if (typeof least === 'number' && size < least)
    return least === 1 && unit !== '' ? 'must not be empty' : `must ${has} at least ${least}${unit}`
  return typeof most === 'number' && size > most ? `must ${has} at most ${most}${unit}` : undefined
}

/** A value of the right kind that is outside what is allowed. */
export function wrongValue(sentence: string, path: Path, complaints: Complaints, advice?: unknown): typeof WRONG {
  const hint = typeof advice === 'string' && /at most/.test(sentence) ? advice : hintAt(sentence, path)
  const message = `${subject(path)} ${sentence}`
  complain(complaints, path, 'value', { code: 'wrong_value', message, ...(hint === undefined ? {} : { hint }) })
  return WRONG
}

/** What to do about a value that is outside what is allowed, where the sentence does not say it. */
function hintAt(sentence: string, [first]: Path): string | undefined {
  if (sentence === 'must not be empty') return 'write at least one thing in it, or leave the key out'
  if (!/^must (be|have) at most/.test(sentence)) return undefined
  if (first === 'limits') return 'an application may narrow a limit, and widen none'
  return sentence.endsWith('characters') ? 'choose a shorter one' : undefined
}

/** A value of a kind that none of the schemas takes; `example` is one that is taken. */
export function wrongKind(
  branches: readonly JsonSchema[],
  value: Json,
  path: Path,
  complaints: Complaints,
  example?: Json,
): typeof WRONG {
  const expected = [...new Set(branches.flatMap(kinds))]
  const known = branches.flatMap((branch) => words(branch) ?? [])
  if (known.some((word) => typeof word === 'string') && typeof value === 'string')
    return unknownWord(known, value, path, complaints)
  const given = value === null ? 'and has no value' : `not ${kindOf(value)}`
  // How a number or a switch is written needs no example.
  const plain = example === undefined || typeof example === 'number' || typeof example === 'boolean'
  const shown = plain ? undefined : `for example ${flow(example)}`
  const hint =
    clauseHint(value, path) ??
    typeHint(branches, value, path) ??
    kindHint(expected, value, path, complaints, example) ??
    shown
  complain(complaints, path, 'value', {
    code: 'wrong_type',
    message: `${subject(path)} must be ${expected.join(' or ')}, ${given}`,
    expected,
    ...(hint === undefined ? {} : { hint }),
  })
  return WRONG
}

/** How the word by which others admit everybody is written as a clause. */
function clauseHint(value: Json, path: Path): string | undefined {
  if (path.length !== 2 || path[0] !== 'policies' || typeof value !== 'string') return undefined
  const whom = meantOf(value, ['anyone', 'signed_in'])
  return whom === undefined ? undefined : `write it as a list of clauses: [{ who: ${whom} }]`
}

/** How a field that is no more than the word of its type is written. */
function typeHint(branches: readonly JsonSchema[], value: Json, path: Path): string | undefined {
  if (path.length !== 2 || path[0] !== 'fields' || typeof value !== 'string') return undefined
  const types = branches.flatMap(({ properties }) => words((properties as { type?: JsonSchema })?.type ?? {}) ?? [])
  const type = likelyWord(value, types.map(String))
  return type === undefined ? undefined : `write it as a map: { type: ${type} }`
}

function kindHint(
  expected: readonly string[],
  value: Json,
  path: Path,
  complaints: Complaints,
  example: Json | undefined,
): string | undefined {
  const span = complaints.document.place(path)
  const text = span.source.text.slice(span.start, span.end)
  if (expected.includes('text') && (typeof value === 'number' || typeof value === 'boolean'))
    return `put it in quotes: "${text}"`
  if (expected.includes('true or false') && typeof value === 'string') {
    if (/^(yes|on|y)$/i.test(value)) return 'write true'
    if (/^(no|off|n)$/i.test(value)) return 'write false'
    if (/^(true|false)$/i.test(value)) return `write it without quotes: ${value.toLowerCase()}`
  }
  const number = expected.some((kind) => kind.endsWith('number'))
  if (number && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return `write it without quotes: ${value}`
  if (!expected.includes('a list') || (typeof value !== 'string' && !isObject(value))) return undefined
  // A list of maps is no list of words, and a map of several lines does not fit into brackets.
  const ofMaps = Array.isArray(example) && isObject(example[0])
  if (ofMaps !== isObject(value) || text.includes('\n')) return undefined
  return `write it as a list: [${typeof value === 'string' && value.includes(',') ? value : text}]`
}

/** A value that is none of the known words. */
export function unknownWord(known: readonly Json[], value: Json, path: Path, complaints: Complaints): typeof WRONG {
  const texts = known.map(String)
  const hint = wordHint(value, texts, path)
  complain(complaints, path, 'value', {
    code: 'unknown_word',
    message: `${subject(path)} cannot be ${label(value)}`,
    expected: texts,
    ...(hint === undefined ? {} : { hint }),
  })
  return WRONG
}

function wordHint(value: Json, known: readonly string[], path: Path): string | undefined {
  const meant = likelyWord(value, known)
  if (meant !== undefined) return `did you mean "${meant}"?`
  const relation = typeof value === 'string' ? typeName(value) : ''
  if (path.at(-1) !== 'type' || path[0] !== 'fields') return undefined
  if (RELATIONS.has(relation)) return `a relation is written under "relations": { ${path.at(-2)}: { ${relation}: … } }`
  return FILES.has(relation)
    ? 'records have files by attachments: true next to "fields", of the plugin media'
    : undefined
}

/** What others call the type of a field that holds a file. */
const FILES: ReadonlySet<string> = new Set([
  'file',
  'image',
  'photo',
  'upload',
  'attachment',
  'media',
  'blob',
  'binary',
])

/** Whether a word names a relation, which has no options of fields. */
export function isRelationWord(value: Json): boolean {
  return typeof value === 'string' && RELATIONS.has(typeName(value))
}

/** Reports a relation among the fields, once; returns whether it is one. */
export function relationAmongFields(value: JsonObject, path: Path, complaints: Complaints): boolean {
  const key = Object.keys(value).find((word) => RELATIONS.has(word))
  if (key === undefined || path.length !== 2 || path[0] !== 'fields') return false
  const other = typeof value[key] === 'string' ? value[key] : '…'
  complain(complaints, [...path, key], 'key', {
    code: 'unknown_key',
    message: `${subject(path)} is a relation, and is written among the fields`,
    hint: `a relation is written under "relations": { ${path[1]}: { ${key}: ${other} } }`,
  })
  return true
}

const RELATIONS: ReadonlySet<string> = new Set(['belongs_to', 'has_many', 'many_to_many'])

/** The known word that was probably meant: one that is written nearly so, or what others call by this word. */
export function likelyWord(value: Json, known: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined
  const other = typeName(value)
  return known.includes(other) ? other : meantOf(value, known)
}

/** Our name of a type of others: `varchar(20)`, `DateTimeField`, `String?`. */
function typeName(value: string): string {
  if (value.endsWith('[]')) return 'list'
  const name = value.toLowerCase().replace(/(field)?([(?].*)?$/, '')
  return OTHER_NAMES.get(name) ?? name
}

/** Adds one complaint at a path. */
export function complain(
  complaints: Complaints,
  path: Path,
  part: 'key' | 'value',
  rest: Omit<Diagnostic, 'span'>,
): void {
  complaints.diagnostics.push({ ...rest, span: complaints.document.place(path, part) })
}
