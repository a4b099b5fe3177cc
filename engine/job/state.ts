/** The state of jobs for those who ask ⇄: one job by its id, jobs that were given up, and counts by kind. */
import type { Runner } from '../database/database.ts'
import type { Json } from '../json.ts'

export interface JobState {
  readonly id: string
  /** `<plugin>.<name>`. */
  readonly name: string
  readonly status: 'pending' | 'running' | 'completed' | 'failed'
  /** 0 to 100. */
  readonly progress: number
  readonly result: Json
  /** For operators; null unless it failed or is tried again. */
  readonly error: string | null
  /** The part of `error` that the caller who enqueued it may read. */
  readonly reason: string | null
  /** The account that enqueued it; null for the system or an anonymous caller. */
  readonly actorId: number | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const TIME = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const STATE = `select id, name, status, progress, result, error, reason, actor_id,
  ${TIME('created_at')}, ${TIME('finished_at')} from plinth_job where id = $1::uuid`

const OPEN = `select id from plinth_job where id = any($1::uuid[]) and status <> 'completed'`

/** The ids among these whose job waits, runs, or was given up and may be tried again. */
export async function openJobs(runner: Runner, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await runner.run({ text: OPEN }, [ids.filter((id) => UUID.test(id))])
  return new Set(rows.map(([id]) => id ?? ''))
}

const DUE = `select distinct name from plinth_job
  where finished_at is null and (status = 'running' or due_at <= clock_timestamp()) order by name`

/** The names of the jobs that run, or could run by now. */
export async function dueJobs(runner: Runner): Promise<readonly string[]> {
  const rows = await runner.run({ text: DUE }, [])
  return rows.map(([name]) => name ?? '')
}

/** The job of an id; undefined when there is none, or it came to its end long ago. */
export async function jobState(runner: Runner, id: string): Promise<JobState | undefined> {
  if (!UUID.test(id)) return undefined
  const [row] = await runner.run({ text: STATE }, [id])
  if (row === undefined) return undefined
  const [own = '', name = '', status, progress, result, error = null, reason = null, actorId, created, finished] = row
  return {
    id: own ?? '',
    name: name ?? '',
    status: (status ?? 'pending') as JobState['status'],
    progress: Number(progress),
    result: JSON.parse(result ?? 'null') as Json,
    error,
    reason,
    actorId: actorId === null || actorId === undefined ? null : Number(actorId),
    createdAt: created ?? '',
    finishedAt: finished ?? null,
  }
}

export interface FailedJob {
  readonly id: string
  readonly name: string
  /** How often it was tried. */
  readonly attempts: number
  readonly error: string
  /** As PostgreSQL writes it, UTC. */
  readonly finishedAt: string
}

const FAILED = `select id, name, attempt, error, finished_at from plinth_job
  where status = 'failed' order by finished_at desc limit $1::int`

const AGAIN = `update plinth_job set status = 'pending', attempt = 0, progressed_attempt = 0, owner = null, error = null, reason = null,
  progress = 0, finished_at = null, due_at = clock_timestamp()
  where status = 'failed' and ($1::text = 'all' or id::text = $1::text) returning id`

/** At most `most` jobs that were given up, the latest first. */
export async function failedJobs(runner: Runner, most: number): Promise<readonly FailedJob[]> {
  const rows = await runner.run({ text: FAILED }, [most])
  return rows.map(([id, name, attempts, error, finishedAt]) => ({
    id: id ?? '',
    name: name ?? '',
    attempts: Number(attempts),
    error: error ?? '',
    finishedAt: finishedAt ?? '',
  }))
}

/** Restarts a job that was given up, by its id, or `all` of them; returns how many there are. */
export async function retryJobs(runner: Runner, which: string): Promise<number> {
  return (await runner.run({ text: AGAIN }, [which])).length
}

export interface QueueCount {
  /** `<plugin>.<name>`. */
  readonly job: string
  readonly status: 'pending' | 'running' | 'failed'
  readonly count: number
}

/* Both halves are read from an index, however many completed jobs are kept. */
const COUNT = `select name, status, count(*) from plinth_job where finished_at is null group by name, status
  union all select name, status, count(*) from plinth_job where status = 'failed' group by name, status`

export async function countJobs(runner: Runner): Promise<readonly QueueCount[]> {
  const rows = await runner.run({ text: COUNT }, [])
  return rows.map(([job, status, count]) => ({
    job: job ?? '',
    status: (status ?? 'pending') as QueueCount['status'],
    count: Number(count),
  }))
}
