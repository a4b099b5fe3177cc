/** What is going on ⇄: the state of jobs, automations and listeners, and the plan of the present files. */
import {
  asJson,
  automationStates,
  countJobs,
  failedChanges,
  failedJobs,
  failedRuns,
  holds,
  type JsonObject,
  listenerStates,
  presentPlan,
  type RouteContext,
  sentenceOf,
} from '../../engine/index.ts'

/** So many failures of each kind are shown, the latest first. */
const SHOWN = 20

/** The state as JSON. What went wrong may hold values of records: it is for those who may see all jobs. */
export async function operations(context: RouteContext): Promise<JsonObject> {
  const { actor, catalog, database, now } = context
  const runner = database.adhoc
  const isTold = holds(actor, '*') || holds(actor, 'jobs.view')
  const failures = <T>(ask: (most: number) => Promise<readonly T[]>): Promise<readonly T[]> | null =>
    isTold ? ask(SHOWN) : null
  const [kinds, jobs, states, runs, listeners, changes] = await Promise.all([
    countJobs(runner),
    failures((most) => failedJobs(runner, most)),
    automationStates(runner, catalog),
    failures((most) => failedRuns(runner, most)),
    listenerStates(runner, catalog, now()),
    failures((most) => failedChanges(runner, most)),
  ])
  return asJson({
    jobs: { kinds, failed: jobs },
    automations: { states, failed: runs },
    listeners: { states: listeners, failed: changes },
    plan: await planned(context),
  })
}

/** The plan; a sentence where the files cannot be read, as where they are not on this machine. */
async function planned(context: RouteContext): Promise<JsonObject> {
  try {
    return await presentPlan(context)
  } catch (error) {
    return { says: sentenceOf(error) }
  }
}
