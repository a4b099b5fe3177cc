/** The query of a list, as a text or as a JSON body → its plan and its values; refuses unknown parameters, wrong values and filters on unreadable fields. */
import type { Actor } from '../actor.ts'
import type { Catalog, FieldPath, Filter, Resource, SortTerm } from '../catalog/catalog.ts'
import { LIST_PARAMETERS, PAGE_PARAMETERS, PROJECTION_PARAMETERS, WORD_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'
import { FieldError, type FieldErrorCode, fieldError } from '../field-error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { dependsOnValues, identityOf, type Plan, type Plans, shapeOf, shortened, sortSignature } from '../plan/plan.ts'
import {
  type Answer,
  type CanShape,
  type ChoiceShape,
  type Conditions,
  type ListPlan,
  type Order,
  type ParentShape,
  planCorrected,
  planList,
} from '../plan/read-plan.ts'
import { listedItem } from '../text/listed.ts'
import { knownHere, nearest } from '../text/nearest.ts'
import { type Asker, isOpen } from './askable.ts'
import { type Cursor, decodeCursor } from './cursor.ts'
import {
  askedWords,
  type FilterReader,
  givenTwice,
  isKnownPath,
  isListed,
  knownFilter,
  readFilter,
} from './filter-parameters.ts'
import type { Lookup } from './lookup.ts'
import { classOf, filterable, reach, readable, requireClause, usualAnswer } from './policy.ts'
import { readProjection } from './projection.ts'
import { correctedSearch, readSearch, searchedSort } from './search.ts'
import { readWhere } from './where.ts'

/** What a list request asks for: its plan, and the values with which the statements of the plan run. */
export interface ListQuery {
  readonly plan: ListPlan
  /** By their slots: those of the filters and the search, the cursor's, `offset`, and the `parent` of a nested list. */
  readonly slots: Readonly<Record<string, unknown>>
  /** Whether the best plan of PostgreSQL depends on the values, so that the statement must not be planned once for all. */
  readonly adhoc: boolean
  /** undefined when reading by cursor. */
  readonly page: number | undefined
  /** How many records come before the page. */
  readonly offset: number
}

/** Who asks, and where the plans of the application are. */
export interface ListAsker extends Asker {
  readonly plans: Plans
}

/** The record above a nested list, as the path names it. */
export interface ListParent extends Omit<ParentShape, keyof Plan | 'lookup'> {
  readonly lookup: Lookup
}

/** What else a list is that no query says: which of its records, what is answered of each, and what is asked of it. */
export interface Further {
  readonly choices?: ChoiceShape | undefined
  readonly answer?: Answer | undefined
  readonly slots?: Readonly<Record<string, unknown>> | undefined
  readonly can?: CanShape | undefined
}

/** Pages beyond this offset fetch ids first: an index alone can skip, the rows' other columns stay unread. */
const DEEP_OFFSET = 500

/**
 * Reads a list's query string. Throws where the policy `view` lets the caller read no record of the resource, and
 * ApiError validation_failed keyed by parameter.
 */
export function readListQuery(
  { actor, catalog, plans }: ListAsker,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
  parent?: ListParent,
  further?: Further,
): ListQuery {
  requireClause(resource.policies.view, actor)
  // Without a prototype: a parameter may be called "constructor" or "__proto__".
  const errors: Record<string, FieldError[]> = Object.create(null)
  const refuse = (parameter: string, code: FieldErrorCode, sentence: string): void => {
    errors[parameter] ??= []
    errors[parameter].push(fieldError(code, sentence))
  }
  const slots: Record<string, unknown> = {}
  const given = readGiven(query, refuse)
  const { reserved } = given
  const conditions = readConditions({ catalog, resource, actor, ...limitsOf(catalog), refuse, slots }, given)
  const { cursor, page, perPage } = readPaging(catalog, reserved, refuse)
  const sort = total(resource, readSort(catalog, resource, actor, reserved, refuse))
  const isSearch = reserved.has('search') || reserved.has('snippets')
  const search = isSearch ? readSearch(catalog, resource, actor, reserved, refuse) : undefined
  const isOrdered = Boolean(reserved.get('sort') || reserved.get('order'))
  const ranked = isOrdered || search === undefined ? undefined : searchedSort(resource, search.shape, sort)
  const after = readCursor(cursor, ranked ?? sort, refuse)
  const isProjected = PROJECTION_PARAMETERS.some((name) => reserved.has(name))
  const chosen = isProjected ? readProjection({ resource, actor, mode: 'list', refuse }, reserved) : undefined
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const offset = cursor === undefined ? (page - 1) * perPage : 0
  const places = Object.fromEntries((after?.values ?? []).map((value, i) => [`k${i}`, value]))
  Object.assign(slots, search?.slots, further?.slots, places, { offset, parent: parent?.lookup.value })
  const plan = plans.get(planList, {
    resource,
    reader: classOf(actor),
    within: reach(resource.policies.view, actor),
    below: parent && parentShape(parent),
    choices: further?.choices,
    can: further?.can,
    conditions,
    search: search?.shape,
    order: orderOf(resource, sort, ranked, after),
    answer: further?.answer ?? chosen ?? usualAnswer(actor, resource, 'list'),
    perPage,
    numbered: cursor === undefined,
    deep: offset >= DEEP_OFFSET,
    after: after?.nulls,
  })
  const adhoc = conditions.madeUp === true || conditions.filters.some(dependsOnValues) || search?.adhoc === true
  return { plan, slots, adhoc, page: plan.numbered ? page : undefined, offset }
}

function orderOf(
  { ranked: isRanked }: Resource,
  sort: readonly SortTerm[],
  ranked: readonly SortTerm[] | undefined,
  after: Cursor | undefined,
): Order {
  const pastNamed = ranked !== undefined && !isRanked && after?.values[0] === '0'
  return { planId: `${sortSignature(ranked ?? sort)}${pastNamed ? ' past' : ''}`, sort, ranked, pastNamed }
}

/** What statements are compiled for of a parent: all but the value that the path has. */
export function parentShape({ relation, resource, lookup }: ListParent): ParentShape {
  return { relation, resource, lookup: lookup.field, planId: identityOf([relation, resource, lookup.field]) }
}

/** The same list with the words of its search corrected; undefined where none of them may be misspelt. */
export function correctedQuery({ plans }: Pick<ListAsker, 'plans'>, query: ListQuery): ListQuery | undefined {
  const search = query.plan.search && correctedSearch(query.plan.search)
  if (search === undefined) return undefined
  return { ...query, plan: plans.get(planCorrected, { plan: query.plan, search }), adhoc: true }
}

/** The parameters of a query: those of pages and order have one value each, filters have all that they were given. */
interface Given {
  readonly reserved: ReadonlyMap<string, string>
  readonly filters: ReadonlyMap<string, ReadonlySet<string>>
}

/** Sorts parameters out; `sort=a&sort=b` is `sort=a,b`, and what takes one value is refused with another. */
function readGiven(query: Iterable<readonly [string, string]>, refuse: Refuse): Given {
  const reserved = new Map<string, string>()
  const filters = new Map<string, Set<string>>()
  for (const [name, value] of query) {
    if (!LIST_PARAMETERS.includes(name)) {
      const values = filters.get(name) ?? new Set()
      filters.set(name, values.add(value))
      continue
    }
    const before = reserved.get(name)
    const isWords = WORD_PARAMETERS.includes(name)
    if (before !== undefined && before !== value && !isWords) refuse(name, 'given_twice', givenTwice(name))
    reserved.set(name, isWords && before ? `${before},${value}` : value)
  }
  return { reserved, filters }
}

/** The limits of a reader of parameters, and how its sentences begin. */
function limitsOf({ limits }: Catalog): Pick<FilterReader, 'longestList' | 'subject'> {
  return { longestList: limits.valuesPerList ?? 0, subject: (parameter) => `The ${parameter} parameter` }
}

/** The conditions of all parameters, and of `where`, which its caller makes up. */
function readConditions(reader: FilterReader, given: Given): Conditions {
  const text = given.reserved.get('where')
  const named = readFilters(reader.catalog, reader, given.filters)
  const where = text ? readWhere(reader, text) : undefined
  const filters = where === undefined ? named : [...named, where]
  return { planId: shortened(filters.map(shapeOf).join('&')), madeUp: Boolean(text), filters }
}

function readFilters(catalog: Catalog, reader: FilterReader, given: Given['filters']): readonly Filter[] {
  const filters: Filter[] = []
  let unknown = 0
  for (const [name, values] of given) {
    const known = knownFilter(reader, name)
    if (known === undefined) {
      if (catalog.strictness.unknownParameters === 'refuse' && ++unknown <= LIMITS.queryErrors)
        reader.refuse(name, 'unknown_parameter', unknownParameter(reader, name))
      continue
    }
    const [first, ...further] = [...values].filter((value) => value !== '')
    const filter = first === undefined ? undefined : readFilter(reader, name, known, [first, ...further])
    if (filter !== undefined) filters.push(filter)
  }
  const most = catalog.limits.filterTerms ?? 0
  if (filters.length > most) reader.refuse('filter', 'invalid', `At most ${most} conditions are allowed`)
  return filters
}

/** The sort up to the id, which it ends with: it orders any two records. */
function total(resource: Resource, sort: readonly SortTerm[]): readonly SortTerm[] {
  const ends = sort.findIndex((term) => term.path.relations.length === 0 && term.path.field === resource.key)
  if (ends !== -1) return sort.slice(0, ends + 1)
  return [...sort, { path: { relations: [], field: resource.key }, direction: sort.at(-1)?.direction ?? 'asc' }]
}

type Refuse = (parameter: string, code: FieldErrorCode, sentence: string) => void

function readPaging(catalog: Catalog, given: ReadonlyMap<string, string>, refuse: Refuse) {
  const positive = (name: string, fallback: number, largest: number): number => {
    const text = given.get(name)
    if (text === undefined || text === '') return fallback
    if (/^[1-9]\d{0,15}$/.test(text)) return Math.min(Number(text), largest)
    refuse(name, 'wrong_type', `The ${name} parameter must be a positive integer`)
    return fallback
  }
  const perPage = positive('per_page', catalog.limits.perPageDefault ?? 0, catalog.limits.perPageMax ?? 0)
  const page = positive('page', 1, catalog.limits.pageMax ?? 0)
  const cursor = given.get('cursor') || undefined
  if (cursor !== undefined && given.get('page'))
    refuse('page', 'invalid', 'The page parameter cannot be used together with cursor')
  return { perPage, page, cursor }
}

function readSort(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  given: ReadonlyMap<string, string>,
  refuse: Refuse,
): readonly SortTerm[] {
  const sortable = (path: FieldPath): boolean =>
    path.relations.length === 0 ? filterable(path, actor) : isOpen({ catalog, actor }, resource, path)
  const order = (given.get('order') ?? '').toLowerCase()
  if (order !== '' && order !== 'asc' && order !== 'desc')
    refuse('order', 'not_allowed', 'The order parameter must be asc or desc')
  const text = given.get('sort') ?? ''
  if (text === '') {
    // A cursor carries the values of its sort, so a default may not order by what the caller may not read.
    const readable = resource.sort.default.filter((term) => sortable(term.path))
    return order === '' ? readable : readable.map((term) => ({ ...term, direction: order === 'desc' ? 'desc' : 'asc' }))
  }
  const words = text.split(',')
  if (words.length > (catalog.limits.sortKeys ?? 0)) {
    refuse('sort', 'invalid', `At most ${catalog.limits.sortKeys} sort keys are allowed`)
    return []
  }
  const sort: SortTerm[] = []
  for (const word of words) {
    // A plus that the client did not escape arrives as a space.
    const signed = /^[-+ ]/.test(word)
    const name = signed ? word.slice(1) : word
    const path = resource.sort.keys.get(name)
    if (path === undefined || !sortable(path)) {
      const names = [...resource.sort.keys].filter(([, known]) => sortable(known)).map(([known]) => known)
      refuse(
        'sort',
        'unknown_sort',
        `Cannot sort by "${name.slice(0, 64)}"${suggestion(name, names)}; allowed: ${names.join(', ')}`,
      )
      continue
    }
    sort.push({ path, direction: (signed ? word.startsWith('-') : order === 'desc') ? 'desc' : 'asc' })
  }
  return sort
}

/** The place that a cursor names; undefined on a first page and on numbered ones. */
function readCursor(cursor: string | undefined, sort: readonly SortTerm[], refuse: Refuse): Cursor | undefined {
  if (cursor === undefined || cursor === 'first') return undefined
  const after = decodeCursor(cursor, sort)
  if (after === undefined)
    refuse(
      'cursor',
      'not_allowed',
      'The cursor parameter must be "first" or the next_cursor of a list with the same sort',
    )
  return after
}

function unknownParameter(reader: FilterReader, name: string): string {
  const { resource, actor } = reader
  const bare = name.split('[', 1)[0] ?? ''
  const names = [
    ...[...resource.filters].filter(([, path]) => isKnownPath(reader, path)).map(([known]) => known),
    ...[...resource.ranges]
      .filter(([, field]) => readable(field, actor))
      .flatMap(([prefix]) => [`${prefix}_from`, `${prefix}_to`]),
    ...[...resource.specials]
      .filter(([, { values }]) => askedWords(reader, resource, values).size > 0)
      .map(([known]) => known),
    ...LIST_PARAMETERS,
  ]
  const present = names.filter((known) => !resource.earlier?.names.has(known))
  return `Unknown parameter "${bare.slice(0, 64)}"${suggestion(bare, names) || knownHere(present)}`
}

function suggestion(word: string, candidates: readonly string[]): string {
  const found = nearest(word, candidates)
  return found === undefined ? '' : `; did you mean "${found}"?`
}

/** The parameters of a list as a JSON body has them, with values and lists of values instead of texts; throws ApiError validation_failed keyed by parameter. */
export function parametersOf(resource: Resource, body: JsonObject): readonly (readonly [string, string])[] {
  // Without a prototype: a key may be "__proto__".
  const errors: Record<string, FieldError[]> = Object.create(null)
  let complaints = 0
  const parameters = Object.entries(body).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    const read = textsOf(resource, name, value)
    if (!(read instanceof FieldError)) return read.map((text) => [name, text])
    complaints += 1
    if (complaints <= LIMITS.queryErrors) errors[name.slice(0, LIMITS.unknownKeyLength)] = [read]
    return []
  })
  if (complaints > 0) throw invalid(errors)
  return parameters
}

