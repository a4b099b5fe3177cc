/** Writes compiled to SQL: one statement checks what is referenced and unique, writes, and reads the answer back. */
import type { Assignment, Field, Resource } from '../catalog/catalog.ts'
import { tableFields } from '../catalog/stored.ts'
import { and, type Fragment, join, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type CompiledRecord, compiled } from './compiled.ts'
import { castType, conditionSql, holdsSql } from './condition.ts'
import { existenceSql, type SelectScope } from './scope.ts'
import { selectList } from './select.ts'
import { storedList } from './stored-record.ts'
import { type Check, type CheckSql, checksOf } from './write-check.ts'
import type { WriteShape } from './write-shape.ts'

/** A write. Its row starts with one column for each check, then the id (null when a check failed), then the record. */
export interface CompiledWrite extends CompiledRecord {
  readonly checks: readonly Check[]
}

/** The columns that a write gives values, by their name. */
type Columns = ReadonlyMap<string, Sql>

function writtenColumns(scope: SelectScope, { given, assigned }: Pick<WriteShape, 'given' | 'assigned'>): Columns {
  return new Map([
    ...given.map((field) => [field.column, sql`${slot(`f_${field.name}`)}::${castType(field)}`] as const),
    ...assigned.map((assignment) => [assignment.field.column, assignedSql(scope, assignment)] as const),
  ])
}

/** What an assignment writes: the database's clock, an operand, or the id of a selected record. */
function assignedSql(scope: SelectScope, assignment: Assignment): Sql {
  const { field } = assignment
  if ('selection' in assignment) {
    const { resource, where } = assignment.selection
    const target = scope.catalog.resources.get(resource)!
    const conditions = [conditionSql(scope.catalog, where, 's'), ...existenceSql(scope, target, 's')]
    return sql`(select s."id" from ${quoted(target.table)} s where ${and(conditions)} order by s."id" limit 1)`
  }
  const { operand } = assignment
  switch (operand.kind) {
    case 'now':
      return sql`now()::${castType(field)}`
    case 'today':
      return sql`(now() at time zone 'UTC')::date`
    case 'slot':
      return sql`${slot(`v${operand.index}`)}::${castType(field)}`
    case 'literal':
      if (field.type.wire === 'json' && operand.value !== null)
        return sql`${parameter({ kind: 'literal', value: JSON.stringify(operand.value) })}::jsonb`
  }
  return sql`${parameter(operand)}::${castType(field)}`
}

/** The row of a record to come, before the database gives its id and sequences. */
function insertedRow({ catalog }: SelectScope, resource: Resource, columns: Columns): Sql {
  return sql`select ${rowSql(catalog, resource, columns, (field) => `null::${castType(field)}`)}`
}

