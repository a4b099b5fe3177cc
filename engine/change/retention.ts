/** Retention of the log of changes ⇄: changes without history are removed when every listener has worked them. */
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { idSql, idType } from '../catalog/stored.ts'
import type { Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import type { Id } from '../id.ts'
import { LIMITS } from '../limits.ts'

export interface Keep {
  /** How long the log keeps changes that only listeners asked for. */
  readonly changeMs: number
  /** How long changes are kept that a listener set aside. */
  readonly failedMs: number
}

/**
 * Deletes changes that are older than they are kept, unless a listener has not worked them, or their
 * resource says `log_changes: true`. A listener that no plugin has any more does not count. Returns how many were deleted.
 */
export async function deleteOldChanges(
  runner: Runner,
  { listeners, resources }: Catalog,
  now: Date,
  { changeMs, failedMs }: Keep,
  signal?: AbortSignal,
): Promise<number> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString()
  const failed = { table: 'plinth_deferred_change', where: 'failed_at < $1::timestamptz', values: [before(failedMs)] }
  await deleteInBatches(runner, failed, signal)
  const kept = [...resources.values()].filter(({ keepsLog }) => keepsLog).map(({ owner }) => owner)
  const passing = await passingResources(runner, kept)
  if (passing.length === 0) return 0
  const where = `resource = any($1::text[]) and created_at < $2::timestamptz
    and not exists (select 1 from plinth_deferred_change d where d.change_id = plinth_change.id)
    and not exists (select 1 from unnest($3::text[], $4::jsonb[]) as h(name, words)
      join plinth_listener l on l.name = h.name
      where h.words ? (resource || ' ' || action) and not pg_visible_in_snapshot(plinth_change.xid, l.done))`
  const words = [...listeners.values()].map((one) => JSON.stringify(one))
  const values = [passing, before(changeMs), [...listeners.keys()], words]
  return deleteInBatches(runner, { table: 'plinth_change', where, values }, signal)
}

/**
 * Removes every value of these records from the log, as removing a record for good does: for anonymizing a record that
 * stays. `resource` owns their table. Actor, action and time stay.
 */
export async function forgetChanges(runner: Runner, resource: string, ids: readonly Id[]): Promise<void> {
  const text = `update plinth_change set changes = '[]', seen_by = null
    where resource = $1 and record_id = any($2) and (changes <> '[]' or seen_by is not null)`
  await runner.run({ text }, [resource, ids])
}

/** The same for records that are no longer in their table, in batches: for code that removes many by its own SQL. */
export async function forgetRemoved(
  runner: Runner,
  resource: Pick<Resource, 'key' | 'owner' | 'table'>,
  signal?: AbortSignal,
): Promise<void> {
  const { owner, table } = resource
  const batch: number = LIMITS.deleteBatch
  const id = idSql(resource, 't')
  const text = `update plinth_change set changes = '[]', seen_by = null where id = any(array(
    select c.id from plinth_change c where c.resource = $1 and (c.changes <> '[]' or c.seen_by is not null)
    and not exists (select 1 from "${table.replaceAll('"', '""')}" t where ${id} = c.record_id::${idType(resource)}) limit ${batch})) returning 1`
  for (let rows = batch; rows === batch; ) {
    signal?.throwIfAborted()
    rows = (await runner.run({ text }, [owner])).length
  }
}

/** The resources in the log that are not among those that are kept, by one step of its index for each. */
async function passingResources(runner: Runner, kept: readonly string[]): Promise<readonly string[]> {
  const text = `with recursive known as (select min(resource) as resource from plinth_change
    union all select (select min(c.resource) from plinth_change c where c.resource > k.resource) from known k
    where k.resource is not null)
    select resource from known where resource is not null and resource <> all($1::text[])`
  const rows = await runner.run({ text }, [kept])
  return rows.map(([resource]) => resource ?? '')
}
