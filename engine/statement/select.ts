/** An answer as a select list: columns, joins for embedded records, related records in their order as JSON, and the serializer of the row. */

import { isOpen } from '../ask/askable.ts'
import { reach, readable, readableEntry, usualAnswer } from '../ask/policy.ts'
import type {
  BelongsTo,
  Catalog,
  EmbedEntry,
  Field,
  HasMany,
  ManyToMany,
  Relation,
  Resource,
  SortTerm,
} from '../catalog/catalog.ts'
import { idSql, targetOf } from '../catalog/stored.ts'
import { scaleOf } from '../field/decimal.ts'
import type { WireKind } from '../field/field-type.ts'
import { compileSerializer, type Serializer, type WireEntry, type WireNode } from '../field/wire.ts'
import { and, type Fragment, join, print, quoted, type Sql, sql } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import type { CanShape, Mode, Part, ShownRelation } from '../plan/read-plan.ts'
import { type CompiledRecord, compiled, type KeptEmbed, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, fieldSql, holdsSql, linkSql, liveSql, pathValueSql } from './condition.ts'

/** The record that a to-one relation leads to, and what is shown of it. */
interface Embedded extends ShownRelation {
  readonly relation: BelongsTo
}

/** All columns of the statement in order, the joins they need, and what turns a row of them into JSON. */
export interface SelectList {
  readonly columns: readonly Fragment[]
  readonly joins: string
  readonly serialize: Serializer
  /** What `serialize` takes fragments from; each must be ready before it runs. */
  readonly kept: readonly KeptEmbed[]
}

/** What is asked of a record as columns: conditions, then words. */
export function canColumns(
  { catalog }: { readonly catalog: Catalog },
  can: CanShape | undefined,
  alias: string,
): readonly Sql[] {
  if (can === undefined) return []
  const held = can.conditions.map((filter) => holdsSql(catalog, filter, alias))
  return [...held, ...can.words.map((path) => pathValueSql(catalog, path, alias))]
}

/** The columns of a statement, each once; `place` gives a column's index and adds it where it is new. */
function columnList(before: readonly Fragment[]): {
  readonly columns: readonly Fragment[]
  readonly place: (column: Sql) => number
} {
  const columns: Fragment[] = [...before]
  const keyOf = (column: Fragment): string => {
    const { text, parameters } = print(sql`${column}`)
    return parameters.length === 0 ? text : `${text} ${JSON.stringify(parameters)}`
  }
  const places = new Map(before.map((column, index) => [keyOf(column), index]))
  const place = (column: Sql): number => {
    const key = keyOf(column)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, columns.length)
    return columns.push(column) - 1
  }
  return { columns, place }
}

/**
 * Builds the select list of a resource's answer over the row of `alias`, after the columns that the statement
 * has already; what is there once is not fetched again. `parts` are those of the answer, if not the usual ones.
 */
