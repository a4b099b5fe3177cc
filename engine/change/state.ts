/** The state of listeners ⇄: how far behind each is, and its failed changes; for operators and for metrics. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'

export interface ListenerState {
  /** `<plugin>.<name>`. */
  readonly name: string
  /** Changes that it has not worked yet, counted to 10,000; those that were put off are not among them. */
  readonly waiting: number
  /** Seconds since the oldest of them was written; 0 when there is none. */
  readonly lag: number
  /** Changes that are tried again, or wait for one. */
  readonly deferred: number
  /** Changes that were set aside. */
  readonly failed: number
}

/** A change that a listener could not work. */
export interface FailedChange {
  readonly listener: string
  readonly changeId: string
  readonly resource: string
  /** The id as text. */
  readonly recordId: string
  readonly attempts: number
  readonly error: string
  /** As PostgreSQL writes it, UTC. */
  readonly failedAt: string
}

const STATE = `select h.name, c.waiting, greatest(0, coalesce(extract(epoch from $3::timestamptz - c.oldest), 0)), d.deferred, d.failed
  from unnest($1::text[], $2::jsonb[]) as h(name, words)
  left join plinth_listener l on l.name = h.name
  left join lateral (select count(*) as waiting, min(w.created_at) as oldest from (
    select c.created_at from plinth_change c where c.xid >= pg_snapshot_xmin(l.done)
      and not pg_visible_in_snapshot(c.xid, l.done) and h.words ? (c.resource || ' ' || c.action)
      and not (c.id <= l.last_id and l.upto is not null and pg_visible_in_snapshot(c.xid, l.upto)) limit 10000) w) c on true
  left join lateral (select count(*) filter (where failed_at is null) as deferred,
    count(*) filter (where failed_at is not null) as failed
    from plinth_deferred_change d where d.listener = h.name) d on true order by h.name`

/** The state of each listener of an application at a moment. */
export async function listenerStates(
  runner: Runner,
  { listeners }: Catalog,
  now: Date,
): Promise<readonly ListenerState[]> {
  if (listeners.size === 0) return []
  const words = [...listeners.values()].map((one) => JSON.stringify(one))
  const rows = await runner.run({ text: STATE }, [[...listeners.keys()], words, now.toISOString()])
  return rows.map(([name, waiting, lag, deferred, failed]) => ({
    name: name ?? '',
    waiting: Number(waiting),
    lag: Number(lag),
    deferred: Number(deferred),
    failed: Number(failed),
  }))
}

const FAILED = `select listener, change_id, resource, record_id, attempt, error, failed_at from plinth_deferred_change
  where failed_at is not null order by failed_at desc limit $1::int`

const AGAIN = `update plinth_deferred_change set failed_at = null, attempt = 0, due_at = clock_timestamp()
  where failed_at is not null and ($1::text = 'all' or change_id::text = $1::text) returning 1`

/** At most `most` changes that were set aside, the latest first. */
export async function failedChanges(runner: Runner, most: number): Promise<readonly FailedChange[]> {
  const rows = await runner.run({ text: FAILED }, [most])
  return rows.map(([listener, changeId, resource, recordId, attempts, error, failedAt]) => ({
    listener: listener ?? '',
    changeId: changeId ?? '',
    resource: resource ?? '',
    recordId: recordId ?? '',
    attempts: Number(attempts),
    error: error ?? '',
    failedAt: failedAt ?? '',
  }))
}

/** Restarts a change that was set aside, by its id, or `all` of them; returns how many there are. */
export async function retryChanges(runner: Runner, which: string): Promise<number> {
  return (await runner.run({ text: AGAIN }, [which])).length
}
