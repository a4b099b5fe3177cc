/** Related records to-many inside one statement: counted or embedded as JSON, under their own read policy. */
import type { EmbedEntry, HasMany, ManyToMany, Relation, SortTerm } from '../catalog/catalog.ts'
import type { WireKind } from '../field/field-type.ts'
import { conditionSql, fieldSql, quoted } from './condition.ts'
import { reach } from './policy.ts'
import { joiner, readable, type SelectScope } from './scope.ts'

/** The SQL of how many related records the actor may see. */
export function countSql(scope: SelectScope, relation: Relation, alias: string): string {
  if (relation.kind === 'belongs_to') return '0'
  const conditions = membership(scope, relation, alias, 'c')
  if (conditions === undefined) return '0'
  const table = scope.catalog.resources.get(relation.target)!.table
  return `(select count(*) from ${quoted(table)} c where ${conditions.join(' and ')})`
}

/** The SQL of the related records that the actor may see, as a JSON array, or an object or null for `first`. */
export function manySql(scope: SelectScope, relation: HasMany | ManyToMany, alias: string): string {
  const first = relation.kind === 'has_many' && relation.first
  const conditions = membership(scope, relation, alias, 'm')
  if (conditions === undefined) return first ? 'null::json' : `'[]'::json`
  const joins: string[] = []
  const columns = embeddedColumns(scope, relation.embed ?? [], 'm', joins)
  const table = scope.catalog.resources.get(relation.target)!.table
  const order = orderSql(scope, relation.order, 'm')
  const rows = `select ${columns.join(', ')} from ${quoted(table)} m ${joins.join(' ')} where ${conditions.join(' and ')} order by ${order}`
  if (first) return `(select row_to_json(o) from (${rows} limit 1) o)`
  return `(select coalesce(json_agg(o), '[]'::json) from (${rows}) o)`
}

/** ORDER BY of linked sort terms, always ending with the id so that the order is total. */
export function orderSql(scope: SelectScope, terms: readonly SortTerm[], alias: string): string {
  const parts = terms.map((term) => `${sortSql(scope, term, alias)} ${term.direction}`)
  const last = terms.at(-1)
  if (last?.path.field.name !== 'id' || last.path.relations.length > 0)
    parts.push(`${alias}."id" ${last?.direction ?? 'asc'}`)
  return parts.join(', ')
}

/** The SQL of what one sort term orders by. */
export function sortSql(scope: SelectScope, { path }: SortTerm, alias: string): string {
  return path.relations.reduceRight<(from: string) => string>(
    (inner, relation) => (from) => {
      const next = `${from}_s`
      const table = scope.catalog.resources.get(relation.target)!.table
      return `(select ${inner(next)} from ${quoted(table)} ${next} where ${next}."id" = ${from}.${quoted(relation.field.column)})`
    },
    (from) => fieldSql(path.field, from, scope.binder),
  )(alias)
}

/** Conditions under which a record of `inner` belongs to the record of `outer` and may be seen; undefined: never. */
function membership(
  scope: SelectScope,
  relation: HasMany | ManyToMany,
  outer: string,
  inner: string,
): string[] | undefined {
  const { catalog, actor, binder } = scope
  const target = catalog.resources.get(relation.target)!
  // Asked first: a parameter that is bound and then left out of the text is refused by PostgreSQL.
  const reached = reach(target.policies.view, actor)
  if (reached.kind === 'none') return undefined
  const conditions = [
    relation.kind === 'has_many' ? chainSql(scope, relation, outer, inner) : throughSql(relation, outer, inner),
  ]
  for (const filter of [target.scope, target.live, relation.where]) {
    if (filter !== undefined) conditions.push(conditionSql(catalog, filter, inner, binder))
  }
  if (reached.kind === 'matching') conditions.push(conditionSql(catalog, reached.filter, inner, binder))
  return conditions
}

function chainSql({ catalog, binder }: SelectScope, relation: HasMany, outer: string, inner: string): string {
  const [first, ...rest] = relation.by
  const link = (steps: readonly (typeof relation.by)[number][], from: string, column: string): string => {
    const [next, ...further] = steps
    if (next === undefined) return `${from}.${quoted(column)} = ${outer}."id"`
    const via = [...catalog.resources.values()].find((resource) => resource.relations.get(next.name) === next)!
    const at = `${from}_v`
    const live = via.live === undefined ? '' : ` and ${conditionSql(catalog, via.live, at, binder)}`
    return `${from}.${quoted(column)} in (select ${at}."id" from ${quoted(via.table)} ${at} where ${link(further, at, next.field.column)}${live})`
  }
  return link(rest, inner, first!.field.column)
}

function throughSql({ through }: ManyToMany, outer: string, inner: string): string {
  return `${inner}."id" in (select j.${quoted(through.to)} from ${quoted(through.table)} j where j.${quoted(through.from)} = ${outer}."id")`
}

function embeddedColumns(scope: SelectScope, entries: readonly EmbedEntry[], alias: string, joins: string[]): string[] {
  const join = joiner(scope.catalog, joins)
  const list = (inner: readonly EmbedEntry[], at: string): string[] =>
    inner.flatMap(({ name, value }) => {
      if (value.kind === 'field') {
        if (!readable(value.path.field, scope.actor)) return []
        const holder = value.path.relations.reduce((from, relation) => join(from, relation), at)
        return [
          `${wireSql(fieldSql(value.path.field, holder, scope.binder), value.path.field.type.wire)} as ${quoted(name)}`,
        ]
      }
      const next = join(at, value.relation)
      const columns = list(value.entries, next).join(', ')
      return [
        `case when ${next}."id" is null then null else (select row_to_json(o) from (select ${columns}) o) end as ${quoted(name)}`,
      ]
    })
  return list(entries, alias)
}

/** A value as PostgreSQL's JSON writes it the way serializers do: exact decimals and microseconds. */
function wireSql(sql: string, wire: WireKind): string {
  if (wire === 'string' || wire === 'date') return `(${sql})::text`
  if (wire === 'timestamp') return `to_char((${sql}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  return sql
}
