/** ⇄ Reading: a record by a lookup, a page of a list with its total. */

import type { FieldPath, Resource, WayPath } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import type { Row } from '../database/database.ts'
import { type Leaf, leaves } from '../filter/walk.ts'
import type { Id } from '../id.ts'
import { encodeCursor } from '../query/cursor.ts'
import type { KeptEmbeds } from '../query/kept-embed.ts'
import { correctedQuery, type ListQuery, readListQuery } from '../query/list-query.ts'
import {
  type CompiledPage,
  compileCount,
  compileEstimate,
  compilePage,
  compileParent,
} from '../query/list-statement.ts'
import { type Lookup, notFound } from '../query/lookup.ts'
import { reach, requireClause } from '../query/policy.ts'
import type { Projection } from '../query/projection.ts'
import { compileGet } from '../query/read-statement.ts'
import { askedWord, type SearchShape } from '../query/search-terms.ts'
import { snippet } from '../query/snippet.ts'
import { allReady, KeptEmbedMiss } from './cached-tables.ts'
import { type Execution, runCompiled } from './execution.ts'
import { gatherOf } from './gather.ts'
import type { ListResult, SearchTold } from './list-result.ts'
import { outOfReach, type Parent, parentShape, visibleParent } from './parent.ts'

/** One record as JSON text; 404 when there is none, 403 (404 where concealed) when it is out of reach. */
export async function getRecord(
  execution: Execution,
  resource: Resource,
  lookup: Lookup,
  projection?: Projection,
): Promise<string> {
  requireClause(resource.policies.view, execution.actor)
  const found = await readOne(execution, resource, lookup, projection)
  if (!found.visible) throw outOfReach(resource)
  return found.text
}

/** A record that a write has just taken out of everybody's view, as JSON text; 404 when there is none. */
export async function readGone(execution: Execution, resource: Resource, id: Id): Promise<string> {
  const { actor, catalog } = execution
  const scope = { catalog, actor }
  const compiled = execution.statements.get(compileGet, scope, resource, resource.key, false, undefined, true)
  const [row] = await runCompiled(execution, compiled, { lookup: id })
  if (row === undefined) throw notFound(resource)
  return compiled.serialize(row)
}

/** A live record as JSON text, and whether the view policy lets the caller see it; 404 when there is none. */
export function readOne(
  execution: Execution,
  resource: Resource,
  lookup: Lookup,
  projection?: Projection,
): Promise<{ readonly visible: boolean; readonly text: string }> {
  const gathered = execution.transaction === undefined && lookup.field === resource.key
  return withKept(execution, async (kept) => {
    const { actor, catalog } = execution
    const scope = { catalog, actor, kept }
    const compiled = execution.statements.get(compileGet, scope, resource, lookup.field, gathered, projection)
    await allReady(compiled.kept)
    const read = (value: unknown): Promise<readonly Row[]> => runCompiled(execution, compiled, { lookup: value })
    const row = compiled.shared
      ? await gatherOf(compiled)(lookup.value as Id, read)
      : (await read(gathered ? [lookup.value] : lookup.value))[0]
    if (row === undefined) throw notFound(resource)
    return { visible: row[0] === 't', text: compiled.serialize(row) }
  })
}

/**
 * Reads with embeds kept in the process; joined instead inside a transaction, whose own writes they do not show,
 * and when a row names a record younger than what is kept.
 */
export async function withKept<T>(
  execution: Execution,
  read: (kept: KeptEmbeds | undefined) => Promise<T>,
): Promise<T> {
  if (execution.transaction !== undefined) return read(undefined)
  try {
    return await read(execution.cachedTables)
  } catch (error) {
    if (error instanceof KeptEmbedMiss) return read(undefined)
    throw error
  }
}

/** One page of records within the actor's reach. */
export async function listRecords(
  execution: Execution,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
  parent?: Parent,
): Promise<ListResult> {
  const { actor, catalog } = execution
  requireClause(resource.policies.view, actor)
  const list = readListQuery(catalog, resource, actor, query)
  return withKept(execution, (kept) => readPage(execution, resource, list, parent, kept))
}

async function readPage(
  execution: Execution,
  resource: Resource,
  list: ListQuery,
  parent: Parent | undefined,
  kept: KeptEmbeds | undefined,
): Promise<ListResult> {
  const reading = { execution, resource, parent, kept }
  const compiled = pageFor(reading, list)
  await allReady(compiled.kept)
  const slots = slotsOf(list, parent)
  const [rows, total] = await Promise.all([
    runCompiled(execution, compiled, slots, list.adhoc),
    totalFor(execution, { resource, query: list, slots }, parent),
  ])
  const found = pageOf(resource, list, compiled, rows, total)
  // A list below a record has asked two statements by now.
  const isEmpty = found.items.length === 0 && !found.pagination.total
  const corrected = isEmpty && parent === undefined ? correctedQuery(list) : undefined
  if (corrected === undefined) return found
  const again = pageFor(reading, corrected)
  const pageAgain = pageOf(
    resource,
    corrected,
    again,
    await runCompiled(execution, again, slots, corrected.adhoc),
    total,
  )
  return pageAgain.items.length > 0 || pageAgain.pagination.total ? pageAgain : found
}

