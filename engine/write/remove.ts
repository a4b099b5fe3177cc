/** ⇄ Deleting and restoring: by setting columns where the resource says so, else by removing the row. */
import { SYSTEM } from '../actor.ts'
import { type Lookup, notFound } from '../ask/lookup.ts'
import { requireClause } from '../ask/policy.ts'
import type { Clause, Resource } from '../catalog/catalog.ts'
import { withComputed } from '../catalog/stored.ts'
import type { Id } from '../id.ts'
import { memo } from '../memo.ts'
import { planRemoval } from '../plan/write-plan.ts'
import { type Execution, hooksOf, inTransaction } from '../run/execution.ts'
import { type Preconditions, readBack, requireVersion } from '../run/read-back.ts'
import { type StoredRecord, storedRecord } from '../run/stored-record.ts'
import { followRelated, leavingKeys, writeFollowers } from './consequences.ts'
import { type KnownValues, without } from './locks.ts'
import { type Change, write } from './write.ts'

/** Deletes a live record; throws ApiError record_not_found, forbidden, conflict (still in use), stale_version. */
export async function deleteRecord(
  around: Execution,
  resource: Resource,
  lookup: Lookup,
  preconditions: Preconditions = {},
): Promise<void> {
  const clauses = requireClause(resource.policies.delete, around.actor)
  await remove(around, { resource, action: 'delete', clauses, lookup, preconditions })
}

/** Brings a deleted record back and gives it as JSON text; a live one stays as it is. Throws conflict when a unique value was taken since. */
export async function restoreRecord(around: Execution, resource: Resource, lookup: Lookup): Promise<string> {
  const clauses = requireClause(resource.policies.restore, around.actor)
  return remove(around, { resource, action: 'restore', clauses, lookup, preconditions: {} })
}

/** The id of a deleted record that the actor may restore; throws as restoring does, and record_not_found for a live one. */
export async function restorableId(around: Execution, resource: Resource, lookup: Lookup): Promise<Id> {
  const clauses = requireClause(resource.policies.restore, around.actor)
  const stored = await storedRecord(around, resource, clauses, lookup, true)
  if (stored.live) throw notFound(resource)
  return stored.id
}

/** Removes a live record for good, also where its resource would only set columns. */
async function removeForGood(around: Execution, resource: Resource, lookup: Lookup): Promise<void> {
  await deleteRecord({ ...around, actor: SYSTEM }, forGood(resource), lookup)
}

/** Writes what goes with records that are then removed by SQL, as a delete of each would. */
export async function letGo(around: Execution, resource: Resource, ids: readonly Id[]): Promise<void> {
  await inTransaction(around, async (inner) => {
    for (const id of ids) await writeFollowers(inner, resource, id, removeForGood)
  })
}

/** The resource without a soft delete. */
const forGood = memo(
  (resource: Resource): Resource =>
    resource.deleteSets === undefined ? resource : { ...resource, deleteSets: undefined },
)

/** What is to be deleted or restored. */
interface Removal {
  readonly resource: Resource
  readonly action: 'delete' | 'restore'
  readonly clauses: readonly Clause[]
  readonly lookup: Lookup
  readonly preconditions: Preconditions
}

function remove(around: Execution, removal: Removal): Promise<string> {
  const { action, resource } = removal
  const plan = around.plans.get(planRemoval, { action, resource, leaving: new Set<string>(), answer: 'stored' })
  const hooks = hooksOf(around, resource, action)
  return write(around, {
    plan,
    hooks,
    groups: async (inner) => (hooks.length > 0 ? undefined : [await groupOf(inner, removal)]),
    read: (inner) => readRemoval(inner, removal),
  })
}

function read(inner: Execution, { action, clauses, lookup, resource }: Removal): Promise<StoredRecord> {
  return storedRecord(inner, resource, clauses, lookup, action === 'restore')
}

/** The values by which the record is in a group, but for those that change as it goes or comes back. */
async function groupOf(inner: Execution, removal: Removal): Promise<KnownValues> {
  const { action, resource } = removal
  const { record } = await read({ ...inner, transaction: undefined }, removal)
  const sets = (action === 'delete' ? resource.deleteSets : resource.restoreSets) ?? []
  const columns = withComputed(inner.catalog, resource, new Set(sets.map(({ field }) => field.column)))
  const decided = [...resource.fields.values()].filter(({ column }) => columns.has(column))
  return without(record, new Set(decided.map(({ name }) => name)))
}

/** Reads and locks the record; the text of its answer where it is live already. */
async function readRemoval(inner: Execution, removal: Removal): Promise<Change | string> {
  const { action, preconditions, resource } = removal
  const stored = await read(inner, removal)
  if (action === 'restore' && stored.live) return readBack(inner, resource, stored.id, stored.seen)
  await requireVersion(inner, resource, stored, preconditions)
  const leaving = leavingKeys(inner, resource, stored.record)
  return {
    stored,
    clauses: [],
    values: {},
    extra: {},
    links: new Map(),
    settle: () => ({}),
    plan: (_values, _clause, answer) => inner.plans.get(planRemoval, { action, resource, leaving, answer }),
    before: async (within) => {
      if (action === 'restore') return
      // Behind the delete there may be no record left that leads to others.
      await followRelated(within, resource, { by: action, after: stored.record })
      if (resource.deleteSets === undefined) await writeFollowers(within, resource, stored.id, removeForGood)
    },
  }
}
