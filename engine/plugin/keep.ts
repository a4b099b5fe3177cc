/** The keeper of records: what is older than its resource's `keep` is removed for good, in batches, by a job that comes back. */
import type { Catalog } from '../catalog/catalog.ts'
import { forgetRemoved } from '../change/keep.ts'
import type { Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import { quoted } from '../filter/sql.ts'
import type { JobContribution } from '../job/job.ts'

const job: JobContribution = {
  description: 'Removes records that are older than the time for which their resource keeps them.',
  every: '1 hour',
  run: async ({ catalog, database, log, now, signal }) => {
    const removed: Record<string, number> = {}
    let failed: unknown
    for (const resource of catalog.resources.values()) {
      const { keep, logged, name, table } = resource
      if (keep === undefined) continue
      const { field, span } = keep
      const before = olderThan(field.type.name)
      const where = `${quoted(field.column)} < ${before}`
      try {
        const rows = { table, where, values: [now().toISOString(), span] }
        removed[name] = await deleteInBatches(database.adhoc, rows, signal)
        if (logged && removed[name] > 0) await forgetRemoved(database.adhoc, resource, signal)
      } catch (error) {
        signal.throwIfAborted()
        // What stands in the way of one resource must not keep the others from being tidied.
        log.error({ resource: name, err: error }, 'records that are too old were not removed')
        failed = error
      }
    }
    if (failed !== undefined) throw failed
    return removed
  },
}

export const KEEP = { name: 'plinth.keep', job } as const

/**
 * Before which moment a record is too old, `$1` being the time of this process and `$2` the length of time. It has to be past
 * by the clock of the database as well: a machine whose clock runs ahead must not empty the tables.
 */
function olderThan(type: string): string {
  const moment = `(least($1::timestamptz, clock_timestamp()) - $2::interval)`
  return type === 'date' ? `(${moment} at time zone 'UTC')::date` : moment
}

/** How old the oldest is of what is kept for a time: by the name of the resource, or `plinth_job`. */
export interface Oldest {
  readonly of: string
  readonly seconds: number
}

/** The ages of everything in the database that is kept for a time, each read from the beginning of an index. */
export async function oldestKept(
  runner: Runner,
  { resources }: Pick<Catalog, 'resources'>,
): Promise<readonly Oldest[]> {
  const kept = [...resources.values()].flatMap(({ keep, name, table }) =>
    keep === undefined ? [] : [{ of: name, table, column: keep.field.column }],
  )
  const all = [
    { of: 'plinth_job', table: 'plinth_job', column: 'finished_at' },
    { of: 'plinth_idempotency', table: 'plinth_idempotency', column: 'created_at' },
    ...kept,
  ]
  const selects = all.map(
    ({ table, column }, at) =>
      `select $1::text[] as names, ${at + 1} as at, extract(epoch from clock_timestamp() - min(${quoted(column)})) as age from ${quoted(table)}`,
  )
  const text = `select names[at], age from (${selects.join(' union all ')}) o where age is not null order by at`
  const rows = await runner.run({ text }, [all.map(({ of }) => of)])
  return rows.map(([of, seconds]) => ({ of: of ?? '', seconds: Math.max(0, Math.round(Number(seconds))) }))
}
