/** What of each record a caller wants: `fields`, `omit` and `include` → the parts of an answer. */
import type { Actor } from '../actor.ts'
import type { Catalog, EmbedEntry, Field, Relation, Resource } from '../catalog/catalog.ts'
import { PROJECTION_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'
import { type FieldError, type FieldErrorCode, fieldError } from '../field-error.ts'
import { LIMITS } from '../limits.ts'
import type { Plan } from '../plan/plan.ts'
import { nearest } from '../text/nearest.ts'
import { allowsOne, readable, readableEntry } from './policy.ts'
import { type Mode, narrowed, type Part, type ShownRelation, shown } from './select.ts'

/** What answers show instead of what they usually do; equal ones of one resource, class of actors and mode show the same. */
export interface Projection extends Plan {
  readonly parts: readonly Part[]
}

/** Names with what is named below them; nothing below means all of it. */
interface Names extends ReadonlyMap<string, Names> {}

type Refuse = (parameter: string, code: FieldErrorCode, sentence: string) => void

interface Reading {
  readonly resource: Resource
  readonly actor: Actor
  readonly mode: Mode
  readonly refuse: Refuse
}

/** Reads the three parameters, each a text with commas; undefined where none of them says anything. */
export function readProjection(reading: Reading, given: ReadonlyMap<string, string>): Projection | undefined {
  const words = (name: string): readonly string[] =>
    (given.get(name) ?? '').split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))
  const [fields, omit, include] = PROJECTION_PARAMETERS.map(words) as [string[], string[], string[]]
  if (fields.length + omit.length + include.length === 0) return undefined
  const long = PROJECTION_PARAMETERS.find((name) => words(name).length > LIMITS.projectedNames)
  if (long !== undefined) {
    reading.refuse(long, 'too_many', `The ${long} parameter takes at most ${LIMITS.projectedNames} values`)
    return undefined
  }
  const all = readableParts(reading)
  const included = readIncluded(reading, all, include)
  const usual = all.filter((part) => included.has(nameOf(part)) || shown(showOf(part), reading.mode))
  // A relation to many records is large, so that naming a part of it is no wish to have it.
  const nameable = all.filter((part) => usual.includes(part) || 'column' in part || part.relation.kind === 'belongs_to')
  const chosen = fields.length === 0 ? usual : chosenOf(reading, 'fields', nameable, fields, kept)
  const parts = (omit.length === 0 ? chosen : chosenOf(reading, 'omit', chosen, omit, without)).map((part) => {
    const most = included.get(nameOf(part))
    return most === undefined || 'column' in part ? part : { ...part, most }
  })
  return { planId: parts.map(keyOf).join(), madeUp: true, parts }
}

/** Reads the query string of a single record; throws ApiError validation_failed keyed by parameter. */
export function readRecordQuery(
  { strictness }: Pick<Catalog, 'strictness'>,
  resource: Resource,
  actor: Actor,
  query: URLSearchParams,
): Projection | undefined {
  const errors: Record<string, FieldError[]> = Object.create(null)
  const refuse: Refuse = (parameter, code, sentence) => {
    errors[parameter] = [...(errors[parameter] ?? []), fieldError(code, sentence)]
  }
  const given = new Map(PROJECTION_PARAMETERS.map((name) => [name, query.getAll(name).join()]))
  const others = [...new Set(query.keys())].filter((name) => !given.has(name))
  if (strictness.unknownParameters === 'refuse') {
    for (const name of others.slice(0, LIMITS.queryErrors))
      refuse(name, 'unknown_parameter', `Unknown parameter "${quote(name)}"${meant(name, PROJECTION_PARAMETERS)}`)
  }
  const projection = readProjection({ resource, actor, mode: 'single', refuse }, given)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return projection
}

/** Everything that any answer may show this actor, in the order of answers. */
function readableParts({ actor, resource }: Reading): readonly Part[] {
  const parts: Part[] = []
  const add = (relation: Relation | undefined): void => {
    if (relation?.embed === undefined || relation.show === 'never' || !allowsOne(relation.read, actor)) return
    parts.push({ relation, entries: relation.embed })
  }
  for (const field of resource.fields.values()) {
    add(field.relation === undefined ? undefined : resource.relations.get(field.relation))
    if (readable(field, actor) && field.show !== 'never') parts.push(field)
  }
  for (const relation of resource.relations.values()) if (relation.kind !== 'belongs_to') add(relation)
  return parts
}

function nameOf(part: Part): string {
  return 'column' in part ? part.name : part.relation.name
}

function showOf(part: Part): Field['show'] {
  return 'column' in part ? part.show : part.relation.show
}

function keyOf(part: Part): string {
  if ('column' in part) return part.name
  return `${part.relation.name}${part.most === undefined ? '' : `(${part.most})`}{${part.entries.map(entryKey).join()}}`
}

function entryKey({ name, value }: EmbedEntry): string {
  return value.kind === 'embed' ? `${name}{${value.entries.map(entryKey).join()}}` : name
}

