/** Writes compiled to SQL: one statement checks what is referenced and unique, writes, and reads the answer back. */

import { reach } from '../ask/policy.ts'
import type { Clause, Field, Resource } from '../catalog/catalog.ts'
import { computedFields, idSql, idType, tableFields } from '../catalog/stored.ts'
import { and, type Fragment, join, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { shapeOf } from '../plan/plan.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { changeSql, forgetSql, type LoggedWrite } from './change-log.ts'
import { type CompiledRecord, compiled, type KeptEmbed, type SelectScope } from './compiled.ts'
import { existenceSql, holdsSql, reachSql } from './condition.ts'
import { selectList } from './select.ts'
import { storedList } from './stored-record.ts'
import { type CheckSql, checksSql, type TestedCheck, yielded } from './write-check.ts'
import { assignedSql, computedRow, followedRow } from './written-values.ts'

/** A write. Its row starts with one column for each check, then the id (null when a check failed), then the record. */
export interface CompiledWrite extends CompiledRecord {
  readonly checks: readonly TestedCheck[]
  /** How many columns behind the record tell what the sentences about failed checks need, in the order of the checks. */
  readonly tells: number
  /** What the answer takes from the process; each must be ready before the statement runs. */
  readonly kept: readonly KeptEmbed[]
}

const NOTHING: ReadonlySet<Field> = new Set()

/** The columns that a write gives values, by their name. */
export type Columns = ReadonlyMap<string, Sql>

/** The columns that a write gives values, sent ones from the slots `f_<field>`. */
export function writtenColumns(
  scope: SelectScope,
  { given, assigned }: Pick<WriteShape, 'given' | 'assigned'>,
): Columns {
  return new Map([
    ...given.map((field) => [field.column, sql`${slot(`f_${field.name}`)}::${field.sqlType}`] as const),
    ...assigned.map((assignment) => [assignment.field.column, assignedSql(scope, assignment)] as const),
  ])
}

/** The row of a record to come, before the database gives its id and sequences. */
export function insertedRow({ catalog }: SelectScope, resource: Resource, columns: Columns): Sql {
  return sql`select ${rowSql(catalog, resource, columns, (field) => `null::${field.sqlType}`)}`
}

/** The stored row `t` with what changes; `source` is where it is read. */
function updatedRow({ catalog }: SelectScope, resource: Resource, columns: Columns, source: Sql): Sql {
  const row = rowSql(catalog, resource, columns, (field) => `t.${quoted(field.column)}`)
  return sql`select ${row} from ${source}`
}

function rowSql(
  catalog: SelectScope['catalog'],
  resource: Resource,
  columns: Columns,
  otherwise: (field: Field) => string,
): Sql {
  const fields = tableFields(catalog, resource)
  return join(fields.map((field) => sql`${columns.get(field.column) ?? otherwise(field)} as ${quoted(field.column)}`))
}

/** The row `v` of a write, with what follows from it, as definitions of a `with`; `source` is where the stored row `t` is read. */
function rowOf(scope: SelectScope, plan: WriteShape, given: Columns, source: Sql | undefined): Sql {
  const { resource } = plan
  const row = source === undefined ? insertedRow(scope, resource, given) : updatedRow(scope, resource, given, source)
  return followedRow(scope, plan, row)
}

/** The columns without those that the database computes itself. */
export function writable(
  { catalog }: SelectScope,
  resource: Resource,
  columns: ReadonlySet<string>,
): readonly string[] {
  const computed = new Set(computedFields(catalog, resource).map(({ column }) => column))
  return [...columns].filter((column) => !computed.has(column))
}

/** The row `v` that a delete or a restore would leave, as definitions of a `with`; what comes back gives up the yes that another has. */
function removedRow(
  scope: SelectScope,
  resource: Resource,
  action: 'delete' | 'restore',
  columns: Columns,
  source: Sql,
): Sql {
  const rowOf = (given: Columns, from: Sql): Sql =>
    computedRow(scope.catalog, resource, updatedRow(scope, resource, given, from), 'update', new Set(given.keys()))
  const further = action === 'restore' ? yielded(scope, resource) : new Map<string, Sql>()
  if (further.size === 0) return sql`plinth_v as materialized (${rowOf(columns, source)})`
  return sql`plinth_u as materialized (${rowOf(columns, source)}), plinth_v as materialized (${rowOf(further, sql`plinth_u t`)})`
}

/** One write before it is put together. */
interface Write {
  /** The row as it would be stored: `v`, the last of these definitions. */
  readonly definitions: Sql
  /** What must hold of it. */
  readonly checks: readonly CheckSql[]
  /** The statement that writes `v` where the conditions hold, and returns the row as it then is. */
  readonly statement: (conditions: readonly Sql[]) => Sql
  /** What the log of changes keeps of it, of the row `w`. */
  readonly logged: LoggedWrite
}

/**
 * Compiles a write, or with the answer `checks` looking for what is wrong with values that are not written. Slots:
 * `f_<field>`, and `id` where the record exists; of an update that answers the record also `version`, the row's xmin as
 * it was read, and where the statement `finds` the record itself `lookup` instead of both.
 */
export function compileWrite(scope: SelectScope, plan: WriteShape): CompiledWrite {
  if (plan.action === 'create') return insertion(scope, plan)
  return plan.action === 'update' ? update(scope, plan) : removal(scope, plan, plan.action)
}

function insertion(scope: SelectScope, plan: WriteShape): CompiledWrite {
  const { resource } = plan
  const given = writtenColumns(scope, plan)
  const { columns } = plan
  const table = quoted(resource.table)
  const names = join(writable(scope, resource, columns).map(quoted))
  return assemble(scope, plan, {
    definitions: rowOf(scope, plan, given, undefined),
    checks: checksSql(scope, plan),
    statement: (conditions) =>
      columns.size === 0
        ? sql`insert into ${table} default values returning *`
        : sql`insert into ${table} (${names}) select ${names} from plinth_v v where ${and(conditions)} returning *`,
    logged: { action: 'create', after: 'w', given: new Set(plan.given), from: sql`plinth_w w` },
  })
}

function update(scope: SelectScope, plan: WriteShape): CompiledWrite {
  const { resource } = plan
  const given = writtenColumns(scope, plan)
  const { definitions: before, source, also, same, former } = storedRow(scope, plan)
  const { columns } = plan
  const sets = join(writable(scope, resource, columns).map((column) => `${quoted(column)} = v.${quoted(column)}`))
  const checks = checksSql(scope, plan)
  const isBare = columns.size === given.size && checks.length === 0 && !resource.logged
  if (plan.finds !== undefined && isBare) return bareUpdate(scope, plan, given)
  return assemble(scope, plan, {
    definitions: join([...before, rowOf(scope, plan, given, source)]),
    checks,
    // The version is compared again by the update itself: after waiting for a lock it sees the newer row.
    statement: (conditions) =>
      sql`update ${quoted(resource.table)} t set ${sets} from plinth_v v${also} where ${and([...same, ...conditions])} returning t.*`,
    logged: {
      action: 'update',
      before: 'o',
      after: 'w',
      given: fieldsOf(resource, columns),
      always: plan.told,
      linked: plan.linked,
      from: former,
    },
  })
}

/** An update with no further conditions and no consequences: without the row `v` the database needs a quarter less. */
function bareUpdate(scope: SelectScope, plan: WriteShape, given: Columns): CompiledWrite {
  const { resource } = plan
  const sets = join([...given].map(([column, value]) => sql`${quoted(column)} = ${value}`))
  const where = and(findings(scope, plan))
  const list = selectList(scope, resource, 't', 'single', [idSql(resource, 't')])
  const written = sql`update ${quoted(resource.table)} t set ${sets} where ${where} returning t.*`
  const text = sql`with plinth_w as (${written}) select ${join(list.columns)} from plinth_w t ${list.joins}`
  return { ...compiled(text), checks: [], tells: 0, kept: list.kept, serialize: list.serialize }
}

function fieldsOf(resource: Resource, columns: ReadonlySet<string>): ReadonlySet<Field> {
  return new Set([...resource.fields.values()].filter(({ column }) => columns.has(column)))
}

/** The row of the log as a further part of a statement; nothing where nobody listens. What is gone leaves no values there. */
export function logSql({ catalog }: SelectScope, resource: Resource, write: LoggedWrite): Sql {
  if (!resource.logged) return sql``
  const row = sql`, plinth_l as (${changeSql(catalog, resource, write)})`
  return write.after === undefined ? sql`${row}, plinth_p as (${forgetSql(catalog, resource)})` : row
}

/** Row, checks, write and answer as one statement. */
function assemble(scope: SelectScope, { answer, resource }: WriteShape, write: Write): CompiledWrite {
  const checks = write.checks.map(({ check }) => check)
  const checked = checkedRow(write)
  if (answer === 'checks')
    return {
      ...compiled(sql`${checked} select c.* from plinth_c c`),
      checks,
      tells: 0,
      kept: [],
      serialize: () => 'null',
    }
  const flags = checks.map((_, i) => `c.c${i}`)
  const before: readonly Fragment[] = [...flags, idSql(resource, 't')]
  const list =
    answer === 'record'
      ? selectList({ ...scope, isNew: write.logged.action === 'create' }, resource, 't', 'single', before)
      : { ...storedList(resource, 't', before), kept: [] }
  const written = write.statement(flags.length === 0 ? [] : [sql`(select ${and(flags)} from plinth_c c)`])
  const tells = toldBy(write).map((_, i) => `c.m${i}`)
  const definitions = sql`${checked}, plinth_w as (${written})${logSql(scope, resource, write.logged)}`
  const text = sql`${definitions} select ${join([...list.columns, ...tells])} from plinth_c c left join plinth_w t on true ${list.joins}`
  return { ...compiled(text), checks, tells: tells.length, kept: list.kept, serialize: list.serialize }
}

function toldBy({ checks }: Write): readonly Sql[] {
  return checks.flatMap(({ tells = [] }) => tells)
}

/** The row to write as `v`, and as `c` one column for each check of it. */
function checkedRow(write: Write): Sql {
  const { definitions, checks } = write
  const flags = checks.map(({ condition }, i) => sql`${condition} as c${i}`)
  const told = toldBy(write).map((one, i) => sql`${one} as m${i}`)
  const conditions = checks.length === 0 ? sql`1 as one` : join([...flags, ...told])
  return sql`with ${definitions}, plinth_c as materialized (select ${conditions} from plinth_v v)`
}

/** The row `v` that a write would make, as definitions of a `with`. */
export function draftRow(scope: SelectScope, plan: WriteShape): Sql {
  const { action, resource } = plan
  const given = writtenColumns(scope, plan)
  const stored = sql`${quoted(resource.table)} t where ${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`
  if (action === 'delete' || action === 'restore') return removedRow(scope, resource, action, given, stored)
  return rowOf(scope, plan, given, action === 'create' ? undefined : stored)
}

/**
 * Compiles the row that a write would make of a shape, without writing it: whether its clause admits it, then the
 * record. Slots: `f_<field>`, and `id` where the record exists.
 */
export function compileDraft(scope: SelectScope, plan: WriteShape): CompiledRecord {
  const admitted = holdsSql(scope.catalog, plan.clause?.where, 'v')
  const stored = storedList(plan.resource, 'v', [admitted])
  const text = sql`with ${draftRow(scope, plan)} select ${join(stored.columns)} from plinth_v v`
  return { ...compiled(text), serialize: stored.serialize }
}

/**
 * Deleting or restoring a record: by setting columns where the resource says so (soft delete), else by removing the row.
 * Its row is that of a write, without an answer: the checks and the id where there are checks, then the stored record.
 */
function removal(scope: SelectScope, plan: WriteShape, action: 'delete' | 'restore'): CompiledWrite {
  const { resource } = plan
  const sets = action === 'delete' ? resource.deleteSets : resource.restoreSets
  const table = `${quoted(resource.table)} t`
  const yields = action === 'restore' ? resource.soles.map(({ field }) => field.column) : []
  const columns = writtenColumns(scope, plan)
  const list =
    yields.length === 0
      ? [...columns].map(([column, value]) => sql`${quoted(column)} = ${value}`)
      : [...new Set([...columns.keys(), ...yields])].map((column) => sql`${quoted(column)} = v.${quoted(column)}`)
  const written = sql`update ${table} set ${join(list)}${yields.length === 0 ? '' : ' from plinth_v v'}`
  const write = sets === undefined ? sql`delete from ${table}` : written
  const same = sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`
  const checks = checksSql(scope, plan)
  const logged: LoggedWrite =
    sets === undefined
      ? { action, before: 'w', given: NOTHING, from: sql`plinth_w w` }
      : { action, before: 'o', after: 'w', given: NOTHING, from: withFormer(resource) }
  if (checks.length + yields.length === 0) {
    const { columns, serialize } = storedList(resource, 't', [])
    const text = resource.logged
      ? sql`with plinth_w as (${write} where ${same} returning t.*)${logSql(scope, resource, logged)} select ${join(columns)} from plinth_w t`
      : sql`${write} where ${same} returning ${join(columns)}`
    return { ...compiled(text), checks: [], tells: 0, kept: [], serialize }
  }
  return assemble(scope, plan, {
    definitions: removedRow(scope, resource, action, columns, sql`${table} where ${same}`),
    checks,
    statement: (conditions) => sql`${write} where ${and([same, ...conditions])} returning t.*`,
    logged,
  })
}

/** Where an update reads the row that is stored, and how it sees that it still is. */
export interface StoredRow {
  /** Definitions of a `with` that come before the row to write. */
  readonly definitions: readonly Sql[]
  /** The row as `t`. */
  readonly source: Sql
  /** The source that the update reads in addition to the row `v`. */
  readonly also: string
  /** The conditions on `t` under which the update takes place. */
  readonly same: readonly Sql[]
  /** The written row `w` joined with its former row `o`. */
  readonly former: Sql
}

/** The stored row of an update, by the slots `id` and `version`, or `lookup`. */
export function storedRow(scope: SelectScope, plan: WriteShape): StoredRow {
  const { resource } = plan
  if (plan.finds !== undefined) {
    const table = quoted(resource.table)
    const found = sql`select t.xmin as ${FOUND_VERSION}, t.* from ${table} t where ${and(findings(scope, plan))}`
    const same = [sql`${idSql(resource, 't')} = ${idSql(resource, 's')}`, sql`t.xmin = s.${FOUND_VERSION}`]
    return {
      definitions: [sql`plinth_s as materialized (${found})`],
      source: sql`plinth_s t`,
      also: ', plinth_s s',
      same,
      former: sql`plinth_w w cross join plinth_s o`,
    }
  }
  const same = [sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`]
  // A row that is locked cannot have been changed by others, only by hooks of this very transaction.
  if (plan.answer === 'record') same.push(sql`t.xmin::text = ${slot('version')}::text`)
  const source = sql`${quoted(resource.table)} t where ${and(same)}`
  return { definitions: [], source, also: '', same, former: withFormer(resource) }
}