export function selectList(
  scope: SelectScope,
  resource: Resource,
  alias: string,
  mode: Mode,
  before: readonly Fragment[],
  parts: readonly Part[] = usualAnswer(scope.actor, resource, mode).parts,
): SelectList {
  const { columns, place } = columnList(before)
  const joins: string[] = []
  const join = joiner(scope.catalog, joins)
  const kept = new Set<KeptEmbed>()

  const toOne = ({ chosen, entries, relation }: Embedded, at: string): WireNode => {
    const index = place(sql`${at}.${quoted(relation.field.column)}`)
    // The process keeps what a caller chose only where that is a single value, because these are few.
    const found = chosen !== true || entries.length === 1 ? scope.kept?.of(relation, entries) : undefined
    if (found === undefined) return embed(entries, join(at, relation), index)
    kept.add(found)
    return { kind: 'lookup', index, fragment: found.fragment }
  }
  // The foreign key is the other record's id: the database guarantees that this record exists.
  const embed = (entries: readonly EmbedEntry[], at: string, present: number): WireNode => {
    const nodes: WireEntry[] = []
    for (const { name, value } of entries.filter((entry) => readableEntry(entry, scope.actor))) {
      if (value.kind === 'embed') nodes.push({ name, node: toOne(value, at) })
      else {
        const { relations, field } = value.path
        const holder = relations.reduce(join, at)
        const isId = relations.length === 0 && field.name === 'id'
        const index = isId ? present : place(fieldSql(field, holder))
        nodes.push({ name, node: { kind: 'column', index, wire: field.type.wire } })
      }
    }
    return { kind: 'object', present, entries: nodes }
  }

  const entries = parts.map((part): WireEntry => {
    const column = (value: Sql, wire: WireKind): WireNode => ({ kind: 'column', index: place(value), wire })
    if ('column' in part)
      return { name: part.name, node: column(valueSql(scope, resource, part, alias), part.type.wire) }
    const { entries, most, relation } = part
    if (relation.kind === 'belongs_to') return { name: relation.name, node: toOne({ ...part, relation }, alias) }
    return { name: relation.name, node: column(manySql(scope, relation, alias, entries, most), 'json') }
  })
  const serialize = compileSerializer({ kind: 'object', present: undefined, entries })
  return { columns, joins: joins.join(' '), serialize, kept: [...kept] }
}

/** Joins the records on the way from the row `t`; gives the alias of the last, and what is asked of each of them. */
export function joinWay(
  { catalog }: Pick<SelectScope, 'catalog'>,
  relations: readonly BelongsTo[],
  joinOnce: ReturnType<typeof joiner>,
  asks: (resource: Resource, alias: string) => readonly Sql[],
): { readonly alias: string; readonly within: readonly Sql[] } {
  const within: Sql[] = []
  let alias = 't'
  for (const relation of relations) {
    alias = joinOnce(alias, relation)
    within.push(...asks(targetOf(catalog, relation), alias))
  }
  return { alias, within }
}

/** Adds a left join for each to-one relation once and gives its alias. */
export function joiner(catalog: Catalog, joins: string[]): (from: string, relation: BelongsTo) => string {
  const known = new Map<string, string>()
  return (from, relation) => {
    const path = `${from}.${relation.field.column}`
    const found = known.get(path)
    if (found !== undefined) return found
    const alias = `${from}_${known.size + 1}`
    const target = targetOf(catalog, relation)
    const on = `${idSql(target, alias)} = ${from}.${quoted(relation.field.column)}`
    joins.push(`left join ${quoted(target.table)} ${alias} on ${on}`)
    known.set(path, alias)
    return alias
  }
}

/** ORDER BY of linked sort terms, always ending with the id so that the order is total. */
export function orderSql(scope: SelectScope, resource: Resource, terms: readonly SortTerm[], alias: string): Sql {
  const parts = terms.map((term) => sql`${sortSql(scope, term, alias)} ${term.direction}`)
  const last = terms.at(-1)
  if (last?.path.field.name !== 'id' || last.path.relations.length > 0)
    parts.push(sql`${idSql(resource, alias)} ${last?.direction ?? 'asc'}`)
  return join(parts)
}

/** What one sort term orders by: a value of the record, or one that a chain of sub-selects finds; a deleted record on it is none. */
function sortSql(scope: SelectScope, { path: { relations, field } }: SortTerm, alias: string): Sql {
  const follow = (at: number, from: string): Sql => {
    const relation = relations[at]
    if (relation === undefined) return fieldSql(field, from)
    const next = `${from}_s`
    const target = targetOf(scope.catalog, relation)
    const named = sql`${idSql(target, next)} = ${from}.${quoted(relation.field.column)}`
    const where = and([named, ...liveSql(scope.catalog, target, next)])
    return sql`(select ${follow(at + 1, next)} from ${quoted(target.table)} ${next} where ${where})`
  }
  return follow(0, alias)
}

