/** Rules about several records of a table, in the statement of one write: how many remain, which is the only one, what is locked. */
import type { CountRule, Field, OverlapRule, RecordRule, Resource, SoleRule, WriteAction } from '../catalog/catalog.ts'
import { idSql, meets } from '../catalog/stored.ts'
import { and, join, parameter, quoted, type Sql, sql } from '../filter/sql.ts'
import { changeSql } from './change-log.ts'
import { holdsSql } from './condition.ts'
import { breaks } from './foreign-check.ts'
import type { SelectScope } from './scope.ts'

const NONE: ReadonlySet<string> = new Set()

/** A condition of such a rule on the row `v`. */
export interface TableRuleSql {
  readonly check:
    | { readonly kind: 'rule'; readonly rule: Pick<RecordRule, 'at' | 'says'> }
    /** Never fails: it waits for others that write the same group. */
    | { readonly kind: 'turn' }
  readonly condition: Sql
}

/** A write to be judged; `columns` are those that it writes, undefined: the row goes or comes back as a whole. */
export interface TableWrite {
  readonly resource: Resource
  readonly action: WriteAction
  readonly columns: ReadonlySet<string> | undefined
  /** The joining tables whose pairs are written with it. */
  readonly links?: ReadonlySet<string>
}

/** The checks of one write. What counts others is right only under the locks that `locksOf` names. */
export function tableChecks(scope: SelectScope, write: TableWrite): readonly TableRuleSql[] {
  const { resource, action } = write
  return [
    ...resource.counts
      .filter((rule) => concerns(rule, write))
      .flatMap((rule) => countSql(scope, resource, rule, action)),
    ...(action === 'delete'
      ? []
      : resource.overlaps.filter((rule) => touches(rule, write)).map((rule) => turnSql(resource, rule))),
  ]
}

/** The lock of a rule, taken by itself for each group of records that agree in the fields `per`. */
export interface Lock {
  readonly name: string
  readonly per: readonly Field[]
}

/** The locks that a write takes before its statement, so that it sees what others of the same rule have written. */
export function locksOf(write: TableWrite): readonly Lock[] {
  const { resource, action, links = NONE } = write
  const counts = resource.counts.filter((rule) => concerns(rule, write))
  const soles = action === 'delete' ? [] : resource.soles.filter((rule) => touches(rule, write))
  const own = resource.rules.filter(
    (rule) =>
      rule.always && rule.on.has(action) && (action !== 'update' || touches(rule, write) || meets(rule.links, links)),
  )
  const others = resource.foreignRules.filter((foreign) => breaks(foreign, action, write.columns))
  const linked = resource.linkRules.filter(({ through }) => links.has(through))
  const named = [...others, ...linked].map(({ rule, table }) => `plinth rule ${table}.${rule.name}`)
  return [
    ...[...counts, ...soles].map(({ name, per }) => ({ name: lockName(resource, name), per })),
    ...own.map(({ name }) => ({ name: lockName(resource, name), per: [] })),
    ...named.map((name) => ({ name, per: [] })),
  ]
}

function lockName({ table }: Resource, rule: string): string {
  return `plinth rule ${table}.${rule}`
}

function touches({ reads }: { readonly reads: ReadonlySet<string> }, { columns }: TableWrite): boolean {
  return columns === undefined || [...reads].some((column) => columns.has(column))
}

/** A record that comes may be one too many, one that goes one too few, one that changes both. */
function concerns(rule: CountRule, write: TableWrite): boolean {
  if (write.action === 'update') return touches(rule, write)
  return write.action === 'delete' ? rule.least !== undefined : rule.most !== undefined
}

