/** `where`: a condition that a caller writes in the words of the YAML’s filters, and the names over which it may ask. */
import type {
  BelongsTo,
  Field,
  FieldPath,
  Filter,
  FilterPath,
  ManyPath,
  Resource,
  WayPath,
} from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { FieldErrorCode } from '../field-error.ts'
import type { Comparison, Operand, Related } from '../filter/filter.ts'
import { type PlacedPath, parseFilter } from '../filter/parse-yaml.ts'
import { type Linker, linkWith } from '../filter/walk.ts'
import type { Json } from '../json.ts'
import { INEXACT, inexactNumbers } from '../json-number.ts'
import { LIMITS } from '../limits.ts'
import { pathName, writtenPath } from '../plan/plan.ts'
import { knownHere, nearest } from '../text/nearest.ts'
import { type Asker, amongMany, isAskable, isManyAskable, overPath } from './askable.ts'
import { compared, type FilterReader, nextSlot } from './filter-parameters.ts'
import { allowsOne, readable } from './policy.ts'

/** The records that a part of a condition is about, and how many relations were followed to them. */
interface About extends Ground {
  readonly steps: number
}

/** Reads the parameter `where`; undefined where it was refused, each mistake at its place: `where.any.0.status.category`. */
export function readWhere(reader: FilterReader, text: string): Filter | undefined {
  const refuse = (code: FieldErrorCode, sentence: string): undefined => void reader.refuse('where', code, sentence)
  if (text.length > LIMITS.whereLength)
    return refuse('too_long', `The where parameter has more than ${LIMITS.whereLength} characters`)
  const written = parsed(text)
  if (written === undefined)
    return refuse(
      'wrong_type',
      'The where parameter must be an object of JSON, such as {"created_at":{"gte":"2026-01-01"}}',
    )
  const inexact = inexactNumbers(text, LIMITS.whereErrors)
  for (const at of inexact)
    reader.refuse(placeOf(at), 'invalid', `The value of "${at.join('.').slice(0, LONGEST)}" ${INEXACT}`)
  if (inexact.length > 0) return undefined
  const { filter, problems } = parseFilter(written, {
    terms: reader.catalog.limits.filterTerms ?? LIMITS.filterTerms,
    values: reader.longestList,
    depth: LIMITS.whereDepth,
    request: true,
  })
  for (const { at, expected, fault = 'invalid', hint, message } of problems.slice(0, LIMITS.whereErrors)) {
    const more = hint ?? (expected === undefined ? undefined : `expected: ${expected.join(', ')}`)
    reader.refuse(placeOf(at), fault, `${message.slice(0, LONGEST)}${more === undefined ? '' : `; ${more}`}`)
  }
  if (filter === undefined) return undefined
  let complaints = 0
  const bounded = (place: string, code: FieldErrorCode, sentence: string): void => {
    complaints += 1
    if (complaints <= LIMITS.whereErrors) reader.refuse(place, code, sentence)
  }
  return linkWith(linkerFor({ ...reader, refuse: bounded }), filter, {
    resource: reader.resource,
    also: new Map(),
    steps: 0,
  })
}

/** Characters of a complaint that quotes what was sent. */
const LONGEST = 200

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function placeOf(at: readonly (string | number)[]): string {
  return ['where', ...at].map((key) => String(key).slice(0, LIMITS.unknownKeyLength)).join('.')
}

function linkerFor(reader: FilterReader): Linker<PlacedPath, FieldPath, WayPath, About> {
  return {
    compare: (part, about) => linkComparison(reader, about, part),
    related: (part, about, inner) => linkRelated(reader, about, part, inner),
  }
}

function linkComparison(outer: FilterReader, about: About, part: Comparison<PlacedPath>): Filter | undefined {
  const reader = { ...outer, resource: about.resource, subject: () => `The value of "${part.path.join('.')}"` }
  const place = placeOf(part.path.where)
  const path = pathNamed(reader, about, part.path)
  if (path === undefined) return unknown(reader, about, part.path)
  if (about.steps + stepsOf(path) > LIMITS.whereRelations) return tooFar(reader, part.path)
  const { operand, operator } = part
  const own = operand.kind === 'literal' ? undefined : variable(reader, path.field, operand)
  if (own !== undefined) {
    if (path.field.type.operators.includes(operator))
      return overPath(reader, about.resource, path, operator === 'ne', (at) => ({
        kind: 'compare',
        path: at,
        operator,
        operand: own,
      }))
  }
  const value = writtenValue(operand)
  const texts = (Array.isArray(value) ? value : [value]).map((one: Json) => String(one))
  return compared(reader, place, texts, path, operator)
}

