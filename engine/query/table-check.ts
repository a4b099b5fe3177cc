/** Rules about several records of a table, in the statement of one write: how many remain, which is the only one, what is locked. */
import type { CountRule, Field, OverlapRule, RecordRule, Resource, WriteAction } from '../catalog/catalog.ts'
import { idSql, meets } from '../catalog/stored.ts'
import { and, join, parameter, quoted, type Sql, sql } from '../filter/sql.ts'
import { holdsSql, tableSql } from './condition.ts'
import { breaks } from './foreign-check.ts'
import { afterOf } from './rule-check.ts'
import type { SelectScope } from './scope.ts'
import { solesOf } from './sole.ts'

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
  /** The columns in which it leaves no yes. */
  readonly never?: ReadonlySet<string>
  /** The keys of records that are removed for good: nobody has to remain in a group that goes with such a record. */
  readonly leaving?: ReadonlySet<string>
}

/** The checks of one write. What counts others is right only under the locks that `locksOf` names. */
export function tableChecks(scope: SelectScope, write: TableWrite): readonly TableRuleSql[] {
  const { resource, action } = write
  return [
    ...resource.counts.filter((rule) => concerns(rule, write)).flatMap((rule) => countSql(scope, write, rule)),
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
  const { resource, action, links = NONE, never = NONE } = write
  const counts = resource.counts.filter((rule) => concerns(rule, write))
  const soles = solesOf(resource, action, write.columns).filter(({ field }) => !never.has(field.column))
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

function countSql(scope: SelectScope, write: TableWrite, rule: CountRule): readonly TableRuleSql[] {
  const { catalog } = scope
  const { action, resource } = write
  const { least, most, per, where } = rule
  const counted = (alias: string): Sql => and([resource.live, where].map((filter) => holdsSql(catalog, filter, alias)))
  // Where nobody loses a yes, the table itself, so that its indexes are of use.
  const after = afterOf(scope, resource, action, write.columns)
  const counting = after.others.size === 0 ? sql`${quoted(resource.table)}` : tableSql(resource.table, { after })
  const others = (group: string): Sql => {
    const equal = per.map(({ column }) => sql`o.${quoted(column)} is not distinct from ${group}.${quoted(column)}`)
    const conditions = [sql`${idSql(resource, 'o')} is distinct from ${idSql(resource, group)}`, ...equal, counted('o')]
    return sql`(select count(*) from ${counting} o where ${and(conditions)})`
  }
  const table = quoted(resource.table)
  const now = action === 'delete' ? sql`false` : sql`(${counted('v')})`
  const same = per.map(({ column }) => sql`b.${quoted(column)} is not distinct from v.${quoted(column)}`)
  const check = { kind: 'rule', rule } as const
  const found: TableRuleSql[] = []
  const goes = per.some(({ column }) => write.leaving?.has(column))
  if (least !== undefined && !goes && (action === 'update' || action === 'delete')) {
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
