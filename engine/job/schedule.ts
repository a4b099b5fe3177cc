/** Scheduled jobs ⇄: each has one waiting row, which is its next run. */
import { randomUUID } from 'node:crypto'
import type { Runner } from '../database/database.ts'

/** A job with a schedule. */
export interface Scheduled {
  /** `<plugin>.<name>`. */
  readonly name: string
  readonly everyMs: number
  readonly attempts: number
}

/*
 * The waiting row is the whole memory of a schedule, so it survives restarts and belongs to no instance. It is added
 * only when no run of the job waits, is tried again or is under way: a run never meets the one before it. Instances that
 * add it at once meet in the index of the key, and a schedule that was made more frequent brings the waiting row forward.
 */
const SCHEDULE = `insert into plinth_job (id, name, payload, dedupe, due_at, attempts, actor_id, runs_as)
  select s.id, s.name, '{}', 'schedule', clock_timestamp() + s.every * interval '1 millisecond', s.attempts, null, 'system'
  from unnest($1::uuid[], $2::text[], $3::float8[], $4::int[]) as s(id, name, every, attempts)
  where not exists (select 1 from plinth_job j
    where j.name = s.name and j.finished_at is null and j.dedupe is distinct from 'schedule')
  on conflict (name, dedupe) where dedupe is not null
  do update set due_at = excluded.due_at where plinth_job.due_at > excluded.due_at`

/** Sees to it that each of these jobs has its next run waiting, for all instances together. */
export async function scheduleJobs(runner: Runner, jobs: readonly Scheduled[]): Promise<void> {
  if (jobs.length === 0) return
  const ids = jobs.map(() => randomUUID())
  const names = jobs.map(({ name }) => name)
  const pauses = jobs.map((job) => job.everyMs)
  const attempts = jobs.map((job) => job.attempts)
  await runner.run({ text: SCHEDULE, name: 'plinth job schedule' }, [ids, names, pauses, attempts])
}