interface Reading {
  readonly execution: Execution
  readonly resource: Resource
  readonly parent: Parent | undefined
  readonly kept: KeptEmbeds | undefined
}

function pageFor(reading: Reading, list: ListQuery): CompiledPage {
  const { execution, kept, parent, resource } = reading
  const { actor, catalog } = execution
  return execution.statements.get(compilePage, { catalog, actor, kept }, resource, list, parent && parentShape(parent))
}

/** The values of a page's statement: those of the filters, of the cursor or the offset, and of the parent. */
function slotsOf(list: ListQuery, parent: Parent | undefined): Readonly<Record<string, unknown>> {
  const slots: Record<string, unknown> = { ...list.slots, offset: offsetOf(list) }
  if (parent !== undefined) slots.parent = parent.lookup.value
  list.after?.values.forEach((value, i) => {
    slots[`k${i}`] = value
  })
  return slots
}

function offsetOf({ page, perPage }: ListQuery): number {
  return page === undefined ? 0 : (page - 1) * perPage
}

/** The total that is asked beside the page: none with a cursor, and none with a search, whose page counts by itself. */
function totalFor(
  execution: Execution,
  counting: Counting,
  parent: Parent | undefined,
): Promise<Total | undefined> | undefined {
  const counted = counting.query.page !== undefined && !counting.query.search
  if (parent !== undefined) return totalBelow(execution, counting, parent, counted)
  return counted ? totalOf(execution, counting) : undefined
}

function pageOf(
  resource: Resource,
  list: ListQuery,
  compiled: CompiledPage,
  rows: readonly Row[],
  counting: Total | undefined,
): ListResult {
  const { counted, keys, serialize } = compiled
  // A searched page past the last match is one row, with the total alone.
  const present = counted === undefined ? rows : rows.filter((row) => row[counted.id] !== null)
  const page = present.slice(0, list.perPage)
  const last = page.at(-1)
  const more = present.length > page.length
  const place = { offset: offsetOf(list), length: page.length, more }
  const total =
    counted === undefined
      ? totalBeside(place, counting)
      : totalBeside(place, { total: Number(rows[0]?.[counted.total] ?? 0), exact: rows[0]?.[counted.more] !== 't' })
  const places = more && last !== undefined ? keys.map((index) => last[index] ?? null) : undefined
  const next = places === undefined ? null : encodeCursor(places, list.ranked ?? list.sort)
  const search =
    list.search === undefined ? undefined : searchTold(resource, list, list.search, { compiled, first: rows[0], page })
  return { items: page.map((row) => serialize(row)), pagination: pagination(list, page.length, total, next), search }
}

function pagination(
  list: ListQuery,
  length: number,
  counted: Total | undefined,
  next: string | null,
): ListResult['pagination'] {
  const offset = offsetOf(list)
  const numbers =
    list.page === undefined || counted === undefined
      ? { current_page: null, total: null, last_page: null, from: null, to: null }
      : {
          current_page: list.page,
          total: counted.total,
          last_page: Math.max(1, Math.ceil(counted.total / list.perPage)),
          from: length === 0 ? null : offset + 1,
          to: length === 0 ? null : offset + length,
        }
  const { current_page, total, last_page, from, to } = numbers
  const exactness = counted?.exact === false && list.page !== undefined ? { total_exact: false as const } : {}
  return { current_page, per_page: list.perPage, total, last_page, from, to, next_cursor: next, ...exactness }
}

interface Total {
  readonly total: number
  readonly exact: boolean
}

/** A list to be counted. */
interface Counting {
  readonly resource: Resource
  readonly query: ListQuery
  readonly slots: Readonly<Record<string, unknown>>
}

/** The total of a list that is not nested. */
async function totalOf(execution: Execution, counting: Counting): Promise<Total> {
  const { resource, query, slots } = counting
  if (resource.count.kind === 'estimated' && isEstimable(execution, counting))
    return estimatedTotal(execution, counting)
  const cap = resource.count.kind === 'estimated' ? execution.catalog.limits.estimatedCounted : capOf(resource)
  const compiled = execution.statements.get(compileCount, execution, resource, query, cap)
  const [row] = await runCompiled(execution, compiled, slots, query.adhoc)
  return totalWithin(row?.[0], cap)
}

