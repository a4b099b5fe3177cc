/** Writes compiled to SQL: one statement checks what is referenced and unique, writes, and reads the answer back. */

import type { Actor } from '../actor.ts'
import type { Assignment, Catalog, Clause, Field, Resource } from '../catalog/catalog.ts'
import { storedFields, tableFields } from '../catalog/stored.ts'
import { compileSerializer, type Serializer } from '../record/serializer.ts'
import { createBinder } from './binder.ts'
import { castType, conditionSql, quoted } from './condition.ts'
import { reach } from './policy.ts'
import { type Compiled, existenceSql, reachSql } from './read-statement.ts'
import type { SelectScope } from './scope.ts'
import { selectList } from './select.ts'
import { type Check, checksOf } from './write-check.ts'
import type { WriteShape } from './write-shape.ts'

/** A write: its row starts with one column per check, then the id (null when a check failed), then the record. */
export interface CompiledWrite extends Compiled {
  readonly checks: readonly Check[]
  /** The answer, or the stored record by field name, as `record` was asked for. */
  readonly serialize: Serializer
}

/** The columns of a stored record on an alias and the serializer of them by field name, secrets included. */
export function storedList(
  resource: Resource,
  alias: string,
  offset: number,
): { readonly columns: readonly string[]; readonly serialize: Serializer } {
  const fields = storedFields(resource)
  const entries = fields.map((field, i) => ({
    name: field.name,
    node: { kind: 'column' as const, index: offset + i, wire: field.type.wire },
  }))
  return {
    columns: fields.map((field) => `${alias}.${quoted(field.column)}`),
    serialize: compileSerializer({ kind: 'object', present: undefined, entries }),
  }
}

/** The SQL of what an assignment writes: the database's clock, an operand, or the id of a selected record. */
function assignedSql(scope: SelectScope, assignment: Assignment): string {
  const { field } = assignment
  if ('selection' in assignment) {
    const target = scope.catalog.resources.get(assignment.selection.resource)!
    const where = [
      conditionSql(scope.catalog, assignment.selection.where, 's', scope.binder),
      ...existenceSql(scope, target, 's'),
    ]
    return `(select s."id" from ${quoted(target.table)} s where ${where.join(' and ')} order by s."id" limit 1)`
  }
  const { operand } = assignment
  if (operand.kind === 'now') return `now()::${castType(field)}`
  if (operand.kind === 'today') return `(now() at time zone 'UTC')::date`
  if (operand.kind === 'literal' && field.type.wire === 'json' && operand.value !== null) {
    return `${scope.binder.bind({ kind: 'literal', value: JSON.stringify(operand.value) })}::jsonb`
  }
  return `${scope.binder.operand(operand)}::${castType(field)}`
}

function written(scope: SelectScope, shape: Pick<WriteShape, 'given' | 'assigned'>): ReadonlyMap<string, string> {
  const columns = new Map<string, string>()
  for (const field of shape.given)
    columns.set(field.column, `${scope.binder.slot(`f_${field.name}`)}::${castType(field)}`)
  for (const assignment of shape.assigned) columns.set(assignment.field.column, assignedSql(scope, assignment))
  return columns
}

/** Compiles creating a record. Slots: `f_<field>`. */
export function compileInsert(catalog: Catalog, resource: Resource, actor: Actor, shape: WriteShape): CompiledWrite {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const columns = written(scope, shape)
  const names = [...columns.keys()].map(quoted).join(', ')
  const insert = (guard: string): string =>
    names === ''
      ? `insert into ${quoted(resource.table)} default values returning *`
      : `insert into ${quoted(resource.table)} (${names}) select ${names} from v${guard} returning *`
  const row = insertedRow(catalog, resource, columns)
  return assemble(scope, resource, shape, row, checksOf(scope, resource, shape, false), insert)
}

type Columns = ReadonlyMap<string, string>

/** The row of a record to come, before the database gives its id and sequences. */
function insertedRow(catalog: Catalog, resource: Resource, columns: Columns): string {
  const row = tableFields(catalog, resource).map(
    (field) => `${columns.get(field.column) ?? `null::${castType(field)}`} as ${quoted(field.column)}`,
  )
  return `select ${row.join(', ')}`
}

/** The stored row with what changes. */
function updatedRow(catalog: Catalog, resource: Resource, columns: Columns, where: string): string {
  const row = tableFields(catalog, resource).map(
    (field) => `${columns.get(field.column) ?? `t.${quoted(field.column)}`} as ${quoted(field.column)}`,
  )
  return `select ${row.join(', ')} from ${quoted(resource.table)} t where ${where}`
}

/** Compiles changing a record. Slots: `id`, `f_<field>`, and for `answer` the `version` (the row's xmin as it was read). */
export function compileUpdate(catalog: Catalog, resource: Resource, actor: Actor, shape: WriteShape): CompiledWrite {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const columns = written(scope, shape)
  const named = `t."id" = ${scope.binder.slot('id')}::integer`
  // A row that is locked can't have been changed by others, only by hooks of this very transaction.
  const same =
    shape.returning === 'answer' ? `${named} and t.xmin::text = ${scope.binder.slot('version')}::text` : named
  const table = quoted(resource.table)
  const sets = [...columns.keys()].map((column) => `${quoted(column)} = v.${quoted(column)}`).join(', ')
  // The version is compared again by the update itself: after waiting for a lock it sees the newer row.
  const update = (guard: string): string =>
    `update ${table} t set ${sets} from v where ${same}${guard.replace(' where ', ' and ')} returning t.*`
  return assemble(
    scope,
    resource,
    shape,
    updatedRow(catalog, resource, columns, same),
    checksOf(scope, resource, shape, true),
    update,
  )
}