/** What a variable is compared as; undefined where the field cannot hold such a value, so that it is a text like others. */
function variable(reader: FilterReader, field: Field, operand: Comparison<PlacedPath>['operand']): Operand | undefined {
  const type = field.sqlType
  switch (operand.kind) {
    case 'now':
    case 'today':
      return type === 'date' || type === 'timestamp with time zone' ? operand : undefined
    case 'actor': {
      if (operand.attribute === undefined) return type === 'integer' || type === 'bigint' ? operand : undefined
      const attribute = reader.catalog.accounts?.attributes.get(operand.attribute)
      const known = attribute !== undefined && attribute.show !== 'never' && readable(attribute, reader.actor)
      return known && attribute.sqlType === type ? operand : undefined
    }
    default:
      return undefined
  }
}

/** The value as the JSON has it. */
function writtenValue(operand: Comparison<PlacedPath>['operand']): Json {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'actor':
      return operand.attribute === undefined ? '$actor' : `$actor.${operand.attribute}`
    default:
      return `$${operand.kind}`
  }
}

function linkRelated(
  outer: FilterReader,
  about: About,
  part: Related<PlacedPath, PlacedPath>,
  inner: (about: About) => Filter | undefined,
): Filter | undefined {
  const reader = { ...outer, resource: about.resource }
  const found = manyNamed(reader, about, part.path)
  if (found === undefined) return unknown(reader, about, part.path)
  const steps = about.steps + found.path.relations.length + 1
  if (steps > LIMITS.whereRelations) return tooFar(reader, part.path)
  const of = inner({ ...found.about, steps })
  if (of === undefined) return undefined
  const { count } = part
  if (count === undefined) return amongMany(reader, found.path, of)
  const value = typeof count.value === 'number' ? Math.min(count.value, Number.MAX_SAFE_INTEGER) : 0
  return amongMany(reader, found.path, of, { ...count, value: nextSlot(reader, value) })
}

function stepsOf({ relations, through }: FilterPath): number {
  return relations.length + (through === undefined ? 0 : through.relations.length + 1)
}

function tooFar(reader: FilterReader, path: PlacedPath): undefined {
  reader.refuse(placeOf(path.where), 'invalid', `A condition follows at most ${LIMITS.whereRelations} relations`)
}

/** The refusal of a path: the same for one that is not there and for one that the caller may not read. */
function unknown(reader: FilterReader, about: Ground, path: PlacedPath): undefined {
  const { known, many } = namesAround(reader, about, path)
  const word = path.join('.')
  const start = `Unknown field "${word.slice(0, LIMITS.unknownKeyLength)}"`
  const place = placeOf(path.where)
  if (many !== undefined) {
    reader.refuse(place, 'unknown_field', `${start}; "${many}" leads to many records, as in {"${many}":{"some":{…}}}`)
    return
  }
  const near = nearest(word.slice(0, LIMITS.unknownKeyLength), known)
  const more = near === undefined ? knownHere(known) : `; did you mean "${near}"?`
  reader.refuse(place, 'unknown_field', `${start}${more}`)
}

/** The records that names are about. */
export interface Ground {
  readonly resource: Resource
  /** Further names: those that the resource from which it was reached declares over the relation. */
  readonly also: ReadonlyMap<string, FilterPath>
}

/** The names of a resource's own filters that the caller may use: each by its parameter and by its path, and the id. */
export function ownNames(asker: Asker, { also, resource }: Ground): ReadonlyMap<string, FilterPath> {
  const names = new Map<string, FilterPath>([[resource.key.name, { relations: [], field: resource.key }]])
  const declared = [...resource.filters, ...also]
  for (const [name, path] of declared) {
    if (!isAskable(asker, resource, path)) continue
    names.set(name, path)
    names.set(writtenPath(path), path)
  }
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'belongs_to' || names.has(relation.name)) continue
    const key = names.get(relation.field.name)
    if (key?.field === relation.field) names.set(relation.name, key)
  }
  return names
}

