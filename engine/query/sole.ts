/** The only record with a yes, as SQL: who loses it to the record that is written, and what a record that comes back leaves to another. */
import type { Field, Resource, SoleRule, WriteAction } from '../catalog/catalog.ts'
import { idType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { and, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { solesOf } from '../plan/write-checks.ts'
import { type Compiled, compiled } from './compiled.ts'
import { holdsSql } from './condition.ts'
import type { SelectScope } from './scope.ts'

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
