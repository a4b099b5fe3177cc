/** The stored record that a write starts from: its columns, and the statement that reads it with what decides about the write. */

import { reach } from '../ask/policy.ts'
import type { Clause, Field, Resource } from '../catalog/catalog.ts'
import { idSql, storedFields } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import { compileSerializer, type Serializer } from '../field/wire.ts'
import { and, type Fragment, join, quoted, slot, sql } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { existenceSql, holdsSql, reachSql } from './condition.ts'

/** The columns of a stored record behind others, and the serializer of it by field name, secrets included. */
export function storedList(
  resource: Resource,
  alias: string,
  before: readonly Fragment[],
): { readonly columns: readonly Fragment[]; readonly joins: string; readonly serialize: Serializer } {
  const fields = storedFields(resource)
  const entries = fields.map((field, i) => ({
    name: field.name,
    node: { kind: 'column' as const, index: before.length + i, wire: field.type.wire },
  }))
  return {
    columns: [...before, ...fields.map((field) => `${alias}.${quoted(field.column)}`)],
    joins: '',
    serialize: compileSerializer({ kind: 'object', present: undefined, entries }),
  }
}

/** The stored record before a write. */
export interface StoredRecord {
  /** The row's xmin: another writer's change gives another one. */
  readonly version: string
  readonly live: boolean
  /** Whether the caller may view it, apart from whether it is live. */
  readonly seen: boolean
  /** Which of the clauses reach it, in their order. */
  readonly reached: readonly boolean[]
  readonly record: Readonly<Record<string, Json>>
}

export interface CompiledCurrent extends Compiled {
  readonly read: (row: Row) => StoredRecord
}

/** The lock on a row that is to be changed; with `no key update` others may still refer to it. */
export type RowLock = 'update' | 'no key update'

/** Compiles reading what a write starts from, locked where asked. Slot: `lookup`. */
export function compileCurrent(
  scope: SelectScope,
  resource: Resource,
  clauses: readonly Clause[],
  lookup: Field,
  lock: RowLock | undefined,
): CompiledCurrent {
  const { actor, catalog } = scope
  const live = holdsSql(catalog, resource.live, 't')
  const seen = reachSql(scope, reach(resource.policies.view, actor), 't')
  const reached = clauses.map((clause) => holdsSql(catalog, clause.where, 't'))
  const { columns, serialize } = storedList(resource, 't', ['t.xmin::text', live, seen, ...reached])
  const where = [
    sql`t.${quoted(lookup.column)} = ${slot('lookup')}::${lookup.sqlType}`,
    ...existenceSql(scope, resource, 't', true),
  ]
  // A lookup value is unique among live records only: the live one (column 2) comes before dead ones.
  const text = sql`select ${join(columns)} from ${quoted(resource.table)} t where ${and(where)} order by 2 desc, ${idSql(resource, 't')} desc limit 1${lock === undefined ? '' : ` for ${lock} of t`}`
  return {
    ...compiled(text),
    read: (row) => ({
      version: row[0]!,
      live: row[1] === 't',
      seen: row[2] === 't',
      reached: clauses.map((_, i) => row[3 + i] === 't'),
      record: JSON.parse(serialize(row)) as Record<string, Json>,
    }),
  }
}
