/** The work of a process outside requests ⇄: jobs, listeners and automations. */

import { startAutomations } from '../automation/worker.ts'
import { type ListenerWorker, startListeners } from '../change/worker.ts'
import type { Admission } from '../http/admission.ts'
import type { Metrics } from '../http/metrics.ts'
import { startJobs } from '../job/start.ts'
import { countJobs } from '../job/state.ts'
import type { Worker } from '../job/worker.ts'
import type { Foundation } from '../run/execution.ts'
import type { Store } from '../store/store.ts'
import type { Composition } from './compose.ts'
import { oldestKept } from './keep.ts'

/** The workers of a process that listens. */
export interface BackgroundWork {
  readonly listeners: ListenerWorker
  /** Takes no more jobs, and waits at most `ms` for those that run. */
  closeJobs(ms: number): Promise<void>
  /** Ends listeners and automations in the same way; until then they follow the last writes of jobs and requests. */
  closeOthers(ms: number): Promise<void>
}

/** The parts of the process that jobs use. */
interface Around {
  readonly admission: Pick<Admission, 'gap'>
  readonly metrics: Metrics
  readonly store: Pick<Store, 'subscribe'>
}

interface Jobs {
  readonly app: { readonly composition: Composition; readonly foundation: Foundation }
}

/** The application that is served when a piece of work begins. */
type Serving = Jobs & Parameters<typeof startListeners>[1] & Parameters<typeof startAutomations>[1]

/** Works until it is closed. */
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

/** Takes jobs until it is closed, each for the application that is served when it begins; also measures the queue. */
function beginJobs({ admission, metrics, store }: Around, serving: Jobs): Worker {
  const measure = async (): Promise<void> => {
    const { catalog, database } = serving.app.foundation
    const jobs = await countJobs(database.adhoc)
    metrics.measured(jobs, await oldestKept(database.adhoc, catalog))
  }
  const around = { store, random: Math.random, tidied: metrics.tidied, gap: admission.gap, measure }
  return startJobs(around, () => {
    const { composition, foundation } = serving.app
    const { actorOf, database } = foundation
    return { foundation, jobs: composition.jobs, actorOf: (id) => actorOf(id, database.adhoc) }
  })
}
