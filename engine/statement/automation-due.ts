/** The records for which an automation acts, as SQL: by their moment, by a schedule, and by the condition. */
import type { Automation, Catalog, Resource, Trigger } from '../catalog/catalog.ts'
import { idSql, idsType, idType } from '../catalog/stored.ts'
import { and, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { existenceSql, holdsSql } from './condition.ts'

type AtMoment = Extract<Trigger, { kind: 'moment' }>

/** A month is not always the same time; the exact moment is compared too. */
const MONTHS_DIFFER = '4 days'
const ZONES_DIFFER = '2 days'

function text(value: string, type: string): Sql {
  return sql`${parameter({ kind: 'literal', value })}::${type}`
}

/** Whether all parts of the condition hold for the record of an alias. */
function whenSql(catalog: Catalog, { when = [] }: Automation, alias: string): Sql {
  return and(when.map(({ filter }) => holdsSql(catalog, filter, alias)))
}

/** The moment at which an automation acts for the record of an alias; null where there is none. */
function momentSql({ at, shift, zone }: AtMoment, alias: string): Sql {
  const column = `${alias}.${quoted(at.column)}`
  const shifted = (moment: Sql): Sql => {
    if (shift === undefined) return moment
    return sql`(${moment} ${shift.direction === 'after' ? '+' : '-'} ${text(shift.by, 'interval')})`
  }
  if (at.type.wire !== 'date') return shifted(sql`${column}`)
  return sql`(${shifted(sql`${column}::timestamp`)} at time zone ${text(zone, 'text')})`
}

/** A moment as text, by which runs are told apart. */
function causeSql(trigger: AtMoment, alias: string): Sql {
  return sql`to_char(${momentSql(trigger, alias)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** What an index of the field finds: no record whose moment comes between `from` and `to` is left out. */
function boundsSql({ at, shift }: AtMoment): readonly Sql[] {
  const slack = [
    ...(at.type.wire === 'date' ? [ZONES_DIFFER] : []),
    ...(shift !== undefined && /month|year/.test(shift.by) ? [MONTHS_DIFFER] : []),
  ]
  const bound = (name: 'from' | 'to'): Sql => {
    const back =
      shift === undefined ? sql`` : sql` ${shift.direction === 'after' ? '-' : '+'} ${text(shift.by, 'interval')}`
    const wider = slack.map((by) => sql` ${name === 'from' ? '-' : '+'} ${text(by, 'interval')}`)
    const moment = wider.reduce((sum, one) => sql`${sum}${one}`, sql`${slot(name)}::timestamptz${back}`)
    return at.type.wire === 'date' ? sql`((${moment}) at time zone 'UTC')::date` : sql`(${moment})`
  }
  const column = `t.${quoted(at.column)}`
  return [sql`${column} >= ${bound('from')}`, sql`${column} <= ${bound('to')}`]
}

/** The conditions of the records for which an automation is to act and has not yet. Slots: `automation`; `from` and `to`, or `tick`, `from` and `last`. */
function dueSql(
  scope: SelectScope,
  resource: Resource,
  automation: Automation,
): { readonly where: Sql; readonly cause: Sql; readonly holds: Sql; readonly order: string } {
  const { trigger } = automation
  const id = idSql(resource, 't')
  const exists = existenceSql(scope, resource, 't')
  const undone = (cause: Sql): Sql =>
    // No anti-join: a plan that was made while there were few runs would read all of them for each record.
    sql`(select r.outcome from plinth_automation_run r where r.automation = ${slot('automation')}::text and r.record_id = ${id} and r.cause = ${cause}) is null`
  if (trigger.kind === 'moment') {
    const moment = momentSql(trigger, 't')
    const cause = causeSql(trigger, 't')
    const passed = sql`${moment} >= ${slot('from')}::timestamptz and ${moment} <= ${slot('to')}::timestamptz`
    const where = and([...boundsSql(trigger), passed, ...exists, undone(cause)])
    return { where, cause, holds: whenSql(scope.catalog, automation, 't'), order: `t.${quoted(trigger.at.column)}` }
  }
  const cause = sql`${slot('tick')}::text`
  const chosen = sql`${id} >= ${slot('from')}::${idType(resource)} and ${id} <= ${slot('last')}::${idType(resource)} and ${whenSql(scope.catalog, automation, 't')}`
  return { where: and([chosen, ...exists, undone(cause)]), cause, holds: sql`true`, order: id }
}

/**
 * Compiles taking at most so many records: locks them, and notes the run of each, `done` or where the condition does not
 * hold `unmet`. Another process that does the same takes other records. Its rows: id, cause, outcome. Slots: those of `dueSql`, and `most`.
 */
export function compileTake(scope: SelectScope, resource: Resource, automation: Automation): Compiled {
  const { where, cause, holds, order } = dueSql(scope, resource, automation)
  const due = sql`select ${idSql(resource, 't')}, ${cause} as cause, ${holds} as holds from ${quoted(resource.table)} t where ${where} order by ${order} limit ${slot('most')}::integer for update of t skip locked`
  return compiled(
    sql`with plinth_due as materialized (${due}) insert into plinth_automation_run (automation, record_id, cause, outcome) select ${slot('automation')}::text, ${idSql(resource, 'd')}, d.cause, case when d.holds then 'done' else 'unmet' end from plinth_due d on conflict do nothing returning record_id, cause, outcome`,
  )
}

/** Compiles whether there is any such record, others' open transactions left out of account. */
export function compileLeft(scope: SelectScope, resource: Resource, automation: Automation): Compiled {
  const { where } = dueSql(scope, resource, automation)
  return compiled(sql`select exists (select 1 from ${quoted(resource.table)} t where ${where})`)
}

/** Compiles which of the records with these ids exist, and their conditions hold. Slot: `ids`. */
export function compileHeld(
  scope: SelectScope,
  resource: Resource,
  automation: Automation,
  deleted: boolean,
): Compiled {
  const where = and([
    sql`${idSql(resource, 't')} = any(${slot('ids')}::${idsType(resource)})`,
    ...existenceSql(scope, resource, 't', deleted),
    whenSql(scope.catalog, automation, 't'),
  ])
  return compiled(sql`select ${idSql(resource, 't')} from ${quoted(resource.table)} t where ${where}`)
}

/** Compiles whether an automation still is to act for one record, locked. Slots: `id`, `cause`. */
export function compileStill(scope: SelectScope, resource: Resource, automation: Automation): Compiled {
  const { trigger } = automation
  const where = and([
    sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`,
    ...existenceSql(scope, resource, 't'),
    ...(trigger.kind === 'moment' ? [sql`${causeSql(trigger, 't')} = ${slot('cause')}::text`] : []),
    whenSql(scope.catalog, automation, 't'),
  ])
  return compiled(sql`select ${idSql(resource, 't')} from ${quoted(resource.table)} t where ${where} for update of t`)
}

/** Compiles one record as an automation sees it: whether it exists, its moment, and part by part its condition. Slot: `id`. */
export function compileStanding(
  scope: SelectScope,
  resource: Resource,
  { trigger, when = [] }: Automation,
  values: readonly Sql[],
): Compiled {
  const { catalog } = scope
  const exists = and(existenceSql(scope, resource, 't').map((one) => sql`(${one}) is true`))
  const moment = trigger.kind === 'moment' ? causeSql(trigger, 't') : sql`null::text`
  const parts = when.map(({ filter }) => holdsSql(catalog, filter, 't'))
  const columns = [exists, moment, ...parts, ...values].reduce((list, one) => sql`${list}, ${one}`)
  return compiled(
    sql`select ${columns} from ${quoted(resource.table)} t where ${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`,
  )
}
