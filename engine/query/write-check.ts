/** What a write's statement tests before it writes, as conditions on the row `v`: the values, the rules, and who has the only yes. */
import type { BelongsTo, Field, OverlapRule, RecordRule, Resource, SoleRule, WriteAction } from '../catalog/catalog.ts'
import { fitsSql } from '../catalog/formula.ts'
import { idType } from '../catalog/key.ts'
import { idSql, tableFields } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { and, join, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { lookSql } from '../filter/text-forms.ts'
import { lockName, solesOf } from '../plan/write-checks.ts'
import type { Check, WriteShape } from '../plan/write-shape.ts'
import { type Compiled, compiled } from './compiled.ts'
import { type After, conditionSql, holdsSql, type Judged, tableSql } from './condition.ts'
import { foreignSql } from './foreign-check.ts'
import { type MoveSql, movesSql } from './move-check.ts'
import { reach } from './policy.ts'
import { existenceSql, reachSql, type SelectScope } from './scope.ts'

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

/** Columns of the other rows `s` as they will be: what the row `v` takes its yes from has lost it, although that is written next. */
export function takenSql(
  scope: Pick<SelectScope, 'catalog'>,
  resource: Resource,
  action: WriteAction,
  columns: ReadonlySet<string> | undefined,
): ReadonlyMap<string, Sql> {
  const soles = action === 'restore' ? [] : solesOf(resource, action, columns)
  return new Map(
    soles.map((rule) => {
      const column = quoted(rule.field.column)
      const lost = and(losesSql(scope, resource, rule, 's', 'v'))
      return [rule.field.column, sql`(s.${column} and (${lost}) is not true) as ${column}`]
    }),
  )
}

/** Compiles the ids of the records that lose their yes to the record of `id`, which has been stored. */
export function compileLosers(scope: Pick<SelectScope, 'catalog'>, resource: Resource, rule: SoleRule): Compiled {
  const table = quoted(resource.table)
  const stored = sql`${table} w on ${idSql(resource, 'w')} = ${slot('id')}::${idType(resource)}`
  const id = idSql(resource, 'o')
  const loses = [sql`${id} <> ${idSql(resource, 'w')}`, sql`o.${quoted(rule.field.column)}`]
  const where = and([...loses, ...losesSql(scope, resource, rule, 'o', 'w')])
  return compiled(sql`select ${id} from ${table} o join ${stored} where ${where} order by ${id}`)
}

/** A live record `lost` of the kind gives its yes up to the live record `got` of the kind and the group, which has one. */
function losesSql(
  scope: Pick<SelectScope, 'catalog'>,
  resource: Resource,
  rule: SoleRule,
  lost: string,
  got: string,
): readonly Sql[] {
  return [
    sql`${got}.${quoted(rule.field.column)}`,
    ...[lost, got].flatMap((alias) => ofKind(scope, resource, rule, alias)),
    ...sameGroup(rule, lost, got),
  ]
}

function ofKind(
  { catalog }: Pick<SelectScope, 'catalog'>,
  { live }: Resource,
  { where }: SoleRule,
  alias: string,
): readonly Sql[] {
  return [live, where].flatMap((filter) => (filter === undefined ? [] : [holdsSql(catalog, filter, alias)]))
}

/** A record `t` that comes back leaves the yes with the live one that has it: the values of its fields then. */
export function yielded(scope: Pick<SelectScope, 'catalog'>, resource: Resource): ReadonlyMap<string, Sql> {
  return new Map(
    resource.soles.map((rule) => {
      const column = quoted(rule.field.column)
      const conditions = [
        sql`${idSql(resource, 'o')} <> ${idSql(resource, 't')}`,
        sql`o.${column}`,
        ...losesSql(scope, resource, rule, 'o', 't'),
      ]
      const other = sql`exists (select 1 from ${quoted(resource.table)} o where ${and(conditions)})`
      return [rule.field.column, sql`(t.${column} and not ${other})`]
    }),
  )
}

function sameGroup({ per }: SoleRule, one: string, other: string): readonly Sql[] {
  const same = (field: Field): Sql =>
    sql`${one}.${quoted(field.column)} is not distinct from ${other}.${quoted(field.column)}`
  return per.map(same)
}

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
