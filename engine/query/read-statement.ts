/** Reads compiled to SQL: one statement for a record, one for a page and one for its total, whatever is embedded. */

import type { Actor } from '../actor.ts'
import type { BelongsTo, Catalog, Field, Resource, SortTerm } from '../catalog/catalog.ts'
import type { Statement } from '../database/database.ts'
import type { Serializer } from '../record/serializer.ts'
import { createBinder, type ParameterSource } from './binder.ts'
import { orderSql, sortSql } from './collection.ts'
import { castType, conditionSql, quoted } from './condition.ts'
import { afterSql } from './cursor.ts'
import type { KeptEmbed, KeptEmbeds } from './kept-embed.ts'
import type { ListQuery } from './list-query.ts'
import { type Reach, reach } from './policy.ts'
import type { SelectScope } from './scope.ts'
import { searchConditions } from './search.ts'
import { selectList } from './select.ts'

/** A statement with where its parameters come from. */
export interface Compiled {
  readonly statement: Statement
  readonly sources: readonly ParameterSource[]
}

/** The statement of one record: column 0 says whether the actor may see it. */
export interface CompiledGet extends Compiled {
  readonly serialize: Serializer
  readonly kept: readonly KeptEmbed[]
  /** Whether requests may share the statement, which then reads any number of ids; column 1 is the id. */
  readonly shared: boolean
}

/** The statement of a page. `keys` are the columns that a cursor is made of. */
export interface CompiledPage extends Compiled {
  readonly serialize: Serializer
  readonly kept: readonly KeptEmbed[]
  readonly keys: readonly number[]
  /** Column of the total where the page's own statement counts, and of the id that is null when the page is empty. */
  readonly total: number | undefined
}

/** Where a record of a resource must be to exist for callers: its scope, and live unless told otherwise. */
export function existenceSql(scope: SelectScope, resource: Resource, alias: string, includeDead = false): string[] {
  const filters = includeDead ? [resource.scope] : [resource.scope, resource.live]
  return filters.flatMap((filter) =>
    filter === undefined ? [] : [conditionSql(scope.catalog, filter, alias, scope.binder)],
  )
}

/** The SQL of whether the record of `alias` is within reach. */
export function reachSql(scope: SelectScope, reached: Reach, alias: string): string {
  if (reached.kind === 'all') return 'true'
  if (reached.kind === 'none') return 'false'
  return `(${conditionSql(scope.catalog, reached.filter, alias, scope.binder)}) is true`
}

/** Compiles reading one record by a lookup field; the slot `lookup` carries its value, or a list of ids where `gathered`. */
export function compileGet(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  lookup: Field,
  kept?: KeptEmbeds,
  gathered = false,
): CompiledGet {
  const binder = createBinder()
  const scope: SelectScope = { catalog, actor, binder, kept }
  const visible = reachSql(scope, reach(resource.policies.view, actor), 't')
  const select = selectList(scope, resource, 't', 'single', gathered ? [visible, 't."id"'] : [visible])
  const named = binder.slot('lookup')
  const type = castType(lookup)
  const where = [
    `t.${quoted(lookup.column)} = ${gathered ? `any(${named}::${type}[])` : `${named}::${type}`}`,
    ...existenceSql(scope, resource, 't'),
  ]
  const text = `select ${select.columns.join(', ')} from ${quoted(resource.table)} t ${select.joins.join(' ')} where ${where.join(' and ')}`
  // What depends on the caller beyond its class would give one caller's answer to another.
  const shared = gathered && binder.sources.every(({ kind }) => kind === 'slot' || kind === 'literal')
  return {
    statement: { text },
    sources: binder.sources,
    serialize: select.serialize,
    kept: select.kept,
    shared,
  }
}

/** The record below which a nested list stands, by one of its lookup fields; the slot `parent` carries the value. */
export interface ParentShape {
  readonly relation: BelongsTo
  readonly resource: Resource
  readonly lookup: Field
}

/** The conditions under which `alias` is the parent that the path names. */
function parentConditions(scope: SelectScope, parent: ParentShape, alias: string): string[] {
  const named = `${alias}.${quoted(parent.lookup.column)} = ${scope.binder.slot('parent')}::${castType(parent.lookup)}`
  return [named, ...existenceSql(scope, parent.resource, alias)]
}

/** The SQL of the parent's id inside a list's statement. */
function parentIdSql(scope: SelectScope, parent: ParentShape): string {
  if (parent.lookup === parent.resource.key) return `${scope.binder.slot('parent')}::integer`
  return `(select b."id" from ${quoted(parent.resource.table)} b where ${parentConditions(scope, parent, 'b').join(' and ')} limit 1)`
}

/** Compiles the parent of a nested route: its id, whether the actor may see it, and the list's total where one is asked. */
export function compileParent(
  catalog: Catalog,
  actor: Actor,
  parent: ParentShape,
  counted?: { readonly resource: Resource; readonly query: ListQuery; readonly cap: number | undefined },
): Compiled {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const columns = ['b."id"', reachSql(scope, reach(parent.resource.policies.view, actor), 'b')]
  if (counted !== undefined)
    columns.push(
      `(${countSql(counted.resource, listConditions(scope, counted.resource, 'b."id"', parent.relation, counted.query), counted.cap)})`,
    )
  const text = `select ${columns.join(', ')} from ${quoted(parent.resource.table)} b where ${parentConditions(scope, parent, 'b').join(' and ')} limit 1`
  return { statement: { text }, sources: scope.binder.sources }
}

