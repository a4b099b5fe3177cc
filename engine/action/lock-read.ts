/** ⇄ Locks the records from which a write reads what it changes in them, so that of many writers each sees what the one before it left. */
import type { Clause, Resource, Value } from '../catalog/catalog.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { type ChangedRecord, type ChangingWrite, changedReads, changedUnder } from '../query/changed-reads.ts'
import { compileLockEach, compileLockRead, compileLockUnder } from '../query/lock-read.ts'
import { actorClass, clauseKey } from '../query/policy.ts'
import type { RowLock } from '../query/stored-record.ts'
import type { WriteShape } from '../query/write-shape.ts'
import type { FieldValues } from '../record/decode.ts'
import { type Execution, runCompiled } from './execution.ts'
import { valueSlots } from './input.ts'

/** A write that is about to be judged, inside its transaction. */
interface Judging {
  readonly resource: Resource
  readonly by: ChangingWrite
  /** undefined: it is to come. */
  readonly id?: Id
  readonly values: Readonly<FieldValues>
  readonly clause?: Clause | undefined
  readonly shape: () => Pick<WriteShape, 'given' | 'assigned' | 'bulk'>
}

/** Takes the locks, table by table; none where nothing is read that the write changes. */
export async function lockRead(around: Execution, { resource, by, id, values, clause, shape }: Judging): Promise<void> {
  const changed = changedReads(around.catalog, resource, by)
  if (changed.length === 0) return
  const made = shape()
  const names = made.given.map(({ name }) => name)
  for (const [table, some] of inOrder(byTable(changed))) {
    const key = `lock read ${by} ${table} ${resource.name} ${clauseKey(clause)} ${names.join()} ${actorClass(around.actor)}`
    const compiled = around.statements.get(key, () => compileLockRead(around, resource, made, by, some))
    await runCompiled(around, compiled, { ...valueSlots(resource, values), id })
  }
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
  const each = around.statements.get(`lock each ${lock} ${resource.name}`, () => compileLockEach(resource, lock))
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
