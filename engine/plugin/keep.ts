/**
 * The job that keeps tables small: it removes records that are older than the `keep` of their resource for good, in
 * batches.
 */

import type { Catalog, Resource } from '../catalog/catalog.ts'
import { idOf, idType } from '../catalog/stored.ts'
import { forgetRemoved } from '../change/retention.ts'
import type { Runner } from '../database/database.ts'
import { deleteInBatches, type Rows } from '../database/delete-in-batches.ts'
import { ApiError } from '../error.ts'
import { quoted } from '../filter/sql.ts'
import type { JobContext, JobContribution } from '../job/job.ts'
import { LIMITS } from '../limits.ts'
import { isFollowed } from '../write/consequences.ts'

const job: JobContribution = {
  description: 'Removes records that are older than the time for which their resource keeps them.',
  every: '1 hour',
  run: async (context) => {
    const { catalog, database, log, now, signal } = context
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
        removed[name] = isFollowed(catalog, resource)
          ? await removeEach(context, resource, rows)
          : await deleteInBatches(database.adhoc, rows, signal)
        if (logged && removed[name] > 0) await forgetRemoved(database.adhoc, resource, signal)
      } catch (error) {
        signal.throwIfAborted()
        // A failure of one resource must not stop the others.
        log.error({ resource: name, err: error }, 'records that are too old were not removed')
        failed = error
      }
    }
    if (failed !== undefined) throw failed
    return removed
  },
}

/**
 * Removes records one by one, because their removal may write others; returns the number. A record stays if a rule
 * refuses its removal.
 */
async function removeEach(
  { database, log, signal, transaction }: JobContext,
  resource: Resource,
  { table, where, values }: Rows,
): Promise<number> {
  const [key, type] = [quoted(resource.key.column), idType(resource)]
  const old = (and: string) => `from ${quoted(table)} where ${where}${and}`
  let removed = 0
  for (let last: string | undefined; ; ) {
    const text = `select ${key}::text ${old(last === undefined ? '' : ` and ${key} > $3::${type}`)} order by ${key} limit ${LIMITS.deleteBatch}`
    const rows = await database.adhoc.run({ text }, last === undefined ? values : [...values, last])
    for (const [id = null] of rows) {
      signal.throwIfAborted()
      const own = [...values, id]
      const gone = transaction(async (inside) => {
        const held = { text: `select 1 ${old(` and ${key} = $3::${type}`)} for update` }
        if ((await inside.transaction.run(held, own)).length === 0) return 0
        await inside.letGo(resource.name, [idOf(resource, id)])
        return (await inside.transaction.run({ text: `delete ${old(` and ${key} = $3::${type}`)} returning 1` }, own))
          .length
      })
      removed += await gone.catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
        log.warn({ resource: resource.name, id, reason: error.message }, 'a record that is too old is held by a rule')
        return 0
      })
    }
    if (rows.length < LIMITS.deleteBatch) return removed
    last = rows.at(-1)?.[0] ?? undefined
  }
}

export const KEEP = { name: 'plinth.keep', job } as const

/**
 * The moment before which a record is too old: `$1` is the time of this process and `$2` the length of time. The clock
 * of the database must agree, so that a machine whose clock runs ahead does not empty the tables.
 */
function olderThan(type: string): string {
  const moment = `(least($1::timestamptz, clock_timestamp()) - $2::interval)`
  return type === 'date' ? `(${moment} at time zone 'UTC')::date` : moment
}

/** The age of the oldest record that is kept for a limited time, by the name of the resource, or `plinth_job`. */
export interface Oldest {
  readonly of: string
  readonly seconds: number
}

/** The ages of everything that is kept for a limited time, each read from the beginning of an index. */
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
