/** Rules about other records that a write to this table could break, in the statement of that write. */
import type { ForeignRule, Resource, WriteAction } from '../catalog/catalog.ts'
import { and, or, quoted, type Sql, sql } from '../filter/sql.ts'
import { holdsSql, type Judged } from './condition.ts'
import { afterOf, type RuleSql } from './rule-check.ts'
import type { SelectScope } from './scope.ts'

/** Whether a write can break a rule about other records. */
export function breaks(
  { by, reads }: ForeignRule,
  action: WriteAction,
  columns: ReadonlySet<string> | undefined,
): boolean {
  // Nothing points at a record to come, and what others point at is not removed under them.
  if (by === 'theirs') return action === 'update' && touches(reads, columns)
  return action !== 'update' || touches(reads, columns)
}

function touches(reads: ReadonlySet<string>, columns: ReadonlySet<string> | undefined): boolean {
  return columns === undefined || [...reads].some((column) => columns.has(column))
}

/** The checks of a write for the records of others that look at it; each answers 409. */
export function foreignChecks(
  scope: SelectScope,
  resource: Resource,
  action: WriteAction,
  columns: ReadonlySet<string> | undefined,
): readonly RuleSql[] {
  return resource.foreignRules
    .filter((foreign) => breaks(foreign, action, columns))
    .map((foreign) => ({
      check: { kind: 'rule', rule: { says: foreign.rule.says, at: undefined } },
      condition: keptSql(scope, resource, action, foreign),
    }))
}

/** No live record that is linked to `v`, or was to the row before, breaks the rule once `v` is stored. */
function keptSql({ catalog }: SelectScope, resource: Resource, action: WriteAction, foreign: ForeignRule): Sql {
  const { rule, by, field } = foreign
  const about = catalog.resources.get(foreign.resource)!
  const judged: Judged = { record: 'r', before: undefined, after: afterOf(catalog, resource, action) }
  const column = quoted(field.column)
  const stored = sql`r."id" = (select b.${column} from ${quoted(resource.table)} b where b."id" = v."id")`
  const linked = by === 'theirs' ? sql`r.${column} = v."id"` : sql`(${or([sql`r."id" = v.${column}`, stored])})`
  const conditions = [
    linked,
    ...[about.live, rule.when].flatMap((filter) =>
      filter === undefined ? [] : [holdsSql(catalog, filter, 'r', judged)],
    ),
    sql`not ${holdsSql(catalog, rule.must, 'r', judged)}`,
  ]
  return sql`not exists (select 1 from ${quoted(about.table)} r where ${and(conditions)})`
}
