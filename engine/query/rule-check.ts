/** What must hold of a record, as conditions on the row `v` that a write would store. */
import type { RecordRule, Resource, WriteAction } from '../catalog/catalog.ts'
import { meets, tableFields } from '../catalog/stored.ts'
import { type Sql, sql } from '../filter/sql.ts'
import { type After, holdsSql, type Judged } from './condition.ts'
import type { SelectScope } from './scope.ts'
import { takenSql } from './sole.ts'

/** A rule with its condition on the row `v`. */
export interface RuleSql {
  readonly check: { readonly kind: 'rule'; readonly rule: Pick<RecordRule, 'at' | 'says'> }
  readonly condition: Sql
}

const NONE: ReadonlySet<string> = new Set()

/**
 * The rules that a write concerns; `columns` are those that it writes, undefined: it is judged as a whole. Those that look at
 * the joining tables `links`, which are written next, are judged behind them.
 */
export function ruleChecks(
  scope: SelectScope,
  resource: Resource,
  action: WriteAction,
  columns: ReadonlySet<string> | undefined,
  links: ReadonlySet<string> = NONE,
): readonly RuleSql[] {
  const { catalog } = scope
  const judged: Judged = {
    record: 'v',
    before: action === 'create' ? undefined : resource.table,
    after: afterOf(scope, resource, action, columns),
  }
  const asked = resource.rules.filter(
    (rule) =>
      rule.on.has(action) &&
      !meets(rule.links, links) &&
      (action !== 'update' || columns === undefined || meets(rule.reads, columns)),
  )
  return asked.map((rule) => {
    const must = holdsSql(catalog, rule.must, 'v', judged)
    const condition =
      rule.when === undefined ? must : sql`(not ${holdsSql(catalog, rule.when, 'v', judged)} or ${must})`
    return { check: { kind: 'rule', rule }, condition }
  })
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