/** The stored row with what changes. */
function updatedRow({ catalog }: SelectScope, resource: Resource, columns: Columns, where: readonly Sql[]): Sql {
  const row = rowSql(catalog, resource, columns, (field) => `t.${quoted(field.column)}`)
  return sql`select ${row} from ${quoted(resource.table)} t where ${and(where)}`
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

/** One write before it is put together. */
interface Write {
  /** The row as it would be stored: `v`. */
  readonly row: Sql
  /** What must hold of it. */
  readonly checks: readonly CheckSql[]
  /** The statement that writes `v` where the conditions hold, and returns the row as it then is. */
  readonly statement: (conditions: readonly Sql[]) => Sql
}

/** Compiles creating a record. Slots: `f_<field>`. */
export function compileInsert(scope: SelectScope, resource: Resource, shape: WriteShape): CompiledWrite {
  const columns = writtenColumns(scope, shape)
  const table = quoted(resource.table)
  const names = join([...columns.keys()].map(quoted))
  return assemble(scope, resource, shape, {
    row: insertedRow(scope, resource, columns),
    checks: checksOf(scope, resource, shape, false),
    statement: (conditions) =>
      columns.size === 0
        ? sql`insert into ${table} default values returning *`
        : sql`insert into ${table} (${names}) select ${names} from v where ${and(conditions)} returning *`,
  })
}

/** Compiles changing a record. Slots: `id`, `f_<field>`, and for `answer` the `version` (the row's xmin as it was read). */
export function compileUpdate(scope: SelectScope, resource: Resource, shape: WriteShape): CompiledWrite {
  const columns = writtenColumns(scope, shape)
  const same = [sql`t."id" = ${slot('id')}::integer`]
  // A row that is locked can't have been changed by others, only by hooks of this very transaction.
  if (shape.returning === 'answer') same.push(sql`t.xmin::text = ${slot('version')}::text`)
  const sets = join([...columns.keys()].map((column) => `${quoted(column)} = v.${quoted(column)}`))
  return assemble(scope, resource, shape, {
    row: updatedRow(scope, resource, columns, same),
    checks: checksOf(scope, resource, shape, true),
    // The version is compared again by the update itself: after waiting for a lock it sees the newer row.
    statement: (conditions) =>
      sql`update ${quoted(resource.table)} t set ${sets} from v where ${and([...same, ...conditions])} returning t.*`,
  })
}

/** Row, checks, write and answer as one statement. */
function assemble(scope: SelectScope, resource: Resource, shape: WriteShape, write: Write): CompiledWrite {
  const checks = write.checks.map(({ check }) => check)
  const checked = checkedRow(write)
  if (shape.returning === 'checks')
    return { ...compiled(sql`${checked} select c.* from c`), checks, serialize: () => 'null' }
  const flags = checks.map((_, i) => `c.c${i}`)
  const before: readonly Fragment[] = [...flags, 't."id"']
  const list =
    shape.returning === 'answer'
      ? selectList(scope, resource, 't', 'single', before)
      : storedList(resource, 't', before)
  const written = write.statement(flags.length === 0 ? [] : [sql`(select ${and(flags)} from c)`])
  const text = sql`${checked}, w as (${written}) select ${join(list.columns)} from c left join w t on true ${list.joins}`
  return { ...compiled(text), checks, serialize: list.serialize }
}

/** The row to write as `v`, and as `c` one column for each check of it. */
function checkedRow({ row, checks }: Write): Sql {
  const conditions =
    checks.length === 0 ? sql`1 as one` : join(checks.map(({ condition }, i) => sql`${condition} as c${i}`))
  return sql`with v as materialized (${row}), c as materialized (select ${conditions} from v)`
}

/**
 * Compiles the row that a write would make of a shape, without writing it: whether its clause admits it, then the
 * record. Slots: `f_<field>`, and `id` where the record exists.
 */
export function compileDraft(
  scope: SelectScope,
  resource: Resource,
  shape: Pick<WriteShape, 'given' | 'assigned' | 'clause'>,
  exists: boolean,
): CompiledRecord {
  const columns = writtenColumns(scope, shape)
  const row = exists
    ? updatedRow(scope, resource, columns, [sql`t."id" = ${slot('id')}::integer`])
    : insertedRow(scope, resource, columns)
  const admitted = holdsSql(scope.catalog, shape.clause?.where, 'v')
  const stored = storedList(resource, 'v', [admitted])
  const text = sql`with v as materialized (${row}) select ${join(stored.columns)} from v`
  return { ...compiled(text), serialize: stored.serialize }
}

/** Compiles setting columns of one record by rule (soft delete, restore), or removing it; gives the stored record. Slot: `id`. */
export function compileRemoval(
  scope: SelectScope,
  resource: Resource,
  sets: readonly Assignment[] | undefined,
): CompiledRecord {
  const table = `${quoted(resource.table)} t`
  const list = sets?.map((assignment) => sql`${quoted(assignment.field.column)} = ${assignedSql(scope, assignment)}`)
  const write = list === undefined ? sql`delete from ${table}` : sql`update ${table} set ${join(list)}`
  const stored = storedList(resource, 't', [])
  const text = sql`${write} where t."id" = ${slot('id')}::integer returning ${join(stored.columns)}`
  return { ...compiled(text), serialize: stored.serialize }
}
