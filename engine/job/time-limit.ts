/** The end that each run of a job has: one that comes no further for so long fails, and its place is given back. */
import type { Json } from '../json.ts'
import { unlessAborted } from '../outside.ts'
import type { Taken } from './job.ts'
import type { Run } from './worker-parts.ts'

export type RunJob = (job: Taken, run: Run) => Promise<Json | undefined>

/**
 * `run` within `limitMs` of the job, counted again from each progress that comes further. What takes longer is told to stop
 * by its signal, and rejects whether it does or not: an outside server or a library may have left it waiting for ever.
 */
export function withinTime(run: RunJob, limitMs: (job: Taken) => number): RunJob {
  return async (job, around) => {
    const ms = limitMs(job)
    const late = new AbortController()
    const giveUp = (): void => late.abort(new Error(`it came no further for ${ms / 1_000} s`))
    let timer = setTimeout(giveUp, ms).unref()
    let furthest = job.progress
    const progress = async (percent: number): Promise<void> => {
      if (percent > furthest) {
        furthest = percent
        clearTimeout(timer)
        timer = setTimeout(giveUp, ms).unref()
      }
      await around.progress(percent)
    }
    try {
      const signal = AbortSignal.any([around.signal, late.signal])
      return await unlessAborted(run(job, { ...around, signal, progress }), late.signal)
    } finally {
      clearTimeout(timer)
    }
  }
}
