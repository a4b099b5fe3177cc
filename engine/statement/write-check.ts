/** What a write's statement tests before it writes, as conditions on the row `v`: the values, the rules, and who has the only yes. */

import { reach } from '../ask/policy.ts'
import type {
  BelongsTo,
  Catalog,
  Field,
  ForeignRule,
  LinkRule,
  OverlapRule,
  RecordRule,
  Resource,
  SoleRule,
  WayStep,
  WriteAction,
} from '../catalog/catalog.ts'
import { fitsSql } from '../catalog/formula.ts'
import { idSql, idsType, idType, ownerOf, tableFields, targetOf } from '../catalog/stored.ts'
import { and, join, or, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { lookSql } from '../filter/text-forms.ts'
import { lockName, solesOf } from '../plan/write-checks.ts'
import type { Check, WriteShape } from '../plan/write-shape.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { type After, conditionSql, existenceSql, holdsSql, type Judged, reachSql, tableSql } from './condition.ts'
import { type MoveSql, movesSql } from './moves.ts'

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

/** That no live record breaks a rule which looks at the written row; `after` is what the statement makes of its table. */
export function foreignSql({ catalog }: SelectScope, resource: Resource, foreign: ForeignRule, after: After): Sql {
  return keptSql(
    catalog,
    { ...foreign, way: foreign.way.slice(0, -1) },
    { record: 'r', before: undefined, after },
    (near, table) => writtenSql(catalog, resource, { near, table }, foreign.way.at(-1)!),
  )
}

/** Whether the last step of a way leads from `near` to the row `v`, or led to the row that it was. */
function writtenSql(
  catalog: Catalog,
  resource: Resource,
  { near, table }: { readonly near: string; readonly table: string },
  last: WayStep,
): Sql {
  const written = idSql(resource, 'v')
  if (last.kind === 'to') return sql`${near}.${quoted(last.column)} = ${written}`
  const id = idSql(ownerOf(catalog, table)!, near)
  if (last.kind === 'link') return sql`${id} in ${pairedSql(last, sql`= ${written}`)}`
  const column = quoted(last.column)
  const stored = sql`${id} = (select b.${column} from ${quoted(resource.table)} b where ${idSql(resource, 'b')} = ${written})`
  return sql`(${or([sql`${id} = v.${column}`, stored])})`
}

function pairedSql({ through }: Extract<WayStep, { kind: 'link' }>, to: Sql): Sql {
  return sql`(select j.${quoted(through.from)} from ${quoted(through.table)} j where j.${quoted(through.to)} ${to})`
}

/** What is asked of the last record of a way, by its alias and its table. */
type Ends = (near: string, table: string) => Sql

/** The condition that no live record breaks the rule whose way leads from it to a record that meets `ends`. */
function keptSql(
  catalog: Catalog,
  { resource, rule, table, way }: Pick<ForeignRule, 'resource' | 'rule' | 'table' | 'way'>,
  judged: Judged,
  ends: Ends,
): Sql {
  const { live } = catalog.resources.get(resource)!
  const conditions = [
    waySql(catalog, way, { near: 'r', table }, judged, ends),
    ...[live, rule.when].flatMap((filter) => (filter === undefined ? [] : [holdsSql(catalog, filter, 'r', judged)])),
    sql`not ${holdsSql(catalog, rule.must, 'r', judged)}`,
  ]
  return sql`not exists (select 1 from ${tableSql(table, judged)} r where ${and(conditions)})`
}

/** The condition that the steps lead from the record of `near` to a record that meets `ends`. */
function waySql(
  catalog: Catalog,
  [step, ...rest]: readonly WayStep[],
  { near, table }: { readonly near: string; readonly table: string },
  judged: Judged,
  ends: Ends,
): Sql {
  if (step === undefined) return ends(near, table)
  const id = idSql(ownerOf(catalog, table)!, near)
  const far = `${near}x`
  const inner = { near: far, table: step.table }
  const rows = (column: string): Sql =>
    sql`(select ${far}.${quoted(column)} from ${tableSql(step.table, judged)} ${far} where ${waySql(catalog, rest, inner, judged, ends)})`
  const ids = ownerOf(catalog, step.table)!.key.column
  if (step.kind === 'link') return sql`${id} in ${pairedSql(step, sql`in ${rows(ids)}`)}`
  if (step.kind === 'from') return sql`${id} in ${rows(step.column)}`
  return sql`${near}.${quoted(step.column)} in ${rows(ids)}`
}

/** A rule that is judged when pairs were written: of the record itself, or of others that look at it. */
export type LinkedRule = Pick<LinkRule, 'resource' | 'rule' | 'table' | 'way'>

/** Compiles whether rules hold once pairs are written, one column for each. Slots `o<i>`: the records that the way of the rule i leads to. */
export function compileLinkCheck({ catalog }: SelectScope, rules: readonly LinkedRule[]): Compiled {
  const judged: Judged = { record: 'r', before: undefined }
  const columns = rules.map((rule, i) =>
    keptSql(catalog, rule, judged, (near, table) => {
      const owner = ownerOf(catalog, table)!
      return sql`${idSql(owner, near)} = any(${slot(`o${i}`)}::${idsType(owner)})`
    }),
  )
  return compiled(sql`select ${join(columns)}`)
}
