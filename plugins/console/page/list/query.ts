/** The address of a list as people see it: the query of the API, and the columns. */
import type { Filter, ListPart, Named, RecordData } from '../client/catalog.ts'
import { allOf, type Condition, type View } from '../client/screens.ts'
import type { Within } from '../client/within.ts'

/** Keys of the address that are the console's own. */
const OWN = new Set(['columns', 'do', 'pages', 'group', 'view', 'day', 'range', 'saved'])
/** Keys of the API that do not say which records. */
const HOW = new Set(['sort', 'order', 'fields', 'omit', 'include', 'page', 'per_page', 'cursor'])

/** Sets keys of the address, or takes them out by null. */
export type Change = (changes: Readonly<Record<string, string | null>>) => void

/** One filter in an address: `created_at[gte]=2026-01-01`. */
export interface Chosen {
  readonly name: string
  readonly operator: string
  readonly value: string
  /** The key in the address. */
  readonly key: string
}

/** The query of the API in an address. */
export function apiQuery(query: URLSearchParams): string {
  const asked = new URLSearchParams(query)
  for (const key of [...OWN, 'page']) asked.delete(key)
  return asked.toString()
}

/** The part of it that says which records; with it a write reaches the records of the list and no others. */
export function choiceOf(query: URLSearchParams): string {
  const asked = new URLSearchParams(query)
  for (const key of [...asked.keys()]) if (OWN.has(key) || HOW.has(key) || asked.get(key) === '') asked.delete(key)
  return asked.toString()
}

/**
 * The records of the list as a write by a filter takes them, at the path of the resource itself. Without a filter it is
 * said that each record is meant, because the server takes none for a slip.
 */
export function writtenChoice({ resource }: Named, within: Within | undefined, query: URLSearchParams): string {
  const asked = new URLSearchParams(choiceOf(query))
  const key = within === undefined ? undefined : resource.relations[within.relation]?.field
  if (within !== undefined) asked.set(key ?? within.relation, within.id)
  const text = asked.toString()
  return text === '' ? new URLSearchParams({ where: JSON.stringify({ id: { null: false } }) }).toString() : text
}

/** The list as a stream of several lists names it; undefined where it cannot be followed. */
export function followedList(named: Named, within: Within | undefined, query: URLSearchParams): string | undefined {
  const { name, resource } = named
  if (resource.stream === undefined) return undefined
  const asked = new URLSearchParams(choiceOf(query))
  if (within !== undefined) {
    const key = resource.relations[within.relation]?.field
    if (key === undefined || resource.list?.filters[key] === undefined) return undefined
    asked.set(key, within.id)
  }
  const text = asked.toString()
  return text === '' ? name : `${name}?${text}`
}

/** One record as a stream of several lists names it; undefined where it cannot be followed. */
export function followedRecord(named: Named, { id = null }: RecordData): string | undefined {
  return followedList(named, undefined, new URLSearchParams({ where: JSON.stringify({ id }) }))
}

/** An address narrowed by its view and by further conditions, in the order of the view. */
export function viewed(query: URLSearchParams, view?: View, ...more: readonly Condition[]): URLSearchParams {
  const next = new URLSearchParams(query)
  const written = next.get('where')
  const where = allOf([view?.where, written === null ? undefined : conditionIn(written), ...more])
  if (where !== undefined) next.set('where', JSON.stringify(where))
  if (view?.sort !== undefined && !next.has('sort')) next.set('sort', view.sort.join(','))
  return next
}

/** The query of the API for a view. */
export function viewQuery(query: URLSearchParams, view: View, ...more: readonly Condition[]): string {
  return apiQuery(viewed(query, view, ...more))
}

/** A condition in an address; what is none is sent as it is, so that the server says what is wrong. */
export function conditionIn(text: string): Condition {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? (read as Condition) : { where: text }
  } catch {
    return { where: text }
  }
}

/** The filters of an address; what is no filter of the list, such as the order, is left out. */
export function chosenFilters(list: ListPart, query: URLSearchParams): readonly Chosen[] {
  return [...query].flatMap(([key, value]) => {
    const [, name = '', operator = 'eq'] = /^([^[\]]+)(?:\[(\w+)\])?$/.exec(key) ?? []
    return Object.hasOwn(list.filters, name) ? [{ name, operator, value, key }] : []
  })
}

/** The key of a filter in an address. */
export function filterKey(name: string, operator: string): string {
  return operator === 'eq' ? name : `${name}[${operator}]`
}

/** The address with some keys set, or taken out by null. */
export function changed(query: URLSearchParams, changes: Readonly<Record<string, string | null>>): URLSearchParams {
  const next = new URLSearchParams(query)
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(key)
    else next.set(key, value)
  }
  return next
}

/** The operators that a filter offers; ranges are two filters. */
export function operatorsOf(filter: Filter): readonly string[] {
  return filter.operators.filter((operator) => operator !== 'between' && operator !== 'not_in')
}

/** The order of an address: its key and direction; undefined for the usual one. */
export function chosenSort(query: URLSearchParams): { readonly key: string; readonly isDown: boolean } | undefined {
  const sort = query.get('sort')
  if (sort === null || sort.includes(',')) return undefined
  return { key: sort.replace(/^-/, ''), isDown: sort.startsWith('-') }
}