/** The relations that are asked for, each with how many of its records, where that is bounded. */
function readIncluded(
  { mode, refuse }: Reading,
  all: readonly Part[],
  words: readonly string[],
): ReadonlyMap<string, number | undefined> {
  const relations = all.flatMap((part) => ('column' in part ? [] : [part.relation]))
  const included = new Map<string, number | undefined>()
  let many = 0
  for (const word of words) {
    const [, name = '', number] = /^(\w+)(?:\((\d{1,6})\))?$/.exec(word) ?? []
    const relation = relations.find((one) => one.name === name)
    if (relation === undefined) {
      const names = relations.map((one) => one.name)
      refuse('include', 'unknown_field', `Unknown field "${quote(word)}"${meant(name || word, names, 'relations')}`)
      continue
    }
    const single = relation.kind === 'belongs_to' || (relation.kind === 'has_many' && relation.first)
    if (single && number !== undefined)
      refuse('include', 'invalid', `"${name}" leads to one record, so it takes no number`)
    else if (number !== undefined && (Number(number) < 1 || Number(number) > LIMITS.includedMost))
      refuse('include', 'out_of_range', `The number of "${name}" must be from 1 to ${LIMITS.includedMost}`)
    if (!single) many += 1
    const usual = mode === 'list' ? LIMITS.includedDefault : undefined
    included.set(name, single ? undefined : number === undefined ? usual : Number(number))
  }
  if (many > LIMITS.includedRelations)
    refuse('include', 'invalid', `At most ${LIMITS.includedRelations} entries lead to many records`)
  return included
}

type Choose = (entries: readonly EmbedEntry[], names: Names) => readonly EmbedEntry[]

/** The parts that names keep, or those that they leave; a name that means nothing is refused. */
function chosenOf(
  reading: Reading,
  parameter: string,
  parts: readonly Part[],
  words: readonly string[],
  choose: Choose,
): readonly Part[] {
  const known = parts.flatMap((part): readonly string[] =>
    'column' in part
      ? [part.name]
      : [part.relation.name, ...entryNames(reading.actor, part.entries, `${part.relation.name}.`)],
  )
  const unknown = words.filter((word) => !known.includes(word))
  for (const word of unknown.slice(0, LIMITS.queryErrors))
    reading.refuse(parameter, 'unknown_field', `Unknown field "${quote(word)}"${meant(word, known, 'fields')}`)
  const names = namesOf(words)
  const keeps = choose === kept
  return parts.flatMap((part): readonly Part[] => {
    const below = names.get(nameOf(part))
    if (below === undefined) return keeps ? [] : [part]
    if (below.size === 0) return keeps ? [part] : []
    if ('column' in part) return [part]
    const shape: ShownRelation = { ...part, entries: narrowed(choose(part.entries, below)) }
    return [shape]
  })
}

function entryNames(actor: Actor, entries: readonly EmbedEntry[], prefix: string): readonly string[] {
  return entries
    .filter((entry) => readableEntry(entry, actor))
    .flatMap(({ name, value }) => [
      prefix + name,
      ...(value.kind === 'embed' ? entryNames(actor, value.entries, `${prefix}${name}.`) : []),
    ])
}

function kept(entries: readonly EmbedEntry[], names: Names): readonly EmbedEntry[] {
  return entries.flatMap((entry): readonly EmbedEntry[] => {
    const below = names.get(entry.name)
    if (below === undefined) return []
    return below.size === 0 ? [entry] : [narrowEntry(entry, below, kept)]
  })
}

function without(entries: readonly EmbedEntry[], names: Names): readonly EmbedEntry[] {
  return entries.flatMap((entry): readonly EmbedEntry[] => {
    const below = names.get(entry.name)
    if (below === undefined) return [entry]
    return below.size === 0 ? [] : [narrowEntry(entry, below, without)]
  })
}

function narrowEntry(entry: EmbedEntry, below: Names, choose: Choose): EmbedEntry {
  const { name, value } = entry
  return value.kind === 'embed' ? { name, value: { ...value, entries: narrowed(choose(value.entries, below)) } } : entry
}

/** Words as names within names; a whole one takes in its parts. */
function namesOf(words: readonly string[]): Names {
  const names = new Map<string, Names>()
  const heads = new Set(words.map((word) => word.split('.', 1)[0]!))
  for (const head of heads) {
    const below = words.flatMap((word) => (word.startsWith(`${head}.`) ? [word.slice(head.length + 1)] : []))
    names.set(head, words.includes(head) ? new Map() : namesOf(below))
  }
  return names
}

function quote(word: string): string {
  return word.slice(0, LIMITS.unknownKeyLength)
}

/** Names that a refusal lists. */
const SHOWN = 30

function meant(word: string, known: readonly string[], what?: string): string {
  const near = nearest(quote(word), known)
  if (near !== undefined) return `; did you mean "${near}"?`
  return what === undefined || known.length === 0 ? '' : `; ${what} here: ${known.slice(0, SHOWN).join(', ')}`
}
