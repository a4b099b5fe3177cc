/** Begins all work outside requests in this process ⇄: jobs, listeners and automations. */
import { startAutomations } from '../automation/worker.ts'
import { type ListenerWorker, startListeners } from '../change/worker.ts'
import { beginJobs } from './begin-jobs.ts'

/** What works while a process listens. */
export interface BackgroundWork {
  readonly listeners: ListenerWorker
  /** Takes no more jobs, and waits at most `ms` for those that run. */
  closeJobs(ms: number): Promise<void>
  /** Ends what follows from writes and comes by itself in the same way; jobs and requests may still write before. */
  closeOthers(ms: number): Promise<void>
}

type Around = Parameters<typeof beginJobs>[0]
type Serving = Parameters<typeof beginJobs>[1] &
  Parameters<typeof startListeners>[1] &
  Parameters<typeof startAutomations>[1]

/** Works until it is closed, each piece with whatever application is served when it begins. */
export function beginWork(around: Around, serving: Serving): BackgroundWork {
  const jobs = beginJobs(around, serving)
  const listeners = startListeners(Math.random, serving)
  const automations = startAutomations(Math.random, serving)
  return {
    listeners,
    closeJobs: (ms) => jobs.close(ms),
    async closeOthers(ms) {
      await Promise.all([listeners.close(ms), automations.close(ms)])
    },
  }
}
