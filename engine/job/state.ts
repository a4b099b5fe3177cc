/** How a job stands, for those who ask for it by its id. */
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
  /** The part of `error` that whoever enqueued it may read. */
  readonly reason: string | null
  /** Who enqueued it; null: the system or nobody signed in. */
  readonly actorId: number | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const TIME = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const STATE = `select id, name, status, progress, result, error, reason, actor_id,
  ${TIME('created_at')}, ${TIME('finished_at')} from plinth_job where id = $1::uuid`

const OPEN = `select id from plinth_job where id = any($1::uuid[]) and status <> 'completed'`

/** Those of these ids whose job waits, runs, or was given up and may be tried again. */
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
