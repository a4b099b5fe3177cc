/** What must hold of a record, as conditions on the row `v` that a write would store. */
import type { RecordRule, Resource, WriteAction } from '../catalog/catalog.ts'
import { tableFields } from '../catalog/stored.ts'
import { type Sql, sql } from '../filter/sql.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { type After, holdsSql, type Judged } from './condition.ts'
import type { SelectScope } from './scope.ts'
import { takenSql } from './sole.ts'

/** A rule as a condition on the row `v`, whose statement makes `after` of its table. */
export function ruleSql(
  { catalog }: SelectScope,
  { action, resource }: Pick<WriteShape, 'action' | 'resource'>,
  { must, when }: RecordRule,
  after: After,
): Sql {
  const judged: Judged = { record: 'v', before: action === 'create' ? undefined : resource.table, after }
  const kept = holdsSql(catalog, must, 'v', judged)
  return when === undefined ? kept : sql`(not ${holdsSql(catalog, when, 'v', judged)} or ${kept})`
}

/** What the statement of a write makes of its table. */
export function afterOf(
  scope: Pick<SelectScope, 'catalog'>,
  resource: Resource,
  action: WriteAction,
  written: ReadonlySet<string> | undefined,
): After {
  const columns = tableFields(scope.catalog, resource).map(({ column }) => column)
  const removed = action === 'delete' && resource.deleteSets === undefined
  return { table: resource.table, resource, columns, others: takenSql(scope, resource, action, written), removed }
}
