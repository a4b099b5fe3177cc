/** Locks on records that a write reads and changes, as SQL over the row that it would make. */
import type { Resource } from '../catalog/catalog.ts'
import { idsType, idType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import type { ChangedRecord, ChangingWrite } from './changed-reads.ts'
import { type Compiled, compiled } from './compiled.ts'
import { pathValueSql } from './condition.ts'
import type { SelectScope } from './scope.ts'
import type { RowLock } from './stored-record.ts'
import { draftRow } from './write-statement.ts'

/**
 * Compiles locking the records of one table that a write changes: those that the row which it would make names, and those
 * that the stored one does. Others may still refer to them. Slots: `f_<field>`, and `id` where the record exists.
 */
export function compileLockRead(
  scope: SelectScope,
  plan: WriteShape,
  by: ChangingWrite,
  changed: readonly [ChangedRecord, ...ChangedRecord[]],
): Compiled {
  const [{ target }] = changed
  const { catalog } = scope
  const { resource } = plan
  const stored = sql`from ${quoted(resource.table)} b where ${idSql(resource, 'b')} = ${slot('id')}::${idType(resource)}`
  const ids = changed.flatMap(({ of }): readonly Sql[] => [
    sql`select ${pathValueSql(catalog, of, 'v')} from v`,
    ...(by === 'update' ? [sql`select ${pathValueSql(catalog, of, 'b')} ${stored}`] : []),
  ])
  return compiled(sql`with ${draftRow(scope, plan)} ${lockSql(target, join(ids, ' union all '))}`)
}

/** Compiles locking the records of one table that ways lead to from records that are there. Slot: `ids`. */
export function compileLockUnder(
  { catalog }: Pick<SelectScope, 'catalog'>,
  resource: Resource,
  changed: readonly [ChangedRecord, ...ChangedRecord[]],
): Compiled {
  const from = sql`from ${quoted(resource.table)} t where ${idSql(resource, 't')} = any(${slot('ids')}::${idsType(resource)})`
  const ids = changed.map(({ of }) => sql`select ${pathValueSql(catalog, of, 't')} ${from}`)
  return compiled(lockSql(changed[0].target, join(ids, ' union all ')))
}

/** Compiles locking records, lowest id first. Slot: `ids`. */
export function compileLockEach(_scope: Pick<SelectScope, 'catalog'>, resource: Resource, lock: RowLock): Compiled {
  const id = idSql(resource, 'o')
  return compiled(
    sql`select 1 from ${quoted(resource.table)} o where ${id} = any(${slot('ids')}::${idsType(resource)}) order by ${id} for ${lock} of o`,
  )
}

function lockSql(target: Resource, ids: Sql): Sql {
  const id = idSql(target, 'o')
  return sql`select 1 from ${quoted(target.table)} o where ${id} in (${ids}) order by ${id} for no key update of o`
}
