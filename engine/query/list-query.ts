/** The query string of a list → what to read; refuses unknown parameters, wrong values and filters on unreadable fields. */

import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import type { Catalog, FieldPath, Filter, Resource, SortTerm } from '../catalog/catalog.ts'
import { LIST_PARAMETERS, PROJECTION_PARAMETERS, WORD_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'
import { type FieldError, type FieldErrorCode, fieldError } from '../field-error.ts'
import { LIMITS } from '../limits.ts'
import { dependsOnValues, type Plan, shapeOf, sortSignature } from '../plan/plan.ts'
import { nearest } from '../text/nearest.ts'
import { isOpen } from './askable.ts'
import { type Cursor, decodeCursor } from './cursor.ts'
import { type FilterReader, givenTwice, isKnownPath, knownFilter, readFilter } from './filter-terms.ts'
import { askedWords } from './named-condition.ts'
import { filterable, readable } from './policy.ts'
import { type Projection, readProjection } from './projection.ts'
import { readSearch, searchedSort, searchKey } from './search-query.ts'
import type { SearchShape } from './search-terms.ts'
import { readWhere } from './where.ts'

/** What a list request asks for. Equal ones of one resource and actor class, apart from their values, share statements. */
export interface ListQuery extends Plan {
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  /** What of each record is wanted; undefined: the usual. */
  readonly projection: Projection | undefined
  /** Whether the best plan depends on the values, so that the statement must not be planned once for all. */
  readonly adhoc: boolean
  readonly search: SearchShape | undefined
  /** So far into the list that ids are fetched before rows. */
  readonly deep: boolean
  /** Always ends with the id, so that pages never repeat or skip. */
  readonly sort: readonly SortTerm[]
  /** The order of its pages where how well a record answers the search comes first. */
  readonly ranked: readonly SortTerm[] | undefined
  /** Whether it goes on behind the records that the search names, in the list's own order. */
  readonly pastNamed: boolean
  readonly perPage: number
  /** undefined when reading by cursor. */
  readonly page: number | undefined
  /** Where a cursor goes on; undefined on a first page. */
  readonly after: Cursor | undefined
  readonly slots: Readonly<Record<string, unknown>>
}

/** Pages beyond this offset fetch ids first: an index alone can skip, the rows' other columns stay unread. */
const DEEP_OFFSET = 500

/** Reads a list's query string; throws ApiError validation_failed keyed by parameter. */
export function readListQuery(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  query: Iterable<readonly [string, string]>,
): ListQuery {
  // Without a prototype: a parameter may be called "constructor" or "__proto__".
  const errors: Record<string, FieldError[]> = Object.create(null)
  const refuse = (parameter: string, code: FieldErrorCode, sentence: string): void => {
    errors[parameter] ??= []
    errors[parameter].push(fieldError(code, sentence))
  }
  const slots: Record<string, unknown> = {}
  const given = readGiven(query, refuse)
  const filters = readConditions({ catalog, resource, actor, ...limitsOf(catalog), refuse, slots }, given)
  const isWritten = Boolean(given.reserved.get('where'))
  const { page, perPage, cursor } = readPaging(catalog, given.reserved, refuse)
  const sort = total(resource, readSort(catalog, resource, actor, given.reserved, refuse))
  const isSearch = given.reserved.has('search') || given.reserved.has('snippets')
  const search = isSearch ? readSearch(catalog, resource, actor, given.reserved, refuse) : undefined
  const isOrdered = Boolean(given.reserved.get('sort') || given.reserved.get('order'))
  const ranking = isOrdered || search === undefined ? undefined : searchedSort(resource, search, sort)
  const after = readCursor(cursor, ranking ?? sort, refuse)
  const isProjected = PROJECTION_PARAMETERS.some((name) => given.reserved.has(name))
  const projection = isProjected ? readProjection({ resource, actor, mode: 'list', refuse }, given.reserved) : undefined
  if (Object.keys(errors).length > 0) throw invalid(errors)
  Object.assign(slots, search?.slots)
  const shape = {
    filters,
    projection,
    madeUp: isWritten || projection !== undefined || (search !== undefined && search.wanted + search.unwanted > 1),
    adhoc: isWritten || filters.some(dependsOnValues) || search?.adhoc === true,
    search,
    deep: cursor === undefined && (page - 1) * perPage >= DEEP_OFFSET,
    sort,
    ranked: ranking,
    pastNamed: ranking !== undefined && !resource.ranked && after?.values[0] === '0',
    perPage,
    page: cursor === undefined ? page : undefined,
    after,
  }
  return { ...shape, planId: planIdOf(shape), slots }
}

/** What the statements of a query depend on, as text: all but its values and which page it is. */
function planIdOf(query: Omit<ListQuery, 'planId' | 'slots'>): string {
  const { filters, search, deep, sort, ranked, pastNamed, perPage, after, page, projection } = query
  const only = projection === undefined ? '' : `;${bounded(projection.planId)}`
  const kind = `${search ? searchKey(search) : ''}${deep ? 'deep ' : ''}${page === undefined ? 'cursor' : 'page'}`
  return `${bounded(filters.map(shapeOf).join('&'))};${kind};${sortSignature(ranked ?? sort)};${perPage};${after?.nulls ?? ''}${pastNamed ? 'past' : ''}${only}`
}

/** The same list with the words of its search corrected; undefined where none of them may be misspelt. */
export function correctedQuery(query: ListQuery): ListQuery | undefined {
  const { search } = query
  if (search === undefined || search.corrected || search.spelt.length === 0) return undefined
  const corrected = { ...query, search: { ...search, corrected: true }, adhoc: true, madeUp: true }
  return { ...corrected, planId: planIdOf(corrected) }
}

/** A shape as a text of limited length. */
function bounded(shape: string): string {
  return shape.length <= LIMITS.shapeLength ? shape : createHash('sha256').update(shape).digest('base64url')
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

/** What a reader of parameters is told beside who asks for what. */
function limitsOf({ limits }: Catalog): Pick<FilterReader, 'longestList' | 'subject'> {
  return { longestList: limits.valuesPerList ?? 0, subject: (parameter) => `The ${parameter} parameter` }
}

/** The conditions of all parameters, and of `where`. */
function readConditions(reader: FilterReader, given: Given): readonly Filter[] {
  const filters = readFilters(reader.catalog, reader, given.filters)
  const text = given.reserved.get('where')
  const where = text ? readWhere(reader, text) : undefined
  return where === undefined ? filters : [...filters, where]
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
    refuse('page', 'invalid', 'The page parameter cannot stand beside cursor')
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
    ...LIST_PARAMETERS,
    ...[...resource.filters].filter(([, path]) => isKnownPath(reader, path)).map(([known]) => known),
    ...[...resource.ranges]
      .filter(([, field]) => readable(field, actor))
      .flatMap(([prefix]) => [`${prefix}_from`, `${prefix}_to`]),
    ...[...resource.specials]
      .filter(([, { values }]) => askedWords(reader, resource, values).size > 0)
      .map(([known]) => known),
  ]
  return `Unknown parameter "${bare.slice(0, 64)}"${suggestion(bare, names)}`
}

function suggestion(word: string, candidates: readonly string[]): string {
  const found = nearest(word, candidates)
  return found === undefined ? '' : `; did you mean "${found}"?`
}
