/** ⇄ The records that a list's query finds: how many there are, or locked, so that they can be written together. */
import type { Filter, Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import { invalid } from '../error.ts'
import type { Id } from '../id.ts'
import { type ListQuery, readListQuery } from '../query/list-query.ts'
import { compileFound, compileLocked } from '../query/list-statement.ts'
import { actorClass, requireClause } from '../query/policy.ts'
import { type Execution, runCompiled, type Within } from './execution.ts'

/**
 * What a list's query asks for, without order and pages. Throws as the list does, and validation_failed for a query that
 * chooses nothing: a forgotten filter must not mean every record.
 */
export function readChoice(
  { actor, catalog }: Execution,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
): ListQuery {
  requireClause(resource.policies.view, actor)
  const list = readListQuery(catalog, resource, actor, query)
  if (list.search || list.filters.some(chooses)) return list
  throw invalid({ filter: ['Filters say which records are meant: at least one is required'] })
}

/** Whether a condition compares anything: an empty one holds for every record. */
function chooses(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.of.some(chooses)
  if (filter.kind === 'or') return filter.of.every(chooses)
  return filter.kind === 'not' ? chooses(filter.of) : true
}

/** How many records within the caller's reach the query finds. */
export async function countMatching(around: Execution, resource: Resource, query: ListQuery): Promise<number> {
  const key = `found ${resource.name} ${query.key} ${actorClass(around.actor)}`
  const compiled = around.statements.get(key, () => compileFound(around, resource, query), query.madeUp)
  const [row] = await runCompiled(around, compiled, query.slots, true)
  return Number(row?.[0] ?? 0)
}

/** Their ids, lowest first, locked until the transaction ends; undefined where they are more than `max`. */
export async function lockMatching(
  inner: Within,
  resource: Resource,
  query: ListQuery,
  max: number,
): Promise<readonly Id[] | undefined> {
  const key = `locked ${resource.name} ${max} ${query.key} ${actorClass(inner.actor)}`
  const compiled = inner.statements.get(key, () => compileLocked(inner, resource, query, max + 1), query.madeUp)
  const rows = await runCompiled(inner, compiled, query.slots, true)
  return rows.length > max ? undefined : rows.map((row) => idOf(resource, row[0]))
}