/** One expression of a sort, with what a cursor has to know of it. */
export interface SortKey {
  readonly sql: Sql
  readonly cast: string
  readonly nullable: boolean
  readonly direction: 'asc' | 'desc'
}

/** The sort's expressions over the row `t`; the last is the id. */
export function sortKeys(scope: SelectScope, sort: readonly SortTerm[]): readonly SortKey[] {
  return sort.map((term) => ({
    sql: sortSql(scope, term, 't'),
    cast: term.path.field.sqlType,
    nullable: term.path.field.nullable || term.path.relations.length > 0,
    direction: term.direction,
  }))
}

/** A field in an answer: a column, a computation, or a count under the read policy. */
export function valueSql(scope: SelectScope, resource: Resource, field: Field, alias: string): Sql {
  if (field.count === undefined) return fieldSql(field, alias)
  return countSql(scope, resource.relations.get(field.count)!, alias, field)
}

/** How many related records the actor may see, or what a field of theirs comes to. */
export function countSql(scope: SelectScope, relation: Relation, alias: string, field: Field): Sql {
  if (relation.kind === 'belongs_to') return sql`0`
  if (field.total !== undefined) return totalSql(scope, relation, alias, field, field.total)
  return relatedCountSql(scope, relation, alias)
}

/** How many related records the actor may see. */
export function relatedCountSql(scope: SelectScope, relation: HasMany | ManyToMany, alias: string): Sql {
  const conditions = membership(scope, relation, alias, 'c')
  if (conditions === undefined) return sql`0`
  return sql`(select count(*) from ${targetTable(scope, relation)} c where ${and(conditions)})`
}

/** Null where nothing can be said: no record to compare, or a field that the actor may not read. */
function totalSql(
  scope: SelectScope,
  relation: HasMany | ManyToMany,
  alias: string,
  field: Field,
  { by, of }: NonNullable<Field['total']>,
): Sql {
  const value = targetOf(scope.catalog, relation).fields.get(of)!
  const type = field.sqlType
  if (!readable(value, scope.actor)) return sql`null::${type}`
  const conditions = membership(scope, relation, alias, 'c')
  const none = by === 'sum' ? sql`0` : sql`null`
  const rounded = (total: Sql): Sql =>
    field.type.name === 'decimal' ? sql`round((${total})::numeric, ${scaleOf(field.options)})` : total
  if (conditions === undefined) return sql`${rounded(none)}::${type}`
  const total = sql`(select ${by}(c.${quoted(value.column)}) from ${targetTable(scope, relation)} c where ${and(conditions)})`
  return sql`${rounded(sql`coalesce(${total}, ${none})`)}::${type}`
}

/**
 * The related records that the actor may see, as a JSON array; as an object or null for `first`. Of a bounded number the
 * newest come first, unless the relation has an order of its own. No order goes by what the actor may not read.
 */
export function manySql(
  scope: SelectScope,
  relation: HasMany | ManyToMany,
  alias: string,
  entries: readonly EmbedEntry[] = relation.embed ?? [],
  most?: number,
): Sql {
  const first = relation.kind === 'has_many' && relation.first
  const target = targetOf(scope.catalog, relation)
  const conditions = membership(scope, relation, alias, 'm')
  const order = relation.order.filter(({ path }) => isOpen(scope, target, path))
  // The choice of the first record would give away values that the reader may not see.
  const told = !first || order.length === relation.order.length
  if (conditions === undefined || !told) return first ? sql`null::json` : sql`'[]'::json`
  const { columns, joins } = embedSql(scope, entries, 'm')
  const sorted = orderSql(scope, target, most === undefined || relation.ordered ? order : newestFirst(target), 'm')
  const limited = most === undefined ? '' : ` limit ${most}`
  const rows = sql`select ${columns} from ${quoted(target.table)} m ${joins} where ${and(conditions)} order by ${sorted}${limited}`
  if (first) return sql`(select row_to_json(o.*) from (${rows} limit 1) o)`
  return sql`(select coalesce(json_agg(o.*), '[]'::json) from (${rows}) o)`
}

