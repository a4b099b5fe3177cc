/** A value over relations as its reader may see it: what the policies of the records on the way admit, and what answers embed. */
import type { BelongsTo, FieldPath, Resource } from '../catalog/catalog.ts'
import { and, type Sql, sql } from '../filter/sql.ts'
import { isShownBeside } from './askable.ts'
import { fieldSql } from './condition.ts'
import { filterable, reach } from './policy.ts'
import { existenceSql, joinWay, reachSql, type SelectScope } from './scope.ts'

/** The value at the end of a path; null where the actor may not read it, or where it is of a record that it does not see. */
export function seenValueSql(
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
