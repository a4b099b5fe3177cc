/** ⇄ How many records a list has: counted, counted up to a limit, or estimated, as the resource says. */
import type { Filter, Resource } from '../catalog/catalog.ts'
import type { ListQuery } from '../query/list-query.ts'
import { compileCount, compileEstimate, compileParent } from '../query/list-statement.ts'
import { reach } from '../query/policy.ts'
import { type Execution, runCompiled } from './execution.ts'
import { type Parent, parentShape, visibleParent } from './parent.ts'

export interface Total {
  readonly total: number
  readonly exact: boolean
}

/** A list to be counted. */
export interface Counting {
  readonly resource: Resource
  readonly query: ListQuery
  /** What the statements of the list are remembered by. */
  readonly key: string
  readonly slots: Readonly<Record<string, unknown>>
}

/** The total of a list that is not nested. */
export async function totalOf(execution: Execution, counting: Counting): Promise<Total> {
  const { resource, query, key, slots } = counting
  if (resource.count.kind === 'estimated' && isEstimable(execution, counting))
    return estimatedTotal(execution, counting)
  const cap = resource.count.kind === 'estimated' ? execution.catalog.limits.estimatedCounted : capOf(resource)
  const compiled = execution.statements.get(
    `count ${key}`,
    () => compileCount(execution, resource, query, cap),
    query.madeUp,
  )
  const [row] = await runCompiled(execution, compiled, slots, query.adhoc)
  return bounded(row?.[0], cap)
}

/**
 * Whether all rows that PostgreSQL knows when it plans the list are within the caller's sight: its statistics are those of
 * whole tables, so they tell of deleted records, of those of other kinds, and of those that a filter leads to.
 */
function isEstimable({ actor }: Execution, { query, resource }: Counting): boolean {
  if (resource.scope !== undefined || reach(resource.policies.view, actor).kind !== 'all') return false
  return resource.live === undefined ? query.filters.every(isOfRecord) : query.filters.length === 0
}

/** Whether a filter asks for values of the record alone. */
function isOfRecord(filter: Filter): boolean {
  if (filter.kind === 'related') return false
  if (filter.kind === 'compare') return filter.path.relations.length === 0
  return filter.kind === 'not' ? isOfRecord(filter.of) : filter.of.every(isOfRecord)
}

/** The number of rows that PostgreSQL expects when it plans the list. */
async function estimatedTotal(execution: Execution, { resource, query, key, slots }: Counting): Promise<Total> {
  const compiled = execution.statements.get(
    `estimate ${key}`,
    () => compileEstimate(execution, resource, query),
    query.madeUp,
  )
  const [row] = await runCompiled(execution, compiled, slots, true)
  const plan: { Plan: { 'Plan Rows': number } }[] = JSON.parse(row?.[0] ?? '[]')
  return { total: plan[0]?.Plan['Plan Rows'] ?? 0, exact: false }
}

/** Asks in one statement whether the parent of a nested list may be seen, and for the list's total where it is `counted`. */
export async function totalBelow(
  execution: Execution,
  { resource, query, key, slots }: Counting,
  parent: Parent,
  counted: boolean,
): Promise<Total | undefined> {
  const cap = capOf(resource)
  const compiled = execution.statements.get(
    `below ${counted} ${key}`,
    () => compileParent(execution, parentShape(parent), counted ? { resource, query, cap } : undefined),
    query.madeUp,
  )
  const row = visibleParent(parent, await runCompiled(execution, compiled, slots, query.adhoc))
  return counted ? bounded(row[2], cap) : undefined
}

function capOf({ count }: Resource): number | undefined {
  return count.kind === 'capped' ? count.at : undefined
}

function bounded(text: string | null | undefined, cap: number | undefined): Total {
  const total = Number(text ?? 0)
  return cap !== undefined && total > cap ? { total: cap, exact: false } : { total, exact: true }
}

/** A total as it is told beside a page: one that is not exact never denies a record of the page, nor a next page. */
export function totalBeside(
  page: { readonly offset: number; readonly length: number; readonly more: boolean },
  counted: Total | undefined,
): Total | undefined {
  const { offset, length, more } = page
  if (counted === undefined || counted.exact) return counted
  if (more) return { total: Math.max(counted.total, offset + length + 1), exact: false }
  if (length > 0 || offset === 0) return { total: offset + length, exact: true }
  return { total: Math.min(counted.total, offset), exact: false }
}
