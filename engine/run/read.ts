/** ⇄ Reading: a record by a lookup and the moves that it is open to, a page of a list with its total, figures of a list by groups. */
import { encodeCursor } from '../ask/cursor.ts'
import { correctedQuery, type Further, type ListQuery, readListQuery } from '../ask/list.ts'
import { type Lookup, notFound } from '../ask/lookup.ts'
import { allowsOne, reach, requireClause, usualAnswer } from '../ask/policy.ts'
import { readSummaryQuery } from '../ask/summary.ts'
import type { Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import type { Id } from '../id.ts'
import { idAtStart, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import {
  type Answer,
  type CanShape,
  type ListPlan,
  planRecord,
  type RecordPlan,
  type SearchShape,
  WORD_SLOTS,
} from '../plan/read-plan.ts'
import type { KeptEmbeds } from '../statement/compiled.ts'
import { type CompiledPage, compileCount, compileEstimate, compilePage, compileParent } from '../statement/list.ts'
import { compileOpen, isWordShown, wordsAfter } from '../statement/moves.ts'
import { compileGet } from '../statement/record.ts'
import { snippet } from '../statement/search-matches.ts'
import { compileSummary } from '../statement/summary.ts'
import { allReady, KeptEmbedMiss } from './cached-tables.ts'
import type { ListResult, SearchResult } from './context.ts'
import { type Execution, runCompiled } from './execution.ts'
import { outOfReach, type Parent, visibleParent } from './parent.ts'

/** One record as JSON text; 404 when there is none, 403 (404 where concealed) when it is out of reach. */
export async function getRecord(
  execution: Execution,
  resource: Resource,
  lookup: Lookup,
  answer?: Answer,
): Promise<string> {
  return (await readVisible(execution, resource, lookup, answer)).text
}

/** The same with what is asked of it. */
export async function readVisible(
  execution: Execution,
  resource: Resource,
  lookup: Lookup,
  answer?: Answer,
  can?: CanShape,
): Promise<RecordRead> {
  requireClause(resource.policies.view, execution.actor)
  const found = await readOne(execution, resource, lookup, answer, can)
  if (!found.visible) throw outOfReach(resource)
  return found
}

/** The plan of a read of one record, by the class of its callers. */
export function recordPlan(
  { actor, plans }: Pick<Execution, 'actor' | 'plans'>,
  resource: Resource,
  how: Pick<RecordPlan, 'finds' | 'gathered' | 'dead' | 'can'>,
  answer: Answer = usualAnswer(actor, resource, 'single'),
): RecordPlan {
  return plans.get(planRecord, { resource, within: reach(resource.policies.view, actor), ...how, answer })
}

/** A record that a write has just taken out of everybody's view, as JSON text; 404 when there is none. */
export async function readGone(execution: Execution, resource: Resource, id: Id): Promise<string> {
  const { actor, catalog } = execution
  const plan = recordPlan(execution, resource, { finds: resource.key, gathered: false, dead: true })
  const compiled = execution.statements.get(compileGet, { catalog, actor }, plan)
  const [row] = await runCompiled(execution, compiled, { lookup: id })
  if (row === undefined) throw notFound(resource)
  return compiled.serialize(row)
}

/** A record as it was read; `can` is what was asked of it. */
interface RecordRead {
  readonly visible: boolean
  readonly text: string
  readonly can: readonly (string | null)[]
}

/** A live record as JSON text, and whether the view policy lets the caller see it; 404 when there is none. */
export function readOne(
  execution: Execution,
  resource: Resource,
  lookup: Lookup,
  answer?: Answer,
  can?: CanShape,
): Promise<RecordRead> {
  // The database may find a word of others by another spelling, and a shared row is found by its own.
  const isOne = lookup.field === resource.key && resource.key.type.verbatim !== true
  const gathered = execution.transaction === undefined && isOne
  const plan = recordPlan(execution, resource, { finds: lookup.field, gathered, dead: false, can }, answer)
  return withKept(execution, async (kept) => {
    const { actor, catalog } = execution
    const compiled = execution.statements.get(compileGet, { catalog, actor, kept }, plan)
    await allReady(compiled.kept)
    const read = (value: unknown): Promise<readonly Row[]> => runCompiled(execution, compiled, { lookup: value })
    const row = compiled.shared
      ? await gatherOf(compiled)(lookup.value as Id, read)
      : (await read(gathered ? [lookup.value] : lookup.value))[0]
    if (row === undefined) throw notFound(resource)
    return { visible: row[0] === 't', text: compiled.serialize(row), can: can ? row.slice(...compiled.can) : [] }
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
  further?: Further,
): Promise<ListResult> {
  return readList(execution, readListQuery(execution, resource, query, parent, further), parent)
}

/** One page of a list that was read from its query. */
export function readList(execution: Execution, list: ListQuery, parent?: Parent): Promise<ListResult> {
  return withKept(execution, (kept) => readPage(execution, list, parent, kept))
}

async function readPage(
  execution: Execution,
  list: ListQuery,
  parent: Parent | undefined,
  kept: KeptEmbeds | undefined,
): Promise<ListResult> {
  const { actor, catalog } = execution
  const scope = { catalog, actor, kept }
  const compiled = execution.statements.get(compilePage, scope, list.plan)
  await allReady(compiled.kept)
  const [rows, total] = await Promise.all([
    runCompiled(execution, compiled, list.slots, list.adhoc),
    parent === undefined ? totalOf(execution, list) : totalBelow(execution, list, parent),
  ])
  const found = pageOf(list, compiled, rows, total)
  // A list below a record has asked two statements by now.
  const isEmpty = found.items.length === 0 && !found.pagination.total
  const corrected = isEmpty && parent === undefined ? correctedQuery(execution, list) : undefined
  if (corrected === undefined) return found
  const again = execution.statements.get(compilePage, scope, corrected.plan)
  const rowsAgain = await runCompiled(execution, again, corrected.slots, corrected.adhoc)
  const pageAgain = pageOf(corrected, again, rowsAgain, total)
  return pageAgain.items.length > 0 || pageAgain.pagination.total ? pageAgain : found
}

function pageOf(
  list: ListQuery,
  compiled: CompiledPage,
  rows: readonly Row[],
  counting: Total | undefined,
): ListResult {
  const { counted, keys, serialize } = compiled
  const { perPage, ranked, search, sort } = list.plan
  // A searched page past the last match is one row, with the total alone.
  const present = counted === undefined ? rows : rows.filter((row) => row[counted.id] !== null)
  const page = present.slice(0, perPage)
  const last = page.at(-1)
  const more = present.length > page.length
  const place = { offset: list.offset, length: page.length, more }
  const total =
    counted === undefined
      ? totalBeside(place, counting)
      : totalBeside(place, { total: Number(rows[0]?.[counted.total] ?? 0), exact: rows[0]?.[counted.more] !== 't' })
  const places = more && last !== undefined ? keys.map((index) => last[index] ?? null) : undefined
  const next = places === undefined ? null : encodeCursor(places, ranked ?? sort)
  return {
    items: page.map((row) => serialize(row)),
    can: list.plan.can && page.map((row) => [row[keys.at(-1)!] ?? null, ...row.slice(...compiled.can)]),
    pagination: pagination(list, page.length, total, next),
    search: search && searchResult(list, search, { compiled, first: rows[0], page }),
  }
}

function pagination(
  { offset, page, plan }: ListQuery,
  length: number,
  counted: Total | undefined,
  next: string | null,
): ListResult['pagination'] {
  const numbers =
    page === undefined || counted === undefined
      ? { current_page: null, total: null, last_page: null, from: null, to: null }
      : {
          current_page: page,
          total: counted.total,
          last_page: Math.max(1, Math.ceil(counted.total / plan.perPage)),
          from: length === 0 ? null : offset + 1,
          to: length === 0 ? null : offset + length,
        }
  const { current_page, total, last_page, from, to } = numbers
  const exactness = counted?.exact === false && page !== undefined ? { total_exact: false as const } : {}
  return { current_page, per_page: plan.perPage, total, last_page, from, to, next_cursor: next, ...exactness }
}

interface Total {
  readonly total: number
  readonly exact: boolean
}

/** The total of a list that is not nested; undefined where its page counts, or nothing does. */
async function totalOf(execution: Execution, { adhoc, plan, slots }: ListQuery): Promise<Total | undefined> {
  if (plan.total.by === 'estimate') return estimatedTotal(execution, plan, slots)
  if (plan.total.by !== 'count') return undefined
  const compiled = execution.statements.get(compileCount, execution, plan)
  const [row] = await runCompiled(execution, compiled, slots, adhoc)
  return totalWithin(row?.[0], plan.total.cap)
}

/** The number of rows that PostgreSQL expects when it plans the list. */
async function estimatedTotal(execution: Execution, plan: ListPlan, slots: ListQuery['slots']): Promise<Total> {
  const compiled = execution.statements.get(compileEstimate, execution, plan)
  const [row] = await runCompiled(execution, compiled, slots, true)
  const told: { Plan: { 'Plan Rows': number } }[] = JSON.parse(row?.[0] ?? '[]')
  return { total: told[0]?.Plan['Plan Rows'] ?? 0, exact: false }
}

/** Asks in one statement whether the parent of a nested list may be seen, and for the list's total where it is counted. */
async function totalBelow(
  execution: Execution,
  { adhoc, plan, slots }: ListQuery,
  parent: Parent,
): Promise<Total | undefined> {
  const compiled = execution.statements.get(compileParent, execution, plan.below!, plan)
  const row = visibleParent(parent, await runCompiled(execution, compiled, slots, adhoc))
  return plan.total.by === 'count' ? totalWithin(row[2], plan.total.cap) : undefined
}

function totalWithin(text: string | null | undefined, cap: number | undefined): Total {
  const total = Number(text ?? 0)
  return cap !== undefined && total > cap ? { total: cap, exact: false } : { total, exact: true }
}

/** The total next to a page: one that is not exact never denies a record of the page, nor a next page. */
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
function searchResult(
  { plan, slots }: ListQuery,
  search: SearchShape,
  { compiled: { corrections, keys, matches }, first, page }: Read,
): SearchResult {
  const asked = (at: number): string => String(slots[`${WORD_SLOTS.exact}${at}`])
  // A map, because a word may be "constructor".
  const corrected = new Map(
    corrections.flatMap(([at, column]): [string, string][] => {
      const word = first?.[column]
      return typeof word === 'string' ? [[asked(at), word]] : []
    }),
  )
  const words = Array.from({ length: search.wanted }, (_, at) => asked(at))
  const sought = words.map((word) => corrected.get(word) ?? word)
  const { snippets } = search
  const told =
    matches.length === 0
      ? undefined
      : page.map((row) => ({ id: idOf(plan.resource, row[keys.at(-1)!]), ...matchOf(row, matches, snippets, sought) }))
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
): Omit<NonNullable<SearchResult['matches']>[number], 'id'> {
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

/** Groups as JSON texts, and whether there are more than were asked for. */
export interface Summary {
  readonly groups: readonly string[]
  readonly more: boolean
}

/** The groups of the records within the actor's reach that the query finds. Throws as the list does. */
export async function summarize(
  execution: Execution,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
): Promise<Summary> {
  const { plan, slots } = readSummaryQuery(execution, resource, query)
  const { actor, catalog } = execution
  return withKept(execution, async (kept) => {
    const compiled = execution.statements.get(compileSummary, { catalog, actor, kept }, plan)
    await allReady(compiled.kept)
    const rows = await runCompiled(execution, compiled, slots, true)
    const groups = rows.slice(0, plan.limit).map((row) => compiled.serialize(row))
    return { groups, more: rows.length > plan.limit }
  })
}

/** The words that may follow, by field, of the record in `text`, a record as it is answered; undefined where its caller sees none of it. */
export async function openMoves(around: Execution, resource: Resource, text: string): Promise<JsonObject | undefined> {
  const shown = resource.moves.filter((moves) => moves.shown && isWordShown(around, resource, moves))
  const id = idAtStart(text)
  if (shown.length === 0 || id === undefined) return undefined
  const compiled = around.statements.get(compileOpen, around, resource, shown)
  const [row = []] = await runCompiled(around, compiled, { id })
  const [seen, ...told] = row
  if (seen !== 't') return undefined
  const open = shown.map((moves, i) => {
    const may = told[2 * i + 1] === 't' && allowsOne(moves.field.write, around.actor)
    return [moves.name, may ? wordsAfter(moves, told[2 * i] ?? null, around.actor) : []] as const
  })
  return Object.fromEntries(open.map(([name, words]) => [name, [...words]]))
}

/** Reads the rows of several ids at once, in any order. */
export type ReadMany = (ids: readonly Id[]) => Promise<readonly Row[]>

/** The row of an id, or undefined; rejects with what its shared statement rejects with. */
export type Gather = (id: Id, read: ReadMany) => Promise<Row | undefined>

interface Waiting {
  readonly id: Id
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (reason: unknown) => void
}

/**
 * A gatherer for one compiled statement whose parameters are ids alone. A few statements run at a time, so a lone
 * request never waits; requests that arrive while all of them are on their way share the next one.
 */
export function createGather(idColumn: number): Gather {
  let waiting: Waiting[] = []
  let running = 0

  async function run(read: ReadMany): Promise<void> {
    running += 1
    while (waiting.length > 0) {
      const served = waiting.slice(0, LIMITS.gatheredReads)
      waiting = waiting.slice(LIMITS.gatheredReads)
      try {
        const rows = await read(served.map(({ id }) => id))
        const byId = new Map(rows.map((row) => [row[idColumn], row]))
        for (const { id, resolve } of served) resolve(byId.get(String(id)))
      } catch (error) {
        for (const { reject } of served) reject(error)
      }
    }
    running -= 1
  }

  return (id, read) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      if (running < LIMITS.gatheringStatements) void run(read)
    })
}

/** The gatherer of a compiled statement whose column 1 is the id; made when it is first asked for. */
export const gatherOf = memo((_compiled: object): Gather => createGather(1))
