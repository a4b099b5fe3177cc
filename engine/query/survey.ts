/** What many records are, compiled: conditions over what a change left and what was before it, where ways lead, and values. */
import type { FieldPath, Relation, Resource } from '../catalog/catalog.ts'
import { idsType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { and, join, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { ChangeCondition } from './change-condition.ts'
import { type Compiled, compiled } from './compiled.ts'
import { conditionSql, fieldSql, holdsSql, linkSql } from './condition.ts'
import { existenceSql, joiner, joinWay, type SelectScope } from './scope.ts'
import { foundSql } from './sight.ts'

interface Asked {
  readonly conditions: readonly ChangeCondition[]
  readonly ways: readonly (readonly Relation[])[]
  readonly paths: readonly FieldPath[]
}

/**
 * Compiles what is asked of records: rows of a record's place, and then whether each condition holds, the ids that each
 * way leads to, as JSON, and the values. Slots: `records`, and `now` and `before`, JSON by column that is laid over each.
 */
export function compileSurvey(scope: SelectScope, resource: Resource, { conditions, paths, ways }: Asked): Compiled {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const columns = [
    ...conditions.map((one) => changeSql(scope, one)),
    ...ways.map((way) => waySql(scope, resource, way)),
    ...paths.map((path) => liveValueSql(scope, path, joinOnce)),
  ]
  const given = sql`unnest(${slot('records')}::${idsType(resource)}, ${slot('now')}::text[], ${slot('before')}::text[]) with ordinality as c(id, now, before, n)`
  const laid = sql`cross join lateral jsonb_populate_record(s.plinth_row, c.now::jsonb) t cross join lateral jsonb_populate_record(s.plinth_row, c.before::jsonb) b`
  const from = sql`${given} cross join lateral ${foundSql(resource, 'c.id')} s ${laid} ${joins.join(' ')}`
  return compiled(
    sql`select ${join(['c.n', ...columns])} from ${from} where ${and(existenceSql(scope, resource, 's'))}`,
  )
}

/** Whether a condition holds: true or false, never null. */
function changeSql(scope: SelectScope, condition: ChangeCondition): Sql {
  switch (condition.kind) {
    case 'now':
    case 'before':
      return holdsSql(scope.catalog, condition.filter, condition.kind === 'now' ? 't' : 'b')
    case 'not':
      return sql`(not ${changeSql(scope, condition.of)})`
    default: {
      const parts = condition.of.map((one) => changeSql(scope, one))
      return sql`(${condition.kind === 'all' ? and(parts) : or(parts)})`
    }
  }
}

/** Types of ids that grow from record to record. */
const COUNTED: ReadonlySet<string> = new Set(['integer', 'bigint'])

/** The ids of the live records that a way leads to; of those of the record's own table, only earlier ones count, or all others. */
function waySql(scope: SelectScope, resource: Resource, way: readonly Relation[]): Sql {
  const { catalog } = scope
  const earlier = COUNTED.has(resource.key.type.name) ? '<' : '<>'
  const where: Sql[] = []
  const tables: string[] = []
  let alias = 't'
  let end = resource
  for (const [at, relation] of way.entries()) {
    const inner = `e${at}`
    end = targetOf(catalog, relation)
    tables.push(`${quoted(end.table)} ${inner}`)
    where.push(linkSql(catalog, relation, alias, inner), ...existenceSql(scope, end, inner))
    if (relation.kind !== 'belongs_to') {
      if (relation.where !== undefined) where.push(conditionSql(catalog, relation.where, inner))
      if (end.owner === resource.owner) where.push(sql`${idSql(end, inner)} ${earlier} ${idSql(resource, 't')}`)
    }
    alias = inner
  }
  const ids = sql`select distinct ${idSql(end, alias)} from ${tables.join(', ')} where ${and(where)} order by 1`
  return sql`to_json(array(${ids}))`
}

/** The value at the end of a path; null where a record on the way is not live. */
function liveValueSql(scope: SelectScope, { field, relations }: FieldPath, joinOnce: ReturnType<typeof joiner>): Sql {
  const { alias, within } = joinWay(scope, relations, joinOnce, (target, at) => existenceSql(scope, target, at))
  const value = fieldSql(field, alias)
  return within.length === 0 ? value : sql`case when ${and(within)} then ${value} end`
}
