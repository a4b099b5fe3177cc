/** ⇄ Locks the records from which a write reads what it changes in them, so that of many writers each sees what the one before it left. */
import type { Resource, Value } from '../catalog/catalog.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { type ChangedRecord, type ChangingWrite, changedReads, changedUnder } from '../query/changed-reads.ts'
import type { Compiled } from '../query/compiled.ts'
import { compileLockEach, compileLockRead, compileLockUnder } from '../query/lock-read.ts'
import type { SelectScope } from '../query/scope.ts'
import type { RowLock } from '../query/stored-record.ts'
import type { FieldValues } from '../record/decode.ts'
import { type Execution, runCompiled } from './execution.ts'
import { valueSlots } from './input.ts'

/**
 * Takes the locks of a write that is about to be judged, table by table; none where nothing is read that the write changes.
 * `id` is the record's; undefined: it is to come.
 */
export async function lockRead(
  around: Execution,
  plan: WritePlan,
  values: Readonly<FieldValues>,
  id?: Id,
): Promise<void> {
  const { resource } = plan
  for (const [table] of inOrder(byTable(changedReads(around.catalog, resource, changingOf(plan))))) {
    const compiled = around.statements.get(compileLockOf, around, plan, table)
    await runCompiled(around, compiled, { ...valueSlots(resource, values), id })
  }
}

function compileLockOf(scope: SelectScope, plan: WritePlan, table: string): Compiled {
  const by = changingOf(plan)
  return compileLockRead(scope, plan, by, byTable(changedReads(scope.catalog, plan.resource, by)).get(table)!)
}

function changingOf({ action, bulk }: WritePlan): ChangingWrite {
  if (action === 'delete') throw new Error('a delete locks nothing beforehand')
  return action === 'create' && bulk ? 'import' : action
}

/** Values of records that are there, read for a write of another or the same resource. */
interface Reading {
  readonly resource: Resource
  readonly ids: readonly Id[]
  readonly set: readonly { readonly value: Value }[]
  readonly written: Resource
  readonly by: ChangingWrite
}

/** Locks records before their values are read for a write, and the records from which these values come where it changes them. */
export async function lockUnder(around: Execution, { resource, ids, set, written, by }: Reading): Promise<void> {
  if (ids.length === 0 || set.every(({ value }) => value.kind === 'operand')) return
  // As strong as the update takes it: who refers to the record and waits for it would else hold what the update needs.
  const lock = written === resource && by === 'update' ? 'update' : 'no key update'
  await lockEach(around, resource, ids, lock)
  for (const [, some] of inOrder(byTable(changedUnder(around.catalog, resource, set, written, by))))
    await runCompiled(around, compileLockUnder(around, resource, some), { ids })
}

/** Locks records, lowest id first. */
export async function lockEach(
  around: Execution,
  resource: Resource,
  ids: readonly Json[],
  lock: RowLock = 'no key update',
): Promise<void> {
  const each = around.statements.get(compileLockEach, { catalog: around.catalog }, resource, lock)
  await runCompiled(around, each, { ids })
}

function inOrder<T>(tables: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...tables].sort(([one], [other]) => (one < other ? -1 : 1))
}

function byTable(changed: readonly ChangedRecord[]): ReadonlyMap<string, [ChangedRecord, ...ChangedRecord[]]> {
  const tables = new Map<string, [ChangedRecord, ...ChangedRecord[]]>()
  for (const one of changed) {
    const known = tables.get(one.target.table)
    if (known === undefined) tables.set(one.target.table, [one])
    else known.push(one)
  }
  return tables
}
