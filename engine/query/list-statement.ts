/** Lists compiled to SQL: the page, its total, the parent of a nested list, and all rows in batches. */
import type { BelongsTo, Field, FieldPath, Resource } from '../catalog/catalog.ts'
import { idType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { and, join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { Plan } from '../plan/plan.ts'
import type { Serializer } from '../record/serializer.ts'
import { isShownBeside } from './askable.ts'
import { castType } from './comparison.ts'
import { type Compiled, compiled } from './compiled.ts'
import { conditionSql, fieldSql } from './condition.ts'
import { correctionTables } from './correction.ts'
import { afterSql, type Cursor } from './cursor.ts'
import { namedKey } from './identifier.ts'
import type { KeptEmbed } from './kept-embed.ts'
import type { ListQuery } from './list-query.ts'
import { orderSql, type SortKey, sortKeys } from './order.ts'
import { packedColumn } from './packed-row.ts'
import { type PageParts, plainPage } from './page.ts'
import { filterable, reach } from './policy.ts'
import { rankKey } from './rank.ts'
import { existenceSql, joiner, joinWay, reachSql, type SelectScope } from './scope.ts'
import { searchParts, searchSql } from './search.ts'
import { earlierNamesOf, matchColumns } from './search-matches.ts'
import { boundedPage, COUNTED_COLUMNS, wholePage } from './searched-page.ts'
import { selectList } from './select.ts'

/** The statement of a page. */
export interface CompiledPage extends Compiled {
  readonly serialize: Serializer
  readonly kept: readonly KeptEmbed[]
  /** The columns that a cursor is made of. */
  readonly keys: readonly number[]
  /** Where the page's own statement counts: the columns of the total, of whether there may be more, and of the id that is null on an empty page. */
  readonly counted: { readonly total: number; readonly more: number; readonly id: number } | undefined
  /** The columns of what misspelt words of the search are corrected to, each behind the place of its word. */
  readonly corrections: readonly (readonly [word: number, column: number])[]
  /** The columns that say whether a field has words of the search. */
  readonly matches: readonly { readonly name: string; readonly column: number }[]
}

/** The record below which a nested list stands, by one of its lookup fields; the slot `parent` carries the value. */
export interface ParentShape extends Plan {
  readonly relation: BelongsTo
  readonly resource: Resource
  readonly lookup: Field
}

/** The conditions under which `alias` is the parent that the path names. */
function parentConditions(scope: SelectScope, parent: ParentShape, alias: string): readonly Sql[] {
  const { lookup, resource } = parent
  const named = sql`${alias}.${quoted(lookup.column)} = ${slot('parent')}::${castType(lookup)}`
  return [named, ...existenceSql(scope, resource, alias)]
}

/** The parent's id inside the statement of a page. */
function parentIdSql(scope: SelectScope, parent: ParentShape): Sql {
  if (parent.lookup === parent.resource.key) return sql`${slot('parent')}::${idType(parent.resource)}`
  const where = and(parentConditions(scope, parent, 'b'))
  return sql`(select ${idSql(parent.resource, 'b')} from ${quoted(parent.resource.table)} b where ${where} limit 1)`
}

/** The records below a parent whose id is known. */
interface Below {
  readonly relation: BelongsTo
  readonly id: Sql
}

/** The conditions of a list: existence, reach, the parent where nested, the query's filters. A search comes on top of them. */
function listConditions(scope: SelectScope, resource: Resource, query: ListQuery, below?: Below): Sql[] {
  const where = existenceSql(scope, resource, 't')
  const reached = reach(resource.policies.view, scope.actor)
  if (reached.kind === 'matching') where.push(conditionSql(scope.catalog, reached.filter, 't'))
  if (below !== undefined) where.push(sql`t.${quoted(below.relation.field.column)} = ${below.id}`)
  if (query.filters.length > 0) where.push(conditionSql(scope.catalog, { kind: 'and', of: query.filters }, 't'))
  return where
}

/** What the rows of a page are ordered by. */
function pageKeys(scope: SelectScope, resource: Resource, { ranked, search, sort }: ListQuery): readonly SortKey[] {
  if (ranked === undefined || search === undefined) return sortKeys(scope, sort)
  const first = resource.ranked ? rankKey(scope, resource, search) : namedKey(search.identifiers)
  return [first, ...sortKeys(scope, ranked.slice(1))]
}

/** The conditions of the rows behind a cursor. */
function behindSql({ pastNamed }: ListQuery, { nulls }: Cursor, [first, ...keys]: readonly SortKey[]): readonly Sql[] {
  if (!pastNamed) return [afterSql([first!, ...keys], nulls)]
  // So the index of the list's own order leads to them.
  return [sql`${first!.sql} = 0`, afterSql(keys, nulls.slice(1), 1)]
}

/** Compiles one page. Slots: those of the filters and the search, `offset`, `parent`, cursor values `k0…`. */
export function compilePage(
  scope: SelectScope,
  resource: Resource,
  query: ListQuery,
  parent?: ParentShape,
): CompiledPage {
  const below = parent && { relation: parent.relation, id: parentIdSql(scope, parent) }
  const listed = listConditions(scope, resource, query, below)
  const where = [...listed]
  const sorted = pageKeys(scope, resource, query)
  const after = query.after === undefined ? [] : behindSql(query, query.after, sorted)
  // Whether matches are ranked depends on all of them, so a ranked search goes on behind a cursor when they are known.
  const goesOnLater = query.ranked !== undefined && resource.ranked
  if (!goesOnLater) where.push(...after)
  const paged = query.page !== undefined
  // One row more than asked tells whether another page follows, without a count.
  const limit = sql`limit ${query.perPage + 1}${paged ? sql` offset ${slot('offset')}::integer` : ''}`
  const counted = query.search !== undefined && paged
  const misspelt = query.search?.corrected ? query.search.spelt : []
  const before = [...(counted ? COUNTED_COLUMNS : []), ...misspelt.map((at) => `(select k.w${at} from k)`)]
  const matched = query.search === undefined ? [] : matchColumns(scope, resource, query.search)
  const columnsBefore = [...before, ...sorted.map((key) => key.sql), ...matched.map((one) => one.sql)]
  const { columns, joins, serialize, kept } = selectList(
    scope,
    resource,
    't',
    'list',
    columnsBefore,
    query.projection?.parts,
  )
  const parts = { table: quoted(resource.table), id: quoted(resource.key.column), where, sorted, limit, columns, joins }
  const order = orderSql(scope, resource, query.sort, 't')
  const page = query.search
    ? searchedPage(scope, resource, query, parts, listed, goesOnLater ? after : [])
    : plainPage(parts, order, query.deep)
  return {
    ...compiled(page),
    serialize,
    kept,
    keys: sorted.map((_, i) => before.length + i),
    counted: counted ? { total: 0, more: 1, id: 2 } : undefined,
    matches: matched.flatMap(({ name }, i) =>
      [name, ...earlierNamesOf(resource, name)].map((one) => ({
        name: one,
        column: before.length + sorted.length + i,
      })),
    ),
    corrections: misspelt.map((at, i) => [at, (counted ? COUNTED_COLUMNS.length : 0) + i]),
  }
}

/** A page of a search; without a wanted word there is none that is common. */
function searchedPage(
  scope: SelectScope,
  resource: Resource,
  { page, perPage, ranked, search, sort }: ListQuery,
  parts: PageParts,
  listed: readonly Sql[],
  after: readonly Sql[],
): Sql {
  const { searchCounted = 0, searchKnown = 0, searchRanked = 0, searchWalked = 0 } = scope.catalog.limits
  const shape = search!
  const tables = shape.corrected ? correctionTables(scope, resource, shape, listed, searchKnown) : []
  const found = { ...searchParts(scope, resource, shape), tables }
  const counted = page !== undefined
  if (shape.wanted === 0) return wholePage(parts, found, counted)
  const open = parts.where.length === existenceSql(scope, resource, 't').length
  const needed = counted ? sql`${perPage + 1} + ${slot('offset')}::integer` : sql`${perPage + 1}`
  const order = orderSql(scope, resource, ranked?.slice(1) ?? sort, 't')
  return boundedPage(parts, found, counted, {
    counted: Math.ceil(searchCounted / shape.wanted),
    walked: searchWalked,
    ranked: searchRanked,
    needed,
    open,
    order,
    after,
  })
}

/** Compiles the total of a list; with `cap`, counting stops one past it. */
export function compileCount(scope: SelectScope, resource: Resource, query: ListQuery, cap?: number): Compiled {
  return compiled(countSql(resource, listConditions(scope, resource, query), cap))
}

function countSql(resource: Resource, where: readonly Sql[], cap: number | undefined): Sql {
  const rows = sql`from ${quoted(resource.table)} t where ${and(where)}`
  return cap === undefined
    ? sql`select count(*) ${rows}`
    : sql`select count(*) from (select 1 ${rows} limit ${cap + 1}) c`
}

/** Compiles PostgreSQL's plan of the rows of a list, which says how many it expects. */
export function compileEstimate(scope: SelectScope, resource: Resource, query: ListQuery): Compiled {
  const where = and(listConditions(scope, resource, query))
  return compiled(sql`explain (format json) select 1 from ${quoted(resource.table)} t where ${where}`)
}

/** Compiles the parent of a nested route: its id, whether the actor may see it, and the list's total where one is asked. */
export function compileParent(
  scope: SelectScope,
  parent: ParentShape,
  counted?: Resource,
  query?: ListQuery,
  cap?: number,
): Compiled {
  const visible = reachSql(scope, reach(parent.resource.policies.view, scope.actor), 'b')
  const id = sql`${idSql(parent.resource, 'b')}`
  const columns = [id, visible]
  if (counted !== undefined && query !== undefined) {
    const where = listConditions(scope, counted, query, { relation: parent.relation, id })
    columns.push(sql`(${countSql(counted, where, cap)})`)
  }
  const where = and(parentConditions(scope, parent, 'b'))
  return compiled(sql`select ${join(columns)} from ${quoted(parent.resource.table)} b where ${where} limit 1`)
}

/** The conditions of a list with its search, which is one OR here: where no page is read, no source needs an index of its own. */
function foundConditions(scope: SelectScope, resource: Resource, query: ListQuery): Sql[] {
  const where = listConditions(scope, resource, query)
  if (query.search) where.push(searchSql(scope, resource, query.search, 't'))
  return where
}

/** The rows of a list with its search. */
export function foundSql(scope: SelectScope, resource: Resource, query: ListQuery): Sql {
  return sql`from ${quoted(resource.table)} t where ${and(foundConditions(scope, resource, query))}`
}

/** Compiles the ids of a list's records, lowest first, at most `limit`, each locked. Slots: those of the filters and the search. */
export function compileLocked(scope: SelectScope, resource: Resource, query: ListQuery, limit: number): Compiled {
  const found = foundSql(scope, resource, query)
  const id = idSql(resource, 't')
  return compiled(sql`select ${id} ${found} order by ${id} limit ${limit} for update of t`)
}

/** Compiles how many records a list has with its search. Slots: those of the filters and the search. */
export function compileFound(scope: SelectScope, resource: Resource, query: ListQuery): Compiled {
  return compiled(sql`select count(*) ${foundSql(scope, resource, query)}`)
}

/** How a batch of all rows is read. */
export interface RowsShape {
  readonly paths: readonly FieldPath[]
  readonly size: number
  /** Which values of the cursor that the batch follows are null, a letter for each; undefined for the first batch. */
  readonly nulls: string | undefined
  /** Whether the columns of a row are sent as one text. */
  readonly packed: boolean
}

/**
 * Compiles one batch of all rows of a list: the columns of the paths, null where the actor may not read one or see the
 * record that it is of, then those of the cursor. Slots: those of the filters and the search, `k0…`, and `absent` where packed.
 */
export function compileRows(
  scope: SelectScope,
  resource: Resource,
  query: ListQuery,
  { nulls, packed, paths, size }: RowsShape,
): Compiled {
  // The rows are walked in the order of the list, once over all batches.
  const where = foundConditions(scope, resource, query)
  const sorted = sortKeys(scope, query.sort)
  if (nulls !== undefined) where.push(afterSql(sorted, nulls))
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const values = paths.map((path) => seenValueSql(scope, resource, path, joinOnce))
  const keys = sorted.map((key) => key.sql)
  const order = orderSql(scope, resource, query.sort, 't')
  const limit = sql`limit ${size}`
  const parts = { table: quoted(resource.table), id: quoted(resource.key.column), where, sorted, limit }
  const page = (columns: readonly Sql[]): Sql => plainPage({ ...parts, columns, joins: joins.join(' ') }, order, false)
  if (!packed) return compiled(page([...values, ...keys]))
  const named = [...values.map((value, i) => sql`${value} as v${i}`), ...keys.map((key, i) => sql`${key} as k${i}`)]
  const columns = [packedColumn(paths.map(({ field }) => field.type.wire)), ...keys.map((_, i) => `k${i}`)]
  const again = join(sorted.map(({ direction }, i) => `k${i} ${direction}`))
  // Packed behind the sort, so that the first rows are on their way while the last ones are packed.
  return compiled(sql`select ${join(columns)} from (${page(named)} offset 0) p order by ${again}`)
}

/** The value at the end of a path; null where the actor may not read it, or where it is of a record that it does not see. */
function seenValueSql(
  scope: SelectScope,
  resource: Resource,
  path: FieldPath,
  joinOnce: (from: string, relation: BelongsTo) => string,
): Sql {
  if (!filterable(path, scope.actor)) return sql`null::text`
  const { alias, within } = joinWay(scope, path.relations, joinOnce, (target, at) => [
    ...existenceSql(scope, target, at),
    reachSql(scope, reach(target.policies.view, scope.actor), at),
  ])
  const value = fieldSql(path.field, alias)
  const isShown = path.relations.length === 0 || isShownBeside(scope, resource, path)
  return isShown ? value : sql`case when ${and(within)} then ${value} end`
}
