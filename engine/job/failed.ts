/** Jobs that were given up ⇄: what operators see of them, and the way to try one again. */
import type { Runner } from '../database/database.ts'

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

/** Lets a job that was given up, by its id or `all` of them, begin anew; gives how many there are. */
export async function retryJobs(runner: Runner, which: string): Promise<number> {
  return (await runner.run({ text: AGAIN }, [which])).length
}
