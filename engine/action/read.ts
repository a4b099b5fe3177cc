/** ⇄ Runs compiled reads: a record by lookup, a page with its total. */
import type { BelongsTo, Resource } from '../catalog/catalog.ts'
import type { Row } from '../database/database.ts'
import { ApiError } from '../error.ts'
import { parameterValues } from '../query/binder.ts'
import { encodeCursor } from '../query/cursor.ts'
import type { KeptEmbed, KeptEmbeds } from '../query/kept-embed.ts'
import { type ListQuery, readListQuery } from '../query/list-query.ts'
import { type Lookup, notFound } from '../query/lookup.ts'
import { actorClass, reach, refusal } from '../query/policy.ts'
import {
  type Compiled,
  type CompiledPage,
  compileCount,
  compileGet,
  compilePage,
  compileParent,
} from '../query/read-statement.ts'
import { KeptEmbedMiss } from './cached-tables.ts'
import type { Execution } from './execution.ts'
import { gatherOf } from './gather.ts'
import type { ListResult } from './list-result.ts'

/** The record of a nested route's path: the relation to it, and how the path names it. */
export interface Parent {
  readonly relation: BelongsTo
  readonly resource: Resource
  readonly lookup: Lookup
}

/** The id of a nested route's parent; 404 when there is none, 403 (404 where concealed) when it is out of reach. */
export async function parentId(execution: Execution, parent: Parent): Promise<number> {
  const shape = { relation: parent.relation, resource: parent.resource, lookup: parent.lookup.field }
  const key = `parent ${parent.resource.name} ${shape.lookup.name} ${actorClass(execution.actor)}`
  const compiled = execution.statements.get(key, () => compileParent(execution.catalog, execution.actor, shape))
  return Number(visibleParent(parent, await runCompiled(execution, compiled, { parent: parent.lookup.value }))[0])
}

function visibleParent(parent: Parent, rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw notFound(parent.resource)
  if (row[1] !== 't') throw outOfReach(parent.resource)
  return row
}

function outOfReach(resource: Resource): ApiError {
  return resource.conceal ? notFound(resource) : new ApiError('forbidden', { message: 'Forbidden' })
}

/** One record as JSON text; 404 when there is none, 403 (404 where concealed) when it is out of reach. */
export async function getRecord(execution: Execution, resource: Resource, lookup: Lookup): Promise<string> {
  const { actor } = execution
  if (reach(resource.policies.view, actor).kind === 'none') throw refusal(resource.policies.view, actor)
  const found = await readOne(execution, resource, lookup)
  if (!found.visible) throw outOfReach(resource)
  return found.text
}

/** A live record as JSON text, and whether the view policy lets the caller see it; 404 when there is none. */
export function readOne(
  execution: Execution,
  resource: Resource,
  lookup: Lookup,
): Promise<{ readonly visible: boolean; readonly text: string }> {
  const gathered = execution.transaction === undefined && lookup.field === resource.key
  return withKept(execution, async (kept) => {
    const { actor, catalog } = execution
    const key = `get ${kept !== undefined} ${gathered} ${resource.name} ${lookup.field.name} ${actorClass(actor)}`
    const compiled = execution.statements.get(key, () =>
      compileGet(catalog, resource, actor, lookup.field, kept, gathered),
    )
    await allReady(compiled.kept)
    const read = (ids: readonly unknown[]): Promise<readonly Row[]> => runCompiled(execution, compiled, { lookup: ids })
    const row = gathered
      ? await (compiled.shared ? gatherOf(compiled)(Number(lookup.value), read) : first(read([lookup.value])))
      : await first(runCompiled(execution, compiled, { lookup: lookup.value }))
    if (row === undefined) throw notFound(resource)
    return { visible: row[0] === 't', text: compiled.serialize(row) }
  })
}

async function first(rows: Promise<readonly Row[]>): Promise<Row | undefined> {
  return (await rows)[0]
}

/**
 * Reads with embeds kept in the process; joined instead inside a transaction, whose own writes they do not show,
 * and when a row names a record younger than what is kept.
 */
async function withKept<T>(execution: Execution, read: (kept: KeptEmbeds | undefined) => Promise<T>): Promise<T> {
  if (execution.transaction !== undefined) return read(undefined)
  try {
    return await read(execution.cachedTables)
  } catch (error) {
    if (error instanceof KeptEmbedMiss) return read(undefined)
    throw error
  }
}

