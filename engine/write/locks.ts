/** ⇄ Locks of a write: of rules about several records, and of records from which it reads what it changes in them. */
import type { Resource, Value } from '../catalog/catalog.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import type { Lock, WritePlan } from '../plan/write-shape.ts'
import type { FieldValues } from '../record/decode.ts'
import { type Execution, runCompiled } from '../run/execution.ts'
import {
  type ChangedRecord,
  type ChangingWrite,
  changedReads,
  changedUnder,
  compileLockEach,
  compileLockRead,
  compileLockUnder,
} from '../statement/changed-reads.ts'
import { type Compiled, type SelectScope, valueSlots } from '../statement/compiled.ts'
import type { RowLock } from '../statement/stored-record.ts'

/** Values of a record by field, as they are before or after a write; one that is absent is not known. */
export type KnownValues = Readonly<Record<string, Json>>

/** The values that are known although these fields get others. */
export function without(values: KnownValues, names: ReadonlySet<string>): KnownValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)))
}

/** The columns in which the record has no yes for sure, so that it takes none from another. */
export function withoutYes({ soles }: Resource, known: KnownValues): ReadonlySet<string> {
  const never = soles.filter(({ field }) => Object.hasOwn(known, field.name) && known[field.name] !== true)
  return new Set(never.map(({ field }) => field.column))
}

/** One lock to take: of a whole rule, of a rule by many at once, or of one group of it. */
interface Taking {
  readonly name: string
  readonly shared: boolean
  readonly group: readonly { readonly type: string; readonly value: string | null }[]
}

/**
 * A rule that counts each group by itself is locked for the groups of `records`, and for the others by nobody: who locks a
 * group shares the lock of the rule, which is taken alone where a group is not known.
 */
function takingsOf(locks: readonly Lock[], records: readonly KnownValues[] | undefined): readonly Taking[] {
  return locks.flatMap(({ name, per }): readonly Taking[] => {
    const known = records?.every((record) => per.every((field) => Object.hasOwn(record, field.name)))
    if (records === undefined || known !== true || per.length === 0) return [{ name, shared: false, group: [] }]
    const groups = records.map((record) =>
      per.map((field) => ({ type: field.sqlType, value: textOf(record[field.name]) })),
    )
    return [{ name, shared: true, group: [] }, ...groups.map((group) => ({ name, shared: false, group }))]
  })
}

function textOf(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Takes locks until the open transaction ends, in one order, before any row is locked or read. */
export async function takeLocks(
  { runner }: Pick<Execution, 'runner'>,
  locks: readonly Lock[],
  records?: readonly KnownValues[],
): Promise<void> {
  if (locks.length === 0) return
  const values: unknown[] = []
  const place = (value: unknown): string => `$${values.push(value)}`
  const rows = takingsOf(locks, records).map(({ name, shared, group }) => {
    // Cast, so that a value has one text however it was written.
    const parts = group.map(({ type, value }) => ` || ':' || coalesce(${place(value)}::${type}::text, '')`)
    return `(${place(name)}::text${parts.join('')}, ${place(shared)}::boolean)`
  })
  const lock = (how: string): string => `pg_advisory_xact_lock${how}(hashtextextended(s.n, 0)) is not null`
  await runner.run(
    {
      text: `select case when s.shared then ${lock('_shared')} else ${lock('')} end
        from (select n, shared from (values ${rows.join(', ')}) as l(n, shared) order by n collate "C", shared offset 0) s`,
    },
    values,
  )
}

/** Whether a record is not in the group any more whose lock was taken; `before` is what it was then, undefined: no group was known. */
export function hasMoved(locks: readonly Lock[], before: KnownValues | undefined, record: KnownValues): boolean {
  if (before === undefined) return false
  const names = locks.flatMap(({ per }) => per.map(({ name }) => name))
  return names.some((name) => textOf(before[name]) !== textOf(record[name]))
}

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
