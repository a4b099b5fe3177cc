/** Begins the jobs of a composition in this process ⇄, and shows how they stand. */
import type { Foundation } from '../action/execution.ts'
import type { Admission } from '../http/admission.ts'
import type { Metrics } from '../http/metrics.ts'
import { startJobs } from '../job/start.ts'
import { countJobs } from '../job/state.ts'
import type { Worker } from '../job/worker.ts'
import type { Store } from '../store/store.ts'
import type { Composition } from './compose.ts'
import { oldestKept } from './keep.ts'

/** The application as it is when a job begins. */
interface Serving {
  readonly app: { readonly composition: Composition; readonly foundation: Foundation }
}

/** What of the process the jobs are given. */
interface Around {
  readonly admission: Pick<Admission, 'gap'>
  readonly metrics: Metrics
  readonly store: Pick<Store, 'subscribe'>
}

/** Takes jobs until it is closed, each with whatever application is served when it begins. */
export function beginJobs({ admission, metrics, store }: Around, serving: Serving): Worker {
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
