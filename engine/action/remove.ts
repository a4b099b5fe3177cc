/** ⇄ Deleting and restoring: by setting columns where the resource says so, else by removing the row. */
import { type Actor, SYSTEM } from '../actor.ts'
import type { Clause, Resource } from '../catalog/catalog.ts'
import { withComputed } from '../catalog/stored.ts'
import { violation } from '../database/failure.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { memo } from '../memo.ts'
import { locksOf } from '../plan/write-checks.ts'
import { planRemoval } from '../plan/write-plan.ts'
import { type Lookup, notFound } from '../query/lookup.ts'
import { requireClause } from '../query/policy.ts'
import { compileRemoval } from '../query/write-statement.ts'
import { followRelated, leavingKeys, writeFollowers } from './consequences.ts'
import { type Current, currentRecord } from './current.ts'
import { changeSlots, type Execution, hooksOf, inTransaction, noteChange, runCompiled } from './execution.ts'
import { drafts, runHooks, type Written } from './hooks.ts'
import { lockRead, underLocks, without } from './locks.ts'
import { type Preconditions, readBack, requireVersion } from './read-back.ts'
import { refuseBroken, refuseByRule, refuseOverlap } from './refusal.ts'
import { isUsable } from './usable.ts'

/** Deletes a live record; throws ApiError record_not_found, forbidden, conflict (still in use), stale_version. */
export async function deleteRecord(
  around: Execution,
  resource: Resource,
  lookup: Lookup,
  preconditions: Preconditions = {},
): Promise<void> {
  const clauses = requireClause(resource.policies.delete, around.actor)
  await underRules(around, { resource, action: 'delete', clauses, lookup }, async (inner, current) => {
    await requireVersion(inner, resource, current, preconditions)
    await runRemoval(inner, resource, 'delete', current)
  })
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
}

/** Reads and locks the record inside a transaction, under the locks of the rules that its removal or return concerns. */
function underRules<T>(
  around: Execution,
  { resource, action, clauses, lookup }: Removal,
  work: (inner: Execution, current: Current) => Promise<T>,
): Promise<T> {
  const sets = (action === 'delete' ? resource.deleteSets : resource.restoreSets) ?? []
  const read = (inner: Execution) => currentRecord(inner, resource, clauses, lookup, action === 'restore')
  return underLocks(around, {
    locks: locksOf(around.catalog, { resource, action, columns: undefined }),
    records: async (inner) => {
      if (hooksOf(around, resource, action).length > 0) return undefined
      const { record } = await read({ ...inner, transaction: undefined })
      const columns = withComputed(around.catalog, resource, new Set(sets.map(({ field }) => field.column)))
      const decided = [...resource.fields.values()].filter(({ column }) => columns.has(column))
      return [without(record, new Set(decided.map(({ name }) => name)))]
    },
    work: async (inner, check) => {
      const current = await read(inner)
      check(current.record)
      return work(inner, current)
    },
  })
}

/** Brings a deleted record back and gives it as JSON text; a live one stays as it is. Throws conflict when a unique value was taken since. */
export async function restoreRecord(around: Execution, resource: Resource, lookup: Lookup): Promise<string> {
  const clauses = requireClause(resource.policies.restore, around.actor)
  return underRules(around, { resource, action: 'restore', clauses, lookup }, async (inner, current) => {
    if (!current.live) await runRemoval(inner, resource, 'restore', current)
    return readBack(inner, resource, current.id, current.seen)
  })
}

/** The id of a deleted record that the actor may restore; throws as restoring does, and record_not_found for a live one. */
export async function restorableId(around: Execution, resource: Resource, lookup: Lookup): Promise<Id> {
  const clauses = requireClause(resource.policies.restore, around.actor)
  const current = await currentRecord(around, resource, clauses, lookup, true)
  if (current.live) throw notFound(resource)
  return current.id
}

async function runRemoval(
  around: Execution,
  resource: Resource,
  action: 'delete' | 'restore',
  current: Current,
): Promise<void> {
  const sets = action === 'delete' ? resource.deleteSets : resource.restoreSets
  const draft = drafts(
    around,
    {},
    {
      resource,
      id: current.id,
      clauses: [],
      values: () => ({}),
      plan: () => around.plans.get(planRemoval, { action, resource, leaving: new Set<string>(), answer: 'draft' }),
    },
  )
  const written: Written = { input: {}, extra: {}, record: current.record, result: undefined, draft }
  await runHooks(around, resource, action, hooksOf(around, resource, action), written, async () => {
    // Behind the delete there may be no record left that leads to others.
    if (action === 'delete') await followRelated(around, resource, { by: action, after: current.record })
    if (sets === undefined) await writeFollowers(around, resource, current.id, removeForGood)
    const leaving = leavingKeys(around, resource, current.record)
    const plan = around.plans.get(planRemoval, { action, resource, leaving, answer: 'stored' })
    if (action === 'restore') await lockRead(around, plan, {}, current.id)
    const compiled = around.statements.get(compileRemoval, around, plan)
    const [row] = await explained(around.actor, resource, action, () =>
      runCompiled(around, compiled, { ...changeSlots(around), id: current.id }),
    )
    if (row !== undefined) refuseBroken(compiled.checks, row)
    if (sets !== undefined && row !== undefined)
      written.result = JSON.parse(compiled.serialize(row)) as Record<string, Json>
    if (action === 'restore') await followRelated(around, resource, { by: action, after: current.record })
    await noteChange(around, resource)
  })
}

/** What was taken, by its name where the caller may use all of it. */
function takenSince(actor: Actor, resource: Resource, columns: readonly string[]): string {
  const fields = [...resource.fields.values()].filter(({ column }) => columns.includes(column))
  const isNamed = fields.every((field) => isUsable(actor, resource, field))
  return isNamed ? `its ${columns.join(', ').replaceAll('_', ' ')}` : 'a value of it'
}

/** A violation here comes from the state of other records and not from the input, so it is a 409 with a sentence. */
async function explained<T>(
  actor: Actor,
  resource: Resource,
  action: 'delete' | 'restore',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    refuseByRule(resource, error)
    const found = violation(error)
    if (found === undefined) throw error
    if (found.code === '23P01') refuseOverlap(resource, found.constraint, error, false)
    const label = resource.label.toLowerCase()
    const message =
      action === 'delete'
        ? `The ${label} is still in use and cannot be deleted`
        : `The ${label} cannot be restored: ${takenSince(actor, resource, found.columns)} has been taken since`
    throw new ApiError('conflict', { message, cause: error })
  }
}
