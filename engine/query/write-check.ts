/** What a write's statement tests before it writes, as conditions on the row `v`. */
import type { BelongsTo, Field, OverlapRule, Resource } from '../catalog/catalog.ts'
import { fitsSql } from '../catalog/formula.ts'
import { idSql } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { and, join, parameter, quoted, type Sql, sql } from '../filter/sql.ts'
import { lookSql } from '../filter/text-forms.ts'
import { lockName } from '../plan/write-checks.ts'
import type { Check, WriteShape } from '../plan/write-shape.ts'
import { type After, conditionSql, holdsSql, tableSql } from './condition.ts'
import { foreignSql } from './foreign-check.ts'
import { type MoveSql, movesSql } from './move-check.ts'
import { reach } from './policy.ts'
import { afterOf, ruleSql } from './rule-check.ts'
import { existenceSql, reachSql, type SelectScope } from './scope.ts'

/** A check as the statement tests it: a move may be two, whether it is anybody's and whether it is this caller's. */
export type TestedCheck = Exclude<Check, { kind: 'move' }> | MoveSql['check']

/** A check with its condition on the row `v`, the record as it would be written. */
export interface CheckSql {
  readonly check: TestedCheck
  readonly condition: Sql
  /** What the sentence about its failure needs to know. */
  readonly tells?: readonly Sql[]
}

/** The checks of a write over the row `v`. */
export function checksSql(scope: SelectScope, plan: WriteShape): readonly CheckSql[] {
  const { action, columns, resource } = plan
  const isWhole = action === 'delete' || action === 'restore'
  const after = afterOf(scope, resource, action, isWhole ? undefined : columns)
  return plan.checks.flatMap((check): readonly CheckSql[] =>
    check.kind === 'move'
      ? movesSql(scope, resource, check.moves)
      : [{ check, condition: conditionOf(scope, plan, check, after) }],
  )
}

function conditionOf(scope: SelectScope, plan: WriteShape, check: Exclude<Check, { kind: 'move' }>, after: After): Sql {
  const { catalog } = scope
  const { clause, resource } = plan
  switch (check.kind) {
    case 'reference':
      return referenceSql(scope, check.relation)
    case 'missing':
      return sql`v.${quoted(check.field.column)} is not null`
    case 'unique':
      return uniqueSql(scope, plan, check.field)
    case 'scope':
      return holdsSql(catalog, resource.scope, 'v')
    case 'policy':
      return holdsSql(catalog, clause?.where, 'v')
    case 'fits':
      return sql`(${fitsSql(check.field, 'v')})`
    case 'rule':
      return ruleSql(scope, plan, check.rule, after)
    case 'count':
      return countSql(scope, plan, check, after)
    case 'turn':
      return turnSql(resource, check.rule)
    case 'foreign':
      return foreignSql(scope, resource, check.rule, after)
  }
}

function uniqueSql({ catalog }: SelectScope, { action, resource }: WriteShape, field: Field): Sql {
  const others = [
    equalSql(resource, field),
    ...(action === 'update' ? [sql`${idSql(resource, 'u')} <> ${idSql(resource, 'v')}`] : []),
    ...(resource.live === undefined ? [] : [conditionSql(catalog, resource.live, 'u')]),
  ]
  return sql`not exists (select 1 from ${quoted(resource.table)} u where ${and(others)})`
}

/** Whether two rows have the same value: a text as people see it, except in the tables of others. */
function equalSql({ existing, key }: Resource, field: Field): Sql {
  const [other, own] = [sql`u.${quoted(field.column)}`, sql`v.${quoted(field.column)}`]
  const isAlike = field.alike === true && !existing && field !== key
  return isAlike ? sql`${lookSql(other)} = ${lookSql(own)}` : sql`${other} = ${own}`
}

/** A chosen record must exist, match the relation's condition and be one that the caller may view. */
function referenceSql(scope: SelectScope, relation: BelongsTo): Sql {
  const target = targetOf(scope.catalog, relation)
  const reached = reach(target.policies.view, scope.actor)
  const column = `v.${quoted(relation.field.column)}`
  const where = [
    sql`${idSql(target, 'r')} = ${column}`,
    ...existenceSql(scope, target, 'r'),
    ...(relation.where === undefined
      ? []
      : [conditionSql(scope.catalog, relation.where, 'r', { record: 'v', before: undefined })]),
    ...(reached.kind === 'all' ? [] : [reachSql(scope, reached, 'r')]),
  ]
  return sql`(${column} is null or exists (select 1 from ${quoted(target.table)} r where ${and(where)}))`
}

type Counted = Extract<Check, { kind: 'count' }>

/** A rule about how many records there are, as a condition on the row `v`; right only under its lock. */
function countSql(scope: SelectScope, { action, resource }: WriteShape, check: Counted, after: After): Sql {
  const { catalog } = scope
  const { least, most, per, where } = check.rule
  const counted = (alias: string): Sql => and([resource.live, where].map((filter) => holdsSql(catalog, filter, alias)))
  // Where nobody loses a yes, the table itself, so that its indexes are of use.
  const counting = after.others.size === 0 ? sql`${quoted(resource.table)}` : tableSql(resource.table, { after })
  const others = (group: string): Sql => {
    const equal = per.map(({ column }) => sql`o.${quoted(column)} is not distinct from ${group}.${quoted(column)}`)
    const conditions = [sql`${idSql(resource, 'o')} is distinct from ${idSql(resource, group)}`, ...equal, counted('o')]
    return sql`(select count(*) from ${counting} o where ${and(conditions)})`
  }
  const now = action === 'delete' ? sql`false` : sql`(${counted('v')})`
  const same = per.map(({ column }) => sql`b.${quoted(column)} is not distinct from v.${quoted(column)}`)
  const before = sql`${quoted(resource.table)} b where ${idSql(resource, 'b')} = ${idSql(resource, 'v')}`
  if (check.side === 'least')
    // The group that is left is that of the stored row.
    return sql`not exists (select 1 from ${before} and ${counted('b')} and not (${and([now, ...same])}) and ${others('b')} < ${least!})`
  const stays =
    action === 'create' ? sql`false` : sql`exists (select 1 from ${before} and ${and([counted('b'), ...same])})`
  return sql`(not ${now} or ${stays} or ${others('v')} < ${most!})`
}

/** Waits for others that write the same group: two that overlap would wait for each other in the index. */
function turnSql(resource: Resource, { name, per }: OverlapRule): Sql {
  const group = per.map(({ column }) => sql` || ':' || coalesce(v.${quoted(column)}::text, '')`)
  const key = sql`${parameter({ kind: 'literal', value: lockName(resource, name) })}::text${join(group, '')}`
  return sql`(pg_advisory_xact_lock(hashtextextended(${key}, 0)) is not null)`
}