/** The conditions of a list: existence, reach, the parent where nested, the query's filters and search. */
export function listConditions(
  scope: SelectScope,
  resource: Resource,
  parentId: string | undefined,
  relation: BelongsTo | undefined,
  query: ListQuery,
): string[] {
  const where = existenceSql(scope, resource, 't')
  const reached = reach(resource.policies.view, scope.actor)
  if (reached.kind === 'matching') where.push(conditionSql(scope.catalog, reached.filter, 't', scope.binder))
  if (parentId !== undefined && relation !== undefined) where.push(`t.${quoted(relation.field.column)} = ${parentId}`)
  if (query.filter.kind === 'and' && query.filter.of.length > 0)
    where.push(conditionSql(scope.catalog, query.filter, 't', scope.binder))
  return where.length === 0 ? ['true'] : where
}

/** Compiles one page: the page first, then what is embedded in its rows. Slots: filters, `offset`, `parent`, cursor values `k0…`. */
export function compilePage(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  query: ListQuery,
  parent?: ParentShape,
  kept?: KeptEmbeds,
): CompiledPage {
  const binder = createBinder()
  const scope: SelectScope = { catalog, actor, binder, kept }
  const where = listConditions(scope, resource, parent && parentIdSql(scope, parent), parent?.relation, query)
  const sorted = sortKeys(scope, query.sort)
  if (query.after !== undefined) where.push(afterSql(sorted, query.after.nulls, (i) => binder.slot(`k${i}`)))
  // One row more than asked tells whether another page follows, without a count.
  const limit = `limit ${query.perPage + 1}${query.page === undefined ? '' : ` offset ${binder.slot('offset')}::integer`}`
  const counted = query.search && query.page !== undefined
  const before = counted ? COUNTED_COLUMNS : []
  const keys = sorted.map((key) => key.sql)
  const select = selectList(scope, resource, 't', 'list', [...before, ...keys])
  const parts: PageParts = {
    table: quoted(resource.table),
    where,
    sorted,
    limit,
    columns: select.columns.join(', '),
    joins: select.joins.join(' '),
  }
  const text = query.search
    ? searchedPage(parts, searchConditions(scope, resource.search, 't', binder.slot('search')), counted)
    : plainPage(parts, orderSql(scope, query.sort, 't'), query.deep)
  return {
    statement: { text },
    sources: binder.sources,
    serialize: select.serialize,
    kept: select.kept,
    keys: sorted.map((_, i) => before.length + i),
    total: counted ? 0 : undefined,
  }
}

/** Columns before the cursor's where the page's statement counts: the total, and the id that is null on an empty page. */
const COUNTED_COLUMNS = ['c.n', 'p."id"'] as const

export interface PageParts {
  readonly table: string
  readonly where: readonly string[]
  readonly sorted: readonly SortKey[]
  readonly limit: string
  readonly columns: string
  readonly joins: string
}

export function plainPage({ table, where, limit, columns, joins }: PageParts, order: string, deep: boolean): string {
  const rows = `from ${table} t where ${where.join(' and ')} order by ${order} ${limit}`
  const page = deep ? `(select t."id" ${rows}) p join ${table} t on t."id" = p."id"` : `(select t.* ${rows}) t`
  return `select ${columns} from ${page} ${joins} order by ${order}`
}

/** Matches are materialized once, so that the search itself serves the page and the count alike. */
function searchedPage(parts: PageParts, sources: readonly string[], counted: boolean): string {
  const { table, where, sorted, limit, columns, joins } = parts
  const found = ['t."id"', ...sorted.map((key, i) => `${key.sql} as s${i}`)].join(', ')
  const matches = (sources.length === 0 ? ['false'] : sources).map(
    (source) => `select ${found} from ${table} t where ${[...where, source].join(' and ')}`,
  )
  const order = (alias: string): string => sorted.map((key, i) => `${alias}.s${i} ${key.direction}`).join(', ')
  const page = `(select m.* from m order by ${order('m')} ${limit}) p`
  const from = counted
    ? `(select count(*) as n from m) c left join ${page} on true left join ${table} t on t."id" = p."id"`
    : `${page} join ${table} t on t."id" = p."id"`
  return `with m as materialized (${matches.join(' union ')}) select ${columns} from ${from} ${joins} order by ${order('p')}`
}

/** Compiles the total of a list; with `cap`, counting stops one past it. */
export function compileCount(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  query: ListQuery,
  cap?: number,
): Compiled {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const text = countSql(resource, listConditions(scope, resource, undefined, undefined, query), cap)
  return { statement: { text }, sources: scope.binder.sources }
}

function countSql(resource: Resource, where: readonly string[], cap: number | undefined): string {
  const from = `from ${quoted(resource.table)} t where ${where.join(' and ')}`
  return cap === undefined ? `select count(*) ${from}` : `select count(*) from (select 1 ${from} limit ${cap + 1}) c`
}

export interface SortKey {
  readonly sql: string
  readonly cast: string
  readonly nullable: boolean
  readonly direction: 'asc' | 'desc'
}

/** The sort's expressions; the last is the id. */
export function sortKeys(scope: SelectScope, sort: readonly SortTerm[]): readonly SortKey[] {
  return sort.map((term) => ({
    sql: sortSql(scope, term, 't'),
    cast: castType(term.path.field),
    nullable: term.path.field.nullable || term.path.relations.length > 0,
    direction: term.direction,
  }))
}
