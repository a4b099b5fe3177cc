/** Lists compiled to SQL: the page, its total, the parent of a nested list, and all rows in batches, each row as one text. */
import { isShownBeside } from '../ask/askable.ts'
import { filterable, reach } from '../ask/policy.ts'
import type { BelongsTo, FieldPath, Resource } from '../catalog/catalog.ts'
import { idSql, idType } from '../catalog/stored.ts'
import type { WireKind } from '../field/field-type.ts'
import type { Serializer } from '../field/wire.ts'
import { and, join, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { ListPlan, ParentShape, SearchShape } from '../plan/read-plan.ts'
import { choosableSql } from './choices.ts'
import { type Compiled, compiled, type KeptEmbed, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, fieldSql, reachSql } from './condition.ts'
import { correctedWord, searchParts, searchSql } from './search.ts'
import { earlierNamesOf, matchColumns } from './search-matches.ts'
import {
  boundedPage,
  COUNTED_COLUMNS,
  correctionTables,
  namedKey,
  type PageParts,
  rankKey,
  wholePage,
} from './searched-page.ts'
import { canColumns, joiner, joinWay, orderSql, type SortKey, selectList, sortKeys } from './select.ts'

/** The statement of a page. */
export interface CompiledPage extends Compiled {
  readonly serialize: Serializer
  readonly kept: readonly KeptEmbed[]
  /** The first column of what is asked of each record, and the one behind the last. */
  readonly can: readonly [from: number, to: number]
  /** The columns that a cursor is made of. */
  readonly keys: readonly number[]
  /** Where the page's own statement counts: the columns of the total, of whether there may be more, and of the id that is null on an empty page. */
  readonly counted: { readonly total: number; readonly more: number; readonly id: number } | undefined
  /** The columns of corrected words, each with the place of the misspelt word in the search. */
  readonly corrections: readonly (readonly [word: number, column: number])[]
  /** The columns that say whether a field has words of the search. */
  readonly matches: readonly { readonly name: string; readonly column: number }[]
}

/** The conditions under which `alias` is the parent that the path names. */
function parentConditions(scope: SelectScope, parent: ParentShape, alias: string): readonly Sql[] {
  const { lookup, resource } = parent
  const named = sql`${alias}.${quoted(lookup.column)} = ${slot('parent')}::${lookup.sqlType}`
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
function listConditions(scope: SelectScope, { choices, filters, resource, within }: ListPlan, below?: Below): Sql[] {
  const where = existenceSql(scope, resource, 't')
  if (within.kind === 'matching') where.push(conditionSql(scope.catalog, within.filter, 't'))
  else if (within.kind === 'none') where.push(sql`false`)
  if (below !== undefined) where.push(sql`t.${quoted(below.relation.field.column)} = ${below.id}`)
  if (choices !== undefined) where.push(...choosableSql(scope, choices, 't'))
  if (filters.length > 0) where.push(conditionSql(scope.catalog, { kind: 'and', of: filters }, 't'))
  return where
}

/** What the rows of a page are ordered by. */
function pageKeys(scope: SelectScope, { ranked, resource, search, sort }: ListPlan): readonly SortKey[] {
  if (ranked === undefined || search === undefined) return sortKeys(scope, sort)
  const first = resource.ranked ? rankKey(scope, resource, search) : namedKey(search.identifiers)
  return [first, ...sortKeys(scope, ranked.slice(1))]
}

/**
 * The condition of the rows after the cursor, for sort expressions in order, the id last. The cursor's values are the
 * slots `k0`, `k1` …, or from another number on; `nulls` says which of them are absent.
 * PostgreSQL's order is kept: NULL last when ascending, first when descending.
 */
function afterSql(keys: readonly SortKey[], nulls: string, from = 0): Sql {
  const value = (i: number): Sql => sql`${slot(`k${from + i}`)}::${keys[i]!.cast}`
  const absent = (i: number): boolean => nulls[i] === 'n'
  const after = (i: number): Sql => {
    const { sql: key, direction, nullable } = keys[i]!
    if (absent(i)) return direction === 'asc' ? sql`false` : sql`${key} is not null`
    if (direction === 'desc') return sql`${key} < ${value(i)}`
    return nullable ? sql`(${key} > ${value(i)} or ${key} is null)` : sql`${key} > ${value(i)}`
  }
  const tied = (i: number): Sql => (absent(i) ? sql`${keys[i]!.sql} is null` : sql`${keys[i]!.sql} = ${value(i)}`)
  // A row comparison is what an index can start from; NULLs in ascending keys would escape it.
  const [{ direction }] = keys as [SortKey, ...SortKey[]]
  const comparable = keys.every(
    (key, i) => key.direction === direction && !absent(i) && (direction === 'desc' || !key.nullable),
  )
  if (comparable) {
    const [row, values] = [join(keys.map((key) => key.sql)), join(keys.map((_, i) => value(i)))]
    return sql`(${row}) ${direction === 'asc' ? '>' : '<'} (${values})`
  }
  const alternatives = keys.map(
    (_, i) => sql`(${and([...keys.slice(0, i).map((_key, before) => tied(before)), after(i)])})`,
  )
  return sql`(${or(alternatives)})`
}

/** The conditions of the rows after a cursor. */
function afterCursor({ after, pastNamed }: ListPlan, [first, ...keys]: readonly SortKey[]): readonly Sql[] {
  if (after === undefined) return []
  if (!pastNamed) return [afterSql([first!, ...keys], after)]
  // So the index of the list's own order leads to them.
  return [sql`${first!.sql} = 0`, afterSql(keys, after.slice(1), 1)]
}

/** Compiles one page. Slots: those of the filters and the search, `offset`, `parent`, cursor values `k0…`. */
export function compilePage(scope: SelectScope, plan: ListPlan): CompiledPage {
  const { answer, below, numbered, perPage, resource, search } = plan
  const listed = listConditions(scope, plan, below && { relation: below.relation, id: parentIdSql(scope, below) })
  const where = [...listed]
  const sorted = pageKeys(scope, plan)
  const after = afterCursor(plan, sorted)
  // Whether matches are ranked depends on all of them, so a ranked search goes on after a cursor when they are known.
  const goesOnLater = plan.ranked !== undefined && resource.ranked
  if (!goesOnLater) where.push(...after)
  // One row more than asked tells whether another page follows, without a count.
  const limit = sql`limit ${perPage + 1}${numbered ? sql` offset ${slot('offset')}::integer` : ''}`
  const counted = plan.total.by === 'page'
  const misspelt = search?.corrected ? search.spelt : []
  const corrected = misspelt.map((at) => sql`(select ${correctedWord(at)} from plinth_corrected_words)`)
  const before = [...(counted ? COUNTED_COLUMNS : []), ...corrected]
  const matched = search === undefined ? [] : matchColumns(scope, resource, search)
  const told = [...before, ...sorted.map((key) => key.sql), ...matched.map((one) => one.sql)]
  const columnsBefore = [...told, ...canColumns(scope, plan.can, 't')]
  const { columns, joins, serialize, kept } = selectList(scope, resource, 't', 'list', columnsBefore, answer.parts)
  const parts = { table: quoted(resource.table), id: quoted(resource.key.column), where, sorted, limit, columns, joins }
  const page = search
    ? searchedPage(scope, plan, search, parts, listed, goesOnLater ? after : [])
    : plainPage(parts, orderSql(scope, resource, plan.sort, 't'), plan.deep)
  return {
    ...compiled(page),
    serialize,
    kept,
    can: [told.length, columnsBefore.length],
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

/** A page without a search. Where it is `deep`, ids are found first, so that the rows that are skipped stay unread. */
function plainPage({ table, id, where, limit, columns, joins }: PageParts, order: Sql, deep: boolean): Sql {
  const rows = sql`from ${table} t where ${and(where)} order by ${order} ${limit}`
  const page = deep ? sql`(select t.${id} ${rows}) p join ${table} t on t.${id} = p.${id}` : sql`(select t.* ${rows}) t`
  return sql`select ${join(columns)} from ${page} ${joins} order by ${order}`
}

/** A page of a search; without a wanted word there is none that is common. */
function searchedPage(
  scope: SelectScope,
  { perPage, ranked, resource, sort, total }: ListPlan,
  search: SearchShape,
  parts: PageParts,
  listed: readonly Sql[],
  after: readonly Sql[],
): Sql {
  const { searchCounted = 0, searchKnown = 0, searchRanked = 0, searchWalked = 0 } = scope.catalog.limits
  const tables = search.corrected ? correctionTables(scope, resource, search, listed, searchKnown) : []
  const found = { ...searchParts(scope, resource, search), tables }
  const counted = total.by === 'page'
  if (search.wanted === 0) return wholePage(parts, found, counted)
  const open = parts.where.length === existenceSql(scope, resource, 't').length
  const needed = counted ? sql`${perPage + 1} + ${slot('offset')}::integer` : sql`${perPage + 1}`
  const order = orderSql(scope, resource, ranked?.slice(1) ?? sort, 't')
  return boundedPage(parts, found, counted, {
    counted: Math.ceil(searchCounted / search.wanted),
    walked: searchWalked,
    ranked: searchRanked,
    needed,
    open,
    order,
    after,
  })
}

/** Compiles the total of a list, as its plan counts it; with a cap, counting stops one past it. */
export function compileCount(scope: SelectScope, plan: ListPlan): Compiled {
  return compiled(countSql(plan, listConditions(scope, plan)))
}

function countSql({ resource, total }: ListPlan, where: readonly Sql[]): Sql {
  const rows = sql`from ${quoted(resource.table)} t where ${and(where)}`
  const cap = total.by === 'count' ? total.cap : undefined
  return cap === undefined
    ? sql`select count(*) ${rows}`
    : sql`select count(*) from (select 1 ${rows} limit ${cap + 1}) c`
}

/** Compiles PostgreSQL's plan of the rows of a list, which says how many it expects. */
export function compileEstimate(scope: SelectScope, plan: ListPlan): Compiled {
  const where = and(listConditions(scope, plan))
  return compiled(sql`explain (format json) select 1 from ${quoted(plan.resource.table)} t where ${where}`)
}

/** Compiles the parent of a nested route: its id, whether the actor may see it, and the total of a `list` that is counted. */
export function compileParent(scope: SelectScope, parent: ParentShape, list?: ListPlan): Compiled {
  const visible = reachSql(scope, reach(parent.resource.policies.view, scope.actor), 'b')
  const id = sql`${idSql(parent.resource, 'b')}`
  const columns = [id, visible]
  if (list?.total.by === 'count')
    columns.push(sql`(${countSql(list, listConditions(scope, list, { relation: parent.relation, id }))})`)
  const where = and(parentConditions(scope, parent, 'b'))
  return compiled(sql`select ${join(columns)} from ${quoted(parent.resource.table)} b where ${where} limit 1`)
}

/** The conditions of a list with its search, which is one OR here: where no page is read, no source needs an index of its own. */
function foundConditions(scope: SelectScope, plan: ListPlan): Sql[] {
  const where = listConditions(scope, plan)
  if (plan.search) where.push(searchSql(scope, plan.resource, plan.search, 't'))
  return where
}

/** The rows of a list with its search. */
export function foundSql(scope: SelectScope, plan: ListPlan): Sql {
  return sql`from ${quoted(plan.resource.table)} t where ${and(foundConditions(scope, plan))}`
}

/** Compiles the ids of a list's records, lowest first, at most `limit`, each locked. Slots: those of the filters and the search. */
export function compileLocked(scope: SelectScope, plan: ListPlan, limit: number): Compiled {
  const id = idSql(plan.resource, 't')
  return compiled(sql`select ${id} ${foundSql(scope, plan)} order by ${id} limit ${limit} for update of t`)
}

/** Compiles how many records a list has with its search. Slots: those of the filters and the search. */
export function compileFound(scope: SelectScope, plan: ListPlan): Compiled {
  return compiled(sql`select count(*) ${foundSql(scope, plan)}`)
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
export function compileRows(scope: SelectScope, plan: ListPlan, { nulls, packed, paths, size }: RowsShape): Compiled {
  const { resource, sort } = plan
  // The rows are walked in the order of the list, once over all batches.
  const where = foundConditions(scope, plan)
  const sorted = sortKeys(scope, sort)
  if (nulls !== undefined) where.push(afterSql(sorted, nulls))
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const values = paths.map((path) => seenValueSql(scope, resource, path, joinOnce))
  const keys = sorted.map((key) => key.sql)
  const order = orderSql(scope, resource, sort, 't')
  const limit = sql`limit ${size}`
  const parts = { table: quoted(resource.table), id: quoted(resource.key.column), where, sorted, limit }
  const page = (columns: readonly Sql[]): Sql => plainPage({ ...parts, columns, joins: joins.join(' ') }, order, false)
  if (!packed) return compiled(page([...values, ...keys]))
  const named = [...values.map((value, i) => sql`${value} as v${i}`), ...keys.map((key, i) => sql`${key} as k${i}`)]
  const columns = [packedColumn(paths.map(({ field }) => field.type.wire)), ...keys.map((_, i) => `k${i}`)]
  const again = join(sorted.map(({ direction }, i) => `k${i} ${direction}`))
  // Packed after the sort, so that the first rows are on their way while the last ones are packed.
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

/** What no text of a person has: it ends a value. */
const BETWEEN = '\u001f'

/** PostgreSQL takes at most a hundred arguments, and a value takes two. */
const VALUES = 48

/**
 * The values of a row, the columns `v0…`, as one text. Slot: `absent`, a text that represents an absent one; an empty
 * text is not absent. The sender of the statement makes it up, so that no stored text is the same.
 */
function packedColumn(wires: readonly WireKind[]): Sql {
  // Whatever is no text is never empty. As an argument a value keeps the very text that it has as a column.
  const values = wires.map(
    (wire, at) =>
      sql`case when v${at} is null then ${wire === 'string' ? sql`${slot('absent')}::text` : `''`} end, v${at}`,
  )
  const parts: Sql[] = []
  for (let at = 0; at < values.length; at += VALUES)
    parts.push(sql`concat_ws(E'\\x1f', ${join(values.slice(at, at + VALUES))})`)
  return parts.length === 0 ? sql`''` : join(parts, ` || E'\\x1f' || `)
}

/** The values of a packed row; undefined where a stored text has the separator, so that they cannot be told apart. */
export function unpackedRow(
  packed: string | null | undefined,
  wires: readonly WireKind[],
  absent: string,
): (string | null)[] | undefined {
  const values: (string | null)[] = (packed ?? '').split(BETWEEN)
  if (values.length !== wires.length) return undefined
  for (let at = 0; at < values.length; at++) {
    if (values[at] === (wires[at] === 'string' ? absent : '')) values[at] = null
  }
  return values
}