/** The written row `w` joined with its former row `o`: a statement sees its own tables as they were before it. */
export function withFormer(resource: Resource): Sql {
  return sql`plinth_w w join ${quoted(resource.table)} o on ${idSql(resource, 'o')} = ${idSql(resource, 'w')}`
}

/** The column of the row's xmin. */
const FOUND_VERSION = 'plinth_version'

/** The first and the last day or moment of answers. */
const ENDS: Readonly<Record<string, readonly [first: Sql, last: Sql]>> = {
  date: [sql`'0001-01-01'`, sql`'9999-12-31'`],
  timestamp: [sql`'0001-01-01T00:00:00.000000Z'`, sql`'9999-12-31T23:59:59.999999Z'`],
}

/** A stored value as answers have it, which callers send back: tables of others hold days and moments beyond those of answers. */
function answeredSql({ existing }: Resource, field: Field): Sql {
  const stored = sql`t.${quoted(field.column)}`
  const ends = existing ? ENDS[field.type.wire] : undefined
  if (ends === undefined) return stored
  const [first, last] = ends
  return sql`case when ${stored} < ${first} then ${first}::${field.sqlType} when ${stored} > ${last} then ${last}::${field.sqlType} else ${stored} end`
}

/**
 * What must hold of the row `t` that an update `finds`: it is what the lookup names, it is live, the clause reaches it,
 * its caller sees it, and what is sent changes it. Slots: `lookup`, `f_<field>`.
 */