function countSql(
  { catalog }: SelectScope,
  resource: Resource,
  rule: CountRule,
  action: WriteAction,
): readonly TableRuleSql[] {
  const { least, most, per, where } = rule
  const counted = (alias: string): Sql => and([resource.live, where].map((filter) => holdsSql(catalog, filter, alias)))
  const others = (group: string): Sql => {
    const equal = per.map(({ column }) => sql`o.${quoted(column)} is not distinct from ${group}.${quoted(column)}`)
    const conditions = [sql`${idSql(resource, 'o')} is distinct from ${idSql(resource, group)}`, ...equal, counted('o')]
    return sql`(select count(*) from ${quoted(resource.table)} o where ${and(conditions)})`
  }
  const table = quoted(resource.table)
  const now = action === 'delete' ? sql`false` : sql`(${counted('v')})`
  const same = per.map(({ column }) => sql`b.${quoted(column)} is not distinct from v.${quoted(column)}`)
  const check = { kind: 'rule', rule } as const
  const found: TableRuleSql[] = []
  if (least !== undefined && (action === 'update' || action === 'delete')) {
    // The group that is left is that of the stored row.
    const leaves = sql`exists (select 1 from ${table} b where ${idSql(resource, 'b')} = ${idSql(resource, 'v')} and ${counted('b')} and not (${and([now, ...same])}) and ${others('b')} < ${least})`
    found.push({ check, condition: sql`not ${leaves}` })
  }
  if (most !== undefined && action !== 'delete') {
    const stays =
      action === 'create'
        ? sql`false`
        : sql`exists (select 1 from ${table} b where ${idSql(resource, 'b')} = ${idSql(resource, 'v')} and ${and([counted('b'), ...same])})`
    found.push({ check, condition: sql`(not ${now} or ${stays} or ${others('v')} < ${most})` })
  }
  return found
}

/** Waits for whoever writes the same group: two that overlap would else wait for each other in the index. */
function turnSql(resource: Resource, { name, per }: OverlapRule): TableRuleSql {
  const group = per.map(({ column }) => sql` || ':' || coalesce(v.${quoted(column)}::text, '')`)
  const key = sql`${parameter({ kind: 'literal', value: lockName(resource, name) })}::text${join(group, '')}`
  return {
    check: { kind: 'turn' },
    condition: sql`(pg_advisory_xact_lock(hashtextextended(${key}, 0)) is not null)`,
  }
}

/**
 * Takes the yes of each only record from the others, once the write `w` has happened, and tells the log of them; the
 * definitions of a `with`.
 */
export function takeovers({ catalog }: SelectScope, write: TableWrite): readonly Sql[] {
  const { resource, action } = write
  if (action !== 'create' && action !== 'update') return []
  return resource.soles
    .filter((rule) => touches(rule, write))
    .flatMap((rule, i) => {
      const column = quoted(rule.field.column)
      const conditions = [
        sql`w.${column}`,
        sql`${idSql(resource, 'o')} <> ${idSql(resource, 'w')}`,
        sql`o.${column}`,
        ...sameGroup(rule, 'o', 'w'),
      ]
      const table = quoted(resource.table)
      const taken = sql`o${i} as (update ${table} o set ${column} = false from w where ${and(conditions)} returning o.*)`
      if (!resource.logged) return [taken]
      const from = sql`o${i} join ${table} b on ${idSql(resource, 'b')} = ${idSql(resource, `o${i}`)}`
      const given = new Set([rule.field])
      const logged = changeSql(catalog, resource, { action: 'update', before: 'b', after: `o${i}`, given, from })
      return [taken, sql`o${i}_logged as (${logged})`]
    })
}

/** A record that comes back leaves the yes with the live one that has it: the values of its fields then. */
export function yielded({ catalog }: SelectScope, resource: Resource): ReadonlyMap<string, Sql> {
  return new Map(
    resource.soles.map((rule) => {
      const column = quoted(rule.field.column)
      const conditions = [
        sql`${idSql(resource, 'o')} <> ${idSql(resource, 't')}`,
        sql`o.${column}`,
        holdsSql(catalog, resource.live, 'o'),
        ...sameGroup(rule, 'o', 't'),
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