function newestFirst({ key }: Resource): readonly SortTerm[] {
  return [{ path: { relations: [], field: key }, direction: 'desc' }]
}

function targetTable({ catalog }: SelectScope, relation: Relation): string {
  return quoted(targetOf(catalog, relation).table)
}

/** The conditions under which a record of `inner` belongs to the record of `outer` and may be seen; undefined: never. */
function membership(
  scope: SelectScope,
  relation: HasMany | ManyToMany,
  outer: string,
  inner: string,
): readonly Sql[] | undefined {
  const target = targetOf(scope.catalog, relation)
  const reached = reach(target.policies.view, scope.actor)
  if (reached.kind === 'none' || (scope.isNew === true && hasForeignKeys(scope))) return undefined
  const filters = [relation.where, ...(reached.kind === 'matching' ? [reached.filter] : [])]
  return [
    linkSql(scope.catalog, relation, outer, inner),
    ...existenceSql(scope, target, inner),
    ...filters.flatMap((filter) => (filter === undefined ? [] : [conditionSql(scope.catalog, filter, inner)])),
  ]
}

/** Whether no row can name a record that does not exist; tables that were there before may hold such rows. */
function hasForeignKeys({ catalog }: SelectScope): boolean {
  return ![...catalog.resources.values()].some(({ existing }) => existing)
}

/** The columns of embedded entries and the joins that they need. */
function embedSql(
  scope: SelectScope,
  entries: readonly EmbedEntry[],
  alias: string,
): { readonly columns: Sql; readonly joins: string } {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const columnsOf = (inner: readonly EmbedEntry[], at: string): Sql =>
    join(inner.flatMap((entry) => columnOf(entry, at)))
  const columnOf = (entry: EmbedEntry, at: string): readonly Sql[] => {
    if (!readableEntry(entry, scope.actor)) return []
    const { name, value } = entry
    if (value.kind === 'embed') {
      const next = joinOnce(at, value.relation)
      const object = sql`(select row_to_json(o.*) from (select ${columnsOf(value.entries, next)}) o)`
      return [
        sql`case when ${idSql(targetOf(scope.catalog, value.relation), next)} is null then null else ${object} end as ${quoted(name)}`,
      ]
    }
    const { relations, field } = value.path
    return [sql`${wireSql(fieldSql(field, relations.reduce(joinOnce, at)), field.type.wire)} as ${quoted(name)}`]
  }
  return { columns: columnsOf(entries, alias), joins: joins.join(' ') }
}

/** A value as PostgreSQL's JSON writes it the way serializers do: exact decimals and microseconds. */
function wireSql(value: Sql, wire: WireKind): Sql {
  if (wire === 'string' || wire === 'date') return sql`(${value})::text`
  if (wire === 'timestamp') return sql`to_char((${value}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  return value
}

/** Compiles reading what is kept of a table: the id, then the columns of the fragment. One row more than is kept tells that the table is too large. */
export function compileKept(target: Resource, entries: readonly EmbedEntry[]): CompiledRecord {
  const fields = entries.flatMap(({ name, value }) =>
    value.kind === 'field' ? [{ name, field: value.path.field }] : [],
  )
  const columns = [idSql(target, 't'), ...fields.map(({ field }) => `t.${quoted(field.column)}`)]
  const nodes = fields.map(
    ({ name, field }, i): WireEntry => ({ name, node: { kind: 'column', index: i + 1, wire: field.type.wire } }),
  )
  return {
    ...compiled(sql`select ${join(columns)} from ${quoted(target.table)} t limit ${LIMITS.lookupRows + 1}`),
    serialize: compileSerializer({ kind: 'object', present: undefined, entries: nodes }),
  }
}