export function findings(scope: SelectScope, { clause, finds, given, resource }: WriteShape): readonly Sql[] {
  const others = given.map(
    (field) => sql`${answeredSql(resource, field)} is distinct from ${slot(`f_${field.name}`)}::${field.sqlType}`,
  )
  return [
    ...(finds === undefined ? [] : [sql`t.${quoted(finds.column)} = ${slot('lookup')}::${finds.sqlType}`]),
    ...existenceSql(scope, resource, 't'),
    ...(clause?.where === undefined ? [] : [holdsSql(scope.catalog, clause.where, 't')]),
    ...seenSql(scope, resource, clause),
    sql`(${or(others)})`,
  ]
}

/** That the caller may view the row `t`; nothing where it may view all, or all that the clause reaches. */
function seenSql(scope: SelectScope, resource: Resource, clause: Clause | undefined): readonly Sql[] {
  const reached = reach(resource.policies.view, scope.actor)
  if (reached.kind === 'all' || clause === undefined) return []
  if (reached.kind === 'matching' && clause.where !== undefined) {
    const alternatives = reached.filter.kind === 'or' ? [reached.filter, ...reached.filter.of] : [reached.filter]
    const wanted = shapeOf(clause.where)
    if (alternatives.some((one) => shapeOf(one) === wanted)) return []
  }
  return [reachSql(scope, reached, 't')]
}