/** Resolves when every kept embed is there; without a turn of the event loop when they are. */
async function allReady(kept: readonly KeptEmbed[]): Promise<void> {
  for (const embed of kept) {
    const reading = embed.ready()
    if (reading !== undefined) await reading
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
  if (reach(resource.policies.view, actor).kind === 'none') throw refusal(resource.policies.view, actor)
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
  const { actor, catalog } = execution
  const above = parent && { relation: parent.relation, resource: parent.resource, lookup: parent.lookup.field }
  const key = `${resource.name} ${above === undefined ? '' : `${above.relation.name}.${above.lookup.name}`} ${list.key} ${actorClass(actor)}`
  const compiled = execution.statements.get(`page ${kept !== undefined} ${key}`, () =>
    compilePage(catalog, resource, actor, list, above, kept),
  )
  await allReady(compiled.kept)
  const slots: Record<string, unknown> = { ...list.slots }
  if (parent !== undefined) slots.parent = parent.lookup.value
  list.after?.values.forEach((value, i) => {
    slots[`k${i}`] = value
  })
  const offset = list.page === undefined ? 0 : (list.page - 1) * list.perPage
  slots.offset = offset
  const uncounted = list.page === undefined || list.search
  const counting =
    parent !== undefined
      ? countBelow(execution, resource, list, key, slots, parent, !uncounted)
      : uncounted
        ? undefined
        : countRecords(execution, resource, list, key, slots)
  const [rows, total] = await Promise.all([runCompiled(execution, compiled, slots, list.adhoc), counting])
  const present = compiled.total === undefined ? rows : rows.filter((row) => row[1] !== null)
  const page = present.slice(0, list.perPage)
  const items = page.map((row) => compiled.serialize(row))
  const more = present.length > list.perPage
  const counted =
    compiled.total === undefined
      ? seen(total, offset, page.length, more)
      : { total: Number(rows[0]?.[compiled.total] ?? 0), exact: true }
  return { items, pagination: pagination(list, compiled, page, offset, more, counted) }
}

interface Total {
  readonly total: number
  readonly exact: boolean
}

/** A total that is none to count on, after a page was seen: it never denies a record that is there, nor a next page. */
function seen(counted: Total | undefined, offset: number, length: number, more: boolean): Total | undefined {
  if (counted === undefined || counted.exact) return counted
  if (more) return { total: Math.max(counted.total, offset + length + 1), exact: false }
  if (length > 0 || offset === 0) return { total: offset + length, exact: true }
  return { total: Math.min(counted.total, offset), exact: false }
}

function pagination(
  list: ListQuery,
  compiled: CompiledPage,
  page: readonly Row[],
  offset: number,
  more: boolean,
  counted: Total | undefined,
): ListResult['pagination'] {
  const last = page.at(-1)
  const next =
    more && last !== undefined
      ? encodeCursor(
          compiled.keys.map((index) => last[index] ?? null),
          list.sort,
        )
      : null
  if (list.page === undefined || counted === undefined) {
    return {
      current_page: null,
      per_page: list.perPage,
      total: null,
      last_page: null,
      from: null,
      to: null,
      next_cursor: next,
    }
  }
  return {
    current_page: list.page,
    per_page: list.perPage,
    total: counted.total,
    last_page: Math.max(1, Math.ceil(counted.total / list.perPage)),
    from: page.length === 0 ? null : offset + 1,
    to: page.length === 0 ? null : offset + page.length,
    next_cursor: next,
    ...(counted.exact ? {} : { total_exact: false as const }),
  }
}

async function countRecords(
  execution: Execution,
  resource: Resource,
  list: ListQuery,
  key: string,
  slots: Readonly<Record<string, unknown>>,
): Promise<Total> {
  const cap = cappedAt(resource)
  const compiled = execution.statements.get(`count ${key}`, () =>
    compileCount(execution.catalog, resource, execution.actor, list, cap),
  )
  if (resource.count.kind === 'estimated') return { total: await estimate(execution, compiled, slots), exact: false }
  const [row] = await runCompiled(execution, compiled, slots, list.adhoc)
  return bounded(row?.[0], cap)
}

/** Judges the parent of a nested list and counts below it, in one statement. */
async function countBelow(
  execution: Execution,
  resource: Resource,
  list: ListQuery,
  key: string,
  slots: Readonly<Record<string, unknown>>,
  parent: Parent,
  counting: boolean,
): Promise<Total | undefined> {
  const cap = cappedAt(resource)
  const shape = { relation: parent.relation, resource: parent.resource, lookup: parent.lookup.field }
  const counted = counting ? { resource, query: list, cap } : undefined
  const compiled = execution.statements.get(`below ${counting} ${key}`, () =>
    compileParent(execution.catalog, execution.actor, shape, counted),
  )
  const row = visibleParent(parent, await runCompiled(execution, compiled, slots, list.adhoc))
  return counting ? bounded(row[2], cap) : undefined
}

function cappedAt(resource: Resource): number | undefined {
  return resource.count.kind === 'capped' ? resource.count.at : undefined
}

function bounded(text: string | null | undefined, cap: number | undefined): Total {
  const total = Number(text ?? 0)
  return cap !== undefined && total > cap ? { total: cap, exact: false } : { total, exact: true }
}

/** The planner's own guess at how many rows the count would see. */
async function estimate(
  execution: Execution,
  compiled: Compiled,
  slots: Readonly<Record<string, unknown>>,
): Promise<number> {
  const statement = { text: `explain (format json) ${compiled.statement.text.replace('select count(*)', 'select 1')}` }
  const values = parameterValues(compiled.sources, { actor: execution.actor, now: execution.now(), slots })
  const [row] = await execution.adhoc.run(statement, values)
  const plan: { Plan: { 'Plan Rows': number } }[] = JSON.parse(row?.[0] ?? '[]')
  return plan[0]?.Plan['Plan Rows'] ?? 0
}

/** Runs a compiled statement with the values of one request. */
export function runCompiled(
  execution: Execution,
  compiled: Compiled,
  slots: Readonly<Record<string, unknown>>,
  adhoc = false,
): Promise<readonly Row[]> {
  const values = parameterValues(compiled.sources, { actor: execution.actor, now: execution.now(), slots })
  if (adhoc) return execution.adhoc.run({ text: compiled.statement.text }, values)
  return execution.runner.run(compiled.statement, values)
}
