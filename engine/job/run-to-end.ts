/** One run of a job and what becomes of it ⇄: completed, tried again later, or given up. */
import type { Taken } from './job.ts'
import { ownJob } from './queue.ts'
import type { WorkerParts } from './worker-parts.ts'

/** Runs a job and notes its end; never rejects. What somebody else has taken over by then is left to them. */
export async function runToEnd(
  parts: WorkerParts,
  owner: string,
  job: Taken,
  controller: AbortController,
): Promise<void> {
  const { log, runner } = parts
  const { signal } = controller
  const told = { job: job.name, id: job.id, attempt: job.attempt }
  const progress = async (percent: number): Promise<void> => {
    const whole = Math.max(0, Math.min(100, Math.floor(percent)))
    if (!(await ownJob.progress(runner, owner, job, whole))) controller.abort(new Error('the job was taken over'))
  }
  try {
    const result = await parts.run(job, { signal, progress })
    if (signal.aborted) return
    if (!(await ownJob.complete(runner, owner, job, result))) log.warn(told, 'job done twice: its lease had run out')
  } catch (error) {
    if (signal.aborted) return
    const last = job.attempt >= job.attempts
    if (last) log.error({ ...told, err: error }, 'job given up')
    else log.warn({ ...told, err: error }, 'job failed and will be tried again')
    const end = last
      ? ownJob.fail(runner, owner, job, error)
      : ownJob.retry(runner, owner, job, error, pauseMs(parts, job.attempt))
    // Where even that fails, the lease runs out and the job is tried again.
    await end.catch((failure: unknown) => log.warn({ ...told, err: failure }, 'the end of a job was not noted'))
  }
}

/** Doubled with each attempt, and spread, so that jobs that failed together do not come back together. */
function pauseMs({ limits, random }: WorkerParts, attempt: number): number {
  const pause = Math.min(limits.jobBackoffMs * 2 ** (attempt - 1), limits.jobBackoffMostMs)
  return pause * (0.5 + random() / 2)
}
