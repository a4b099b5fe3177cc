/** What follows from a write in other records, as SQL over the record that was just stored: which it concerns, and the values that they get. */
import type { Actor } from '../actor.ts'
import { allows } from '../ask/policy.ts'
import type { RelatedFollow, Resource } from '../catalog/catalog.ts'
import { concerns, idSql, idType, keyOf, targetOf, type WrittenBy } from '../catalog/stored.ts'
import { compileSerializer } from '../field/wire.ts'
import { and, join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, type CompiledRecord, compiled, type SelectScope } from './compiled.ts'
import { existenceSql, holdsSql, type Judged, pathValueSql } from './condition.ts'
import { valueSql } from './written-values.ts'

const RECORD: Judged = { record: 't', before: undefined }

/** The entries that a write by this actor can concern; `columns` are those that an update may write. */
export function relatedFollowsOf(
  { relatedFollows }: Resource,
  by: WrittenBy | 'delete' | 'restore',
  actor: Actor,
  columns: ReadonlySet<string> = new Set(),
): readonly RelatedFollow[] {
  const isConcerned = (follow: RelatedFollow): boolean =>
    by === 'update' ? followsUpdate(follow, relatedFollows, columns) : concerns(follow, by, columns)
  return relatedFollows.filter((follow) => isConcerned(follow) && followsFrom(follow, actor))
}

/**
 * Whether an entry follows from an update that changed these columns. A figure of the records that lead to another one is
 * right for both: what follows from a creation follows where the record comes to, in place of what waits for other fields.
 */
function followsUpdate(follow: RelatedFollow, all: readonly RelatedFollow[], columns: ReadonlySet<string>): boolean {
  const { changed, on } = follow
  const { column } = keyOf(follow)
  if (!columns.has(column) || !isFigure(follow, all)) return concerns(follow, 'update', columns)
  const waits = changed !== undefined && !changed.some((field) => field.column === column)
  return on.has('create') || (concerns(follow, 'update', columns) && !waits)
}

/** Whether an entry keeps a figure: a field of the other record that follows from creations as well as from deletes. */
function isFigure({ set, way }: RelatedFollow, all: readonly RelatedFollow[]): boolean {
  const same = all.filter((one) => one.way === way)
  const sets = (by: 'create' | 'delete', column: string): boolean =>
    same.some((one) => one.on.has(by) && one.set.some(({ field }) => field.column === column))
  return set.some(({ field }) => sets('create', field.column) && sets('delete', field.column))
}

/** The entries that hold for the other record which a record leaves, because these columns change: as if it were deleted. */
export function leavingFollowsOf(
  { relatedFollows }: Resource,
  actor: Actor,
  columns: ReadonlySet<string>,
): readonly RelatedFollow[] {
  return relatedFollows.filter(
    (follow) =>
      follow.on.has('delete') &&
      columns.has(keyOf(follow).column) &&
      isFigure(follow, relatedFollows) &&
      followsFrom(follow, actor),
  )
}

/** Whether an entry follows from writes of this actor. The program itself is nobody whose writes an entry could name. */
export function followsFrom({ access }: RelatedFollow, actor: Actor): boolean {
  return access.length === 0 || (actor.kind !== 'system' && access.every((one) => allows(one, actor)))
}

/** Compiles which other records follow from the record of `id`: for each entry the id, or null where it does not concern it. */
export function compileConcerned(scope: SelectScope, resource: Resource, follows: readonly RelatedFollow[]): Compiled {
  return compiled(sql`select ${join(follows.map((follow) => concernedSql(scope, follow)))} ${storedSql(resource)}`)
}

/** Compiles what one entry makes of the other record: its id, null where none is concerned, and then the values, as JSON by their fields. */
export function compileFollowing(scope: SelectScope, resource: Resource, follow: RelatedFollow): CompiledRecord {
  const values = follow.set.map(({ field, value }) => valueSql(scope, field, value, RECORD))
  const entries = follow.set.map(({ field }, i) => ({
    name: field.name,
    node: { kind: 'column' as const, index: i + 1, wire: field.type.wire },
  }))
  const text = sql`select ${join([concernedSql(scope, follow), ...values])} ${storedSql(resource)}`
  return { ...compiled(text), serialize: compileSerializer({ kind: 'object', present: undefined, entries }) }
}

/** The lock under which the other record of `id` is judged again and written; others may still refer to it. */
export function lockOther(other: Resource): string {
  return `select 1 from ${quoted(other.table)} t where ${idSql(other, 't')} = $1::${idType(other)} for no key update of t`
}

function storedSql(resource: Resource): Sql {
  return sql`from ${quoted(resource.table)} t where ${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`
}

function concernedSql(scope: SelectScope, follow: RelatedFollow): Sql {
  const { catalog } = scope
  const { of, when } = follow
  const other = targetOf(catalog, follow)
  const found = and([sql`${idSql(other, 'o')} = ${pathValueSql(catalog, of, 't')}`, ...existenceSql(scope, other, 'o')])
  const id = sql`(select ${idSql(other, 'o')} from ${quoted(other.table)} o where ${found})`
  return when === undefined ? id : sql`case when ${holdsSql(catalog, when, 't', RECORD)} then ${id} end`
}
