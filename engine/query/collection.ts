/** Related records to-many inside one statement: counted or embedded as JSON, under their own read policy. */
import type { BelongsTo, EmbedEntry, HasMany, ManyToMany, Relation } from '../catalog/catalog.ts'
import type { WireKind } from '../field/field-type.ts'
import { and, join, quoted, type Sql, sql } from '../filter/sql.ts'
import { conditionSql, fieldSql } from './condition.ts'
import { orderSql } from './order.ts'
import { reach, readable } from './policy.ts'
import { existenceSql, joiner, type SelectScope } from './scope.ts'

/** How many related records the actor may see. */
export function countSql(scope: SelectScope, relation: Relation, alias: string): Sql {
  if (relation.kind === 'belongs_to') return sql`0`
  const conditions = membership(scope, relation, alias, 'c')
  if (conditions === undefined) return sql`0`
  return sql`(select count(*) from ${targetTable(scope, relation)} c where ${and(conditions)})`
}

/** The related records that the actor may see, as a JSON array; as an object or null for `first`. */
export function manySql(scope: SelectScope, relation: HasMany | ManyToMany, alias: string): Sql {
  const first = relation.kind === 'has_many' && relation.first
  const conditions = membership(scope, relation, alias, 'm')
  if (conditions === undefined) return first ? sql`null::json` : sql`'[]'::json`
  const { columns, joins } = embedSql(scope, relation.embed ?? [], 'm')
  const rows = sql`select ${columns} from ${targetTable(scope, relation)} m ${joins} where ${and(conditions)} order by ${orderSql(scope, relation.order, 'm')}`
  if (first) return sql`(select row_to_json(o) from (${rows} limit 1) o)`
  return sql`(select coalesce(json_agg(o), '[]'::json) from (${rows}) o)`
}

function targetTable({ catalog }: SelectScope, relation: Relation): string {
  return quoted(catalog.resources.get(relation.target)!.table)
}

/** The conditions under which a record of `inner` belongs to the record of `outer` and may be seen; undefined: never. */
function membership(
  scope: SelectScope,
  relation: HasMany | ManyToMany,
  outer: string,
  inner: string,
): readonly Sql[] | undefined {
  const target = scope.catalog.resources.get(relation.target)!
  const reached = reach(target.policies.view, scope.actor)
  if (reached.kind === 'none') return undefined
  const filters = [relation.where, ...(reached.kind === 'matching' ? [reached.filter] : [])]
  return [
    relation.kind === 'has_many' ? linkSql(scope, relation.by, outer, inner) : throughSql(relation, outer, inner),
    ...existenceSql(scope, target, inner),
    ...filters.flatMap((filter) => (filter === undefined ? [] : [conditionSql(scope.catalog, filter, inner)])),
  ]
}

/** The record of `inner` leads to the record of `outer` by these relations; the records between them must be live. */
function linkSql(scope: SelectScope, [relation, ...further]: readonly BelongsTo[], outer: string, inner: string): Sql {
  const key = `${inner}.${quoted(relation!.field.column)}`
  const [next] = further
  if (next === undefined) return sql`${key} = ${outer}."id"`
  const between = [...scope.catalog.resources.values()].find(({ relations }) => relations.get(next.name) === next)!
  const at = `${inner}_v`
  const conditions = [linkSql(scope, further, outer, at)]
  if (between.live !== undefined) conditions.push(conditionSql(scope.catalog, between.live, at))
  return sql`${key} in (select ${at}."id" from ${quoted(between.table)} ${at} where ${and(conditions)})`
}

function throughSql({ through }: ManyToMany, outer: string, inner: string): Sql {
  return sql`${inner}."id" in (select j.${quoted(through.to)} from ${quoted(through.table)} j where j.${quoted(through.from)} = ${outer}."id")`
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
  const columnOf = ({ name, value }: EmbedEntry, at: string): readonly Sql[] => {
    if (value.kind === 'embed') {
      const next = joinOnce(at, value.relation)
      const object = sql`(select row_to_json(o) from (select ${columnsOf(value.entries, next)}) o)`
      return [sql`case when ${next}."id" is null then null else ${object} end as ${quoted(name)}`]
    }
    const { relations, field } = value.path
    if (!readable(field, scope.actor)) return []
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
