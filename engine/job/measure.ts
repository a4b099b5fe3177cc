/** What waits in the queue, runs, or was given up ⇄: counted by kind, for those who watch the application. */
import type { Runner } from '../database/database.ts'

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
