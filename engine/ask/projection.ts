/** What of each record a caller wants: `fields`, `omit` and `include` → the parts of an answer. */
import type { Actor } from '../actor.ts'
import type { Catalog, EmbedEntry, Field, Resource } from '../catalog/catalog.ts'
import { PROJECTION_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'
import { type FieldError, type FieldErrorCode, fieldError } from '../field-error.ts'
import { LIMITS } from '../limits.ts'
import { shortened } from '../plan/plan.ts'
import { type Answer, type Mode, type Part, partName } from '../plan/read-plan.ts'
import { knownHere, nearest } from '../text/nearest.ts'
import { partsOf, readableEntry, shown } from './policy.ts'

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
export function readProjection(reading: Reading, given: ReadonlyMap<string, string>): Answer | undefined {
  const words = (name: string): readonly string[] =>
    (given.get(name) ?? '').split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))
  const [fields, omit, include] = PROJECTION_PARAMETERS.map(words) as [string[], string[], string[]]
  if (fields.length + omit.length + include.length === 0) return undefined
  const long = PROJECTION_PARAMETERS.find((name) => words(name).length > LIMITS.projectedNames)
  if (long !== undefined) {
    reading.refuse(long, 'too_many', `The ${long} parameter takes at most ${LIMITS.projectedNames} values`)
    return undefined
  }
  const all = partsOf(reading.resource, reading.actor, (show) => show !== 'never')
  const included = readIncluded(reading, all, include)
  const usual = all.filter((part) => included.has(nameOf(part)) || shown(showOf(part), reading.mode))
  // A relation to many records is large, so that naming a part of it is no wish to have it.
  const nameable = all.filter((part) => usual.includes(part) || 'column' in part || part.relation.kind === 'belongs_to')
  const chosen = fields.length === 0 ? usual : chosenOf(reading, 'fields', nameable, fields, kept)
  const parts = (omit.length === 0 ? chosen : chosenOf(reading, 'omit', chosen, omit, without)).map((part) => {
    const most = included.get(nameOf(part))
    return most === undefined || 'column' in part ? part : { ...part, most }
  })
  return { planId: shortened(parts.map(partName).join()), madeUp: true, parts }
}

/** Reads the query string of a single record; throws ApiError validation_failed keyed by parameter. */
export function readRecordQuery(
  { strictness }: Pick<Catalog, 'strictness'>,
  resource: Resource,
  actor: Actor,
  query: URLSearchParams,
): Answer | undefined {
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

function nameOf(part: Part): string {
  return 'column' in part ? part.name : part.relation.name
}

function showOf(part: Part): Field['show'] {
  return 'column' in part ? part.show : part.relation.show
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
    return [{ ...part, entries: choose(part.entries, below), chosen: true }]
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
  if (value.kind === 'field') return entry
  return { name, value: { ...value, entries: choose(value.entries, below), chosen: true } }
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

function meant(word: string, known: readonly string[], what?: string): string {
  const near = nearest(quote(word), known)
  if (near !== undefined) return `; did you mean "${near}"?`
  return what === undefined ? '' : knownHere(known, what)
}