/** The texts of a parameter, or its refusal. */
function textsOf(resource: Resource, name: string, value: Json): readonly string[] | FieldError {
  const subject = `The ${name.slice(0, LIMITS.unknownKeyLength)} parameter`
  if (name === 'where')
    return isObject(value) ? [JSON.stringify(value)] : fieldError('wrong_type', `${subject} must be an object`)
  if (value === null)
    return fieldError('invalid', `${subject} must not be null; {"where":{"field":null}} asks for what is absent`)
  if (isObject(value))
    return fieldError('wrong_format', `${subject} must be a value or a list of values; conditions go under "where"`)
  if (!Array.isArray(value)) return [String(value)]
  const items: readonly Json[] = value
  if (items.length === 0) return fieldError('too_few', `${subject} must have at least 1 item`)
  if (items.some((item) => item === null || typeof item === 'object'))
    return fieldError('wrong_type', `${subject} must be a list of values`)
  const texts = items.map((item) => (isListed(resource, name) ? listedItem(String(item)) : String(item)))
  return WORD_PARAMETERS.includes(name) || name.endsWith('[between]') ? [texts.join(',')] : texts
}

const UNFIT: readonly string[] = [...PAGE_PARAMETERS, ...PROJECTION_PARAMETERS]

/** The query of a list whose records are given at once, without its pages and its choice of parts; refuses these with `sentence` (422) where unknown parameters are refused and they have a value. */
export function withoutPages(
  { strictness }: Pick<Catalog, 'strictness'>,
  query: Iterable<readonly [string, string]>,
  sentence: string,
): readonly (readonly [string, string])[] {
  const given = [...query]
  const unfit = given.filter(([name, value]) => UNFIT.includes(name) && value !== '')
  if (unfit.length > 0 && strictness.unknownParameters === 'refuse')
    throw invalid(Object.fromEntries(unfit.map(([name]) => [name, [sentence]])))
  return given.filter(([name]) => !UNFIT.includes(name))
}
