/** Rules about several records of a table, in the statement of one write: how many remain, and who waits for whom. */
import type { OverlapRule, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { and, join, parameter, quoted, type Sql, sql } from '../filter/sql.ts'
import { lockName } from '../plan/write-checks.ts'
import type { Check, WriteShape } from '../plan/write-shape.ts'
import { type After, holdsSql, tableSql } from './condition.ts'
import type { SelectScope } from './scope.ts'

type Counted = Extract<Check, { kind: 'count' }>

/** A rule about how many records there are, as a condition on the row `v`; right only under its lock. */
export function countSql(scope: SelectScope, { action, resource }: WriteShape, check: Counted, after: After): Sql {
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
export function turnSql(resource: Resource, { name, per }: OverlapRule): Sql {
  const group = per.map(({ column }) => sql` || ':' || coalesce(v.${quoted(column)}::text, '')`)
  const key = sql`${parameter({ kind: 'literal', value: lockName(resource, name) })}::text${join(group, '')}`
  return sql`(pg_advisory_xact_lock(hashtextextended(${key}, 0)) is not null)`
}