/**
 * Whether all rows that PostgreSQL knows when it plans the list are within the caller's sight: its statistics are those of
 * whole tables, so they tell of deleted records, of those of other kinds, and of those that a filter leads to.
 */
function isEstimable({ actor }: Execution, { query, resource }: Counting): boolean {
  if (resource.scope !== undefined || reach(resource.policies.view, actor).kind !== 'all') return false
  return resource.live === undefined ? query.filters.flatMap(leaves).every(isOfRecord) : query.filters.length === 0
}

/** Whether a part of a filter asks for a value of the record itself. */
function isOfRecord({ kind, path }: Leaf<FieldPath, WayPath>): boolean {
  return kind === 'compare' && path.relations.length === 0
}

/** The number of rows that PostgreSQL expects when it plans the list. */
async function estimatedTotal(execution: Execution, { resource, query, slots }: Counting): Promise<Total> {
  const compiled = execution.statements.get(compileEstimate, execution, resource, query)
  const [row] = await runCompiled(execution, compiled, slots, true)
  const plan: { Plan: { 'Plan Rows': number } }[] = JSON.parse(row?.[0] ?? '[]')
  return { total: plan[0]?.Plan['Plan Rows'] ?? 0, exact: false }
}

/** Asks in one statement whether the parent of a nested list may be seen, and for the list's total where it is `counted`. */
async function totalBelow(
  execution: Execution,
  { resource, query, slots }: Counting,
  parent: Parent,
  counted: boolean,
): Promise<Total | undefined> {
  const cap = capOf(resource)
  const compiled = counted
    ? execution.statements.get(compileParent, execution, parentShape(parent), resource, query, cap)
    : execution.statements.get(compileParent, execution, parentShape(parent))
  const row = visibleParent(parent, await runCompiled(execution, compiled, slots, query.adhoc))
  return counted ? totalWithin(row[2], cap) : undefined
}

function capOf({ count }: Resource): number | undefined {
  return count.kind === 'capped' ? count.at : undefined
}

function totalWithin(text: string | null | undefined, cap: number | undefined): Total {
  const total = Number(text ?? 0)
  return cap !== undefined && total > cap ? { total: cap, exact: false } : { total, exact: true }
}

/** A total as it is told beside a page: one that is not exact never denies a record of the page, nor a next page. */
function totalBeside(
  page: { readonly offset: number; readonly length: number; readonly more: boolean },
  counted: Total | undefined,
): Total | undefined {
  const { offset, length, more } = page
  if (counted === undefined || counted.exact) return counted
  if (more) return { total: Math.max(counted.total, offset + length + 1), exact: false }
  if (length > 0 || offset === 0) return { total: offset + length, exact: true }
  return { total: Math.min(counted.total, offset), exact: false }
}

interface Read {
  readonly compiled: CompiledPage
  readonly first: Row | undefined
  readonly page: readonly Row[]
}

/** `meta.search` of a page; `first` is the first row of the answer, which is there on an empty page too. */
function searchTold(
  resource: Resource,
  list: ListQuery,
  search: SearchShape,
  { compiled: { corrections, keys, matches }, first, page }: Read,
): SearchTold {
  // A map, because a word may be "constructor".
  const corrected = new Map(
    corrections.flatMap(([at, column]): [string, string][] => {
      const word = first?.[column]
      return typeof word === 'string' ? [[askedWord(list, at), word]] : []
    }),
  )
  const words = Array.from({ length: search.wanted }, (_, at) => askedWord(list, at))
  const sought = words.map((word) => corrected.get(word) ?? word)
  const { snippets } = search
  const told =
    matches.length === 0
      ? undefined
      : page.map((row) => ({ id: idOf(resource, row[keys.at(-1)!]), ...matchOf(row, matches, snippets, sought) }))
  return {
    ...(corrected.size === 0 ? {} : { corrected: Object.fromEntries(corrected) }),
    ...(told === undefined ? {} : { matches: told }),
  }
}

function matchOf(
  row: Row,
  matches: CompiledPage['matches'],
  snippets: boolean,
  words: readonly string[],
): Omit<NonNullable<SearchTold['matches']>[number], 'id'> {
  const found = matches.filter(({ column }) => (snippets ? row[column] !== null : row[column] === 't'))
  const fields = found.map(({ name }) => name)
  if (!snippets) return { fields }
  const pieces = found.map(({ column, name }) => {
    const [begin, length, text, forms = []] = JSON.parse(row[column]!) as [number, number, string, string[]?]
    const before = begin - 1
    return [name, snippet({ text, before, behind: length - before - [...text].length }, [...words, ...forms])] as const
  })
  return { fields, snippets: Object.fromEntries(pieces) }
}
