/** ⇄ The records that a list's query finds: how many there are, or locked, so that they can be written together. */

import { type ListQuery, readListQuery } from '../ask/list.ts'
import type { Filter, Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/stored.ts'
import { invalid } from '../error.ts'
import { fieldError } from '../field-error.ts'
import { fold } from '../filter/walk.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { compileFound, compileLocked } from '../statement/list.ts'
import { type Execution, runCompiled, type Within } from './execution.ts'

/** Complaints about one query at most. */
const MOST = 20

/**
 * What a list's query asks for, without order and pages. Throws as the list does, and validation_failed for a query that
 * chooses nothing, and for a condition with an empty value: a variable of a script that was never set must not mean more
 * records than its author had in mind.
 */
export function readChoice(
  around: Execution,
  resource: Resource,
  query: readonly (readonly [string, string])[],
): ListQuery {
  const list = readListQuery(around, resource, query)
  const empty = [...query].flatMap(([name, value]) => emptyIn(name, value)).slice(0, MOST)
  if (empty.length > 0) throw invalid(Object.fromEntries(empty.map(([place, sentence]) => [place, [sentence]])))
  const { filters, search } = list.plan
  const seeks = search !== undefined && search.wanted + search.unwanted + search.identifiers.length > 0
  if (seeks || filters.some(chooses)) return list
  throw invalid({ filter: [fieldError('required', 'Filters say which records are meant: at least one is required')] })
}

type Complaint = readonly [place: string, sentence: string]

/** What is empty in one parameter, each at its place. */
function emptyIn(name: string, value: string): readonly Complaint[] {
  const values = /\[(?:in|not_in|between)\]$/.test(name) ? value.split(',') : [value]
  if (values.some((one) => one.trim() === ''))
    return [[name, `The ${name} parameter has an empty value: give it one, or leave the parameter out`]]
  return name === 'where' ? emptyParts(JSON.parse(value), [name]) : []
}

/** Comparisons of a condition that an empty value makes true of every record. */
function emptyParts(part: Json, at: readonly string[]): readonly Complaint[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]): readonly Complaint[] => {
    const place = [...at, key]
    const isEmpty =
      (PARTIAL.includes(key) && value === '') || (LISTED.includes(key) && Array.isArray(value) && value.length === 0)
    if (!isEmpty) return emptyParts(value, place)
    return [[place.join('.'), `A "${key}" without a value holds for every record: give it one, or leave it out`]]
  })
}

const PARTIAL: readonly string[] = ['contains', 'starts_with', 'ends_with']
const LISTED: readonly string[] = ['in', 'not_in']

/** Whether a condition compares anything: an empty one holds for every record. */
function chooses(filter: Filter): boolean {
  const always = () => true
  return fold<unknown, unknown, boolean>(filter, {
    compare: always,
    related: always,
    not: (of) => of,
    and: (of) => of.includes(true),
    or: (of) => !of.includes(false),
  })
}

/** How many records within the caller's reach the query finds. */
export async function countMatching(around: Execution, query: ListQuery): Promise<number> {
  const compiled = around.statements.get(compileFound, around, query.plan)
  const [row] = await runCompiled(around, compiled, query.slots, true)
  return Number(row?.[0] ?? 0)
}

/** Their ids, lowest first, locked until the transaction ends; undefined where they are more than `max`. */
export async function lockMatching(inner: Within, query: ListQuery, max: number): Promise<readonly Id[] | undefined> {
  const compiled = inner.statements.get(compileLocked, inner, query.plan, max + 1)
  const rows = await runCompiled(inner, compiled, query.slots, true)
  return rows.length > max ? undefined : rows.map((row) => idOf(query.plan.resource, row[0]))
}