/** What a write would store: whether its clause admits it, then the record. */
export interface CompiledDraft extends Compiled {
  readonly serialize: Serializer
}

/** Compiles the row that a write would make of a shape, without writing it. Slots: `f_<field>`, and `id` where the record exists. */
export function compileDraft(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  shape: Pick<WriteShape, 'given' | 'assigned' | 'clause'>,
  exists: boolean,
): CompiledDraft {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const columns = written(scope, shape)
  const row = exists
    ? updatedRow(catalog, resource, columns, `t."id" = ${scope.binder.slot('id')}::integer`)
    : insertedRow(catalog, resource, columns)
  const where = shape.clause?.where
  const admitted = where === undefined ? 'true' : `(${conditionSql(catalog, where, 'v', scope.binder)}) is true`
  const stored = storedList(resource, 'v', 1)
  const text = `with v as materialized (${row}) select ${[admitted, ...stored.columns].join(', ')} from v`
  return { statement: { text }, sources: scope.binder.sources, serialize: stored.serialize }
}

function assemble(
  scope: SelectScope,
  resource: Resource,
  shape: WriteShape,
  row: string,
  tested: readonly (readonly [Check, string])[],
  write: (guard: string) => string,
): CompiledWrite {
  const flags = tested.map((_, i) => `c.c${i}`)
  const before = [...flags, 't."id"']
  const stored = storedList(resource, 't', before.length)
  if (shape.returning === 'checks') return assembleChecks(scope, row, tested)
  const list =
    shape.returning === 'answer'
      ? selectList(scope, resource, 't', 'single', before)
      : { ...stored, columns: [...before, ...stored.columns], joins: [] }
  const guard = tested.length === 0 ? '' : ` where (select ${flags.join(' and ')} from c)`
  const text = `${checkedRow(row, tested)}, w as (${write(guard)})`
  const select = `select ${list.columns.join(', ')} from c left join w t on true ${list.joins.join(' ')}`
  return {
    statement: { text: `${text} ${select}` },
    sources: scope.binder.sources,
    checks: tested.map(([check]) => check),
    serialize: list.serialize,
  }
}

function checkedRow(row: string, tested: readonly (readonly [Check, string])[]): string {
  const conditions = tested.length === 0 ? '1 as one' : tested.map(([, sql], i) => `${sql} as c${i}`).join(', ')
  return `with v as materialized (${row}), c as materialized (select ${conditions} from v)`
}

/** The checks alone, for a write that is refused anyway and should be told all that is wrong with it. */
function assembleChecks(scope: SelectScope, row: string, tested: readonly (readonly [Check, string])[]): CompiledWrite {
  return {
    statement: { text: `${checkedRow(row, tested)} select c.* from c` },
    sources: scope.binder.sources,
    checks: tested.map(([check]) => check),
    serialize: () => 'null',
  }
}

/** The stored record before a write, with its version, whether it is live, and which clauses reach it. */
export interface CompiledCurrent extends Compiled {
  readonly serialize: Serializer
}

/** Compiles reading what a write starts from: columns version, live, seen, one per clause, then the stored record. Slot: `lookup`. */
export function compileCurrent(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  clauses: readonly Clause[],
  lookup: Field,
  lock: boolean,
): CompiledCurrent {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const live =
    resource.live === undefined ? 'true' : `(${conditionSql(catalog, resource.live, 't', scope.binder)}) is true`
  const reached = clauses.map((clause) =>
    clause.where === undefined ? 'true' : `(${conditionSql(catalog, clause.where, 't', scope.binder)}) is true`,
  )
  // Asked only where it decides what the refused are told.
  const seen = resource.conceal ? reachSql(scope, reach(resource.policies.view, actor), 't') : 'true'
  const stored = storedList(resource, 't', 3 + reached.length)
  const where = [
    `t.${quoted(lookup.column)} = ${scope.binder.slot('lookup')}::${castType(lookup)}`,
    ...existenceSql(scope, resource, 't', true),
  ]
  const columns = ['t.xmin::text', live, seen, ...reached, ...stored.columns].join(', ')
  // Among dead records of the same lookup value the live one comes first: unique means unique among live records.
  const text = `select ${columns} from ${quoted(resource.table)} t where ${where.join(' and ')} order by 2 desc, t."id" desc limit 1${lock ? ' for update of t' : ''}`
  return { statement: { text }, sources: scope.binder.sources, serialize: stored.serialize }
}

/** A removal, with the serializer of the stored record that its row is. */
export interface CompiledRemoval extends Compiled {
  readonly serialize: Serializer
}

/** Compiles setting columns of one record by rule (soft delete, restore), or removing it. Slot: `id`. */
export function compileRemoval(
  catalog: Catalog,
  resource: Resource,
  actor: Actor,
  sets: readonly Assignment[] | undefined,
): CompiledRemoval {
  const scope: SelectScope = { catalog, actor, binder: createBinder() }
  const stored = storedList(resource, 't', 0)
  const list = sets?.map((assignment) => `${quoted(assignment.field.column)} = ${assignedSql(scope, assignment)}`)
  const table = `${quoted(resource.table)} t`
  const write = list === undefined ? `delete from ${table}` : `update ${table} set ${list.join(', ')}`
  const text = `${write} where t."id" = ${scope.binder.slot('id')}::integer returning ${stored.columns.join(', ')}`
  return { statement: { text }, sources: scope.binder.sources, serialize: stored.serialize }
}