/** The path that a name means; undefined where there is none that the caller may ask about. */
export function pathNamed(asker: Asker, ground: Ground, segments: readonly string[]): FilterPath | undefined {
  const found = composed(asker, ground, segments)
  return found !== undefined && isAskable(asker, ground.resource, found) ? found : undefined
}

function composed(asker: Asker, ground: Ground, segments: readonly string[]): FilterPath | undefined {
  const own = ownNames(asker, ground).get(segments.join('.'))
  if (own !== undefined || segments.length < 2) return own
  const relation = followed(asker, ground, segments[0]!)
  const rest = relation && composed(asker, beyond(asker, relation), segments.slice(1))
  if (relation === undefined || rest === undefined) return undefined
  const { through } = rest
  if (through === undefined) return { ...rest, relations: [relation, ...rest.relations] }
  return { ...rest, through: { ...through, relations: [relation, ...through.relations] } }
}

/** A to-one relation that the caller may follow: one by whose key it may filter. */
function followed(asker: Asker, { resource }: Ground, name: string): BelongsTo | undefined {
  const relation = resource.relations.get(name)
  if (relation?.kind !== 'belongs_to' || !allowsOne(relation.read, asker.actor)) return undefined
  const isFilter = [...resource.filters.values()].some(({ field }) => field === relation.field)
  return isFilter && readable(relation.field, asker.actor) ? relation : undefined
}

function beyond(asker: Asker, relation: { readonly target: string }): Ground {
  return { resource: targetOf(asker.catalog, relation), also: new Map() }
}

/** The way to many records that a name means, and those records; undefined where there is none that the caller may ask about. */
export function manyNamed(
  asker: Asker,
  ground: Ground,
  segments: readonly string[],
): { readonly path: ManyPath; readonly about: Ground } | undefined {
  const [name = '', ...further] = segments
  if (further.length > 0) {
    const relation = followed(asker, ground, name)
    const rest = relation && manyNamed(asker, beyond(asker, relation), further)
    if (relation === undefined || rest === undefined) return undefined
    return { ...rest, path: { ...rest.path, relations: [relation, ...rest.path.relations] } }
  }
  const many = ground.resource.relations.get(name)
  if (many === undefined || many.kind === 'belongs_to' || !isManyAskable(asker, ground.resource, many)) return undefined
  const over = [...ground.resource.filters.values()].filter(
    ({ through }) => through?.many === many && through.relations.length === 0,
  )
  if (many.show === 'never' && over.length === 0) return undefined
  const also = new Map(over.map(({ relations, field }) => [pathName({ relations, field }), { relations, field }]))
  return { path: { relations: [], many }, about: { resource: targetOf(asker.catalog, many), also } }
}

/** What is known around a name that is not: the names that could be meant, and the relation to many records where it leads to one. */
export function namesAround(
  asker: Asker,
  ground: Ground,
  segments: readonly string[],
): { readonly known: readonly string[]; readonly many: string | undefined } {
  const [name = '', ...further] = segments
  const lists = [...ground.resource.relations.values()].filter(
    (relation) => relation.kind !== 'belongs_to' && manyNamed(asker, ground, [relation.name]) !== undefined,
  )
  const here = [...ownNames(asker, ground).keys(), ...lists.map((relation) => relation.name)]
  const many = lists.some((relation) => relation.name === name) ? name : undefined
  if (further.length === 0) return { known: [...new Set(here)], many }
  const beside = [...ground.resource.relations.keys()].flatMap((one) => {
    const relation = followed(asker, ground, one)
    if (relation === undefined) return []
    const there = beyond(asker, relation)
    const found = one === name ? namesAround(asker, there, further).known : [...ownNames(asker, there).keys()]
    return found.map((word) => `${one}.${word}`)
  })
  const relation = followed(asker, ground, name)
  const rest = relation && namesAround(asker, beyond(asker, relation), further).many
  return { known: [...new Set([...here, ...beside])], many: rest === undefined ? many : `${name}.${rest}` }
}
