/** Which records a relation leads to, compiled: for any number of records at once, and for the program itself. */
import type { BelongsTo, Resource } from '../catalog/catalog.ts'
import type { ManyPath } from '../catalog/field.ts'
import { idsType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { and, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled } from './compiled.ts'
import { conditionSql, linkSql } from './condition.ts'
import { existenceSql, joiner, type SelectScope } from './scope.ts'

/** To-one relations, and at the end perhaps one to many. */
export interface RelatedPath {
  readonly relations: readonly BelongsTo[]
  readonly many: ManyPath['many'] | undefined
}

/** Compiles which live records a path leads to: rows of the record that it begins at and the one that it ends at. Slot: `records`. */
export function compileRelated(scope: SelectScope, resource: Resource, { many, relations }: RelatedPath): Compiled {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const where: Sql[] = [
    sql`${idSql(resource, 't')} = any(${slot('records')}::${idsType(resource)})`,
    ...existenceSql(scope, resource, 't'),
  ]
  let alias = 't'
  let end = resource
  for (const relation of relations) {
    alias = joinOnce(alias, relation)
    end = targetOf(scope.catalog, relation)
    where.push(...existenceSql(scope, end, alias))
  }
  if (many !== undefined) {
    const target = targetOf(scope.catalog, many)
    joins.push(`join ${quoted(target.table)} e on true`)
    where.push(linkSql(scope.catalog, many, alias, 'e'), ...existenceSql(scope, target, 'e'))
    if (many.where !== undefined) where.push(conditionSql(scope.catalog, many.where, 'e'))
    alias = 'e'
    end = target
  }
  where.push(sql`${idSql(end, alias)} is not null`)
  const from = sql`${quoted(resource.table)} t ${joins.join(' ')}`
  return compiled(
    sql`select ${idSql(resource, 't')}, ${idSql(end, alias)} from ${from} where ${and(where)} order by 1, 2`,
  )
}
