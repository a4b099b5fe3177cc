/** Runs the automations at moments and on schedules in this process ⇄: now and then it looks for work that is due. */

import { reasonOf } from '../change/round.ts'
import { stillServes } from '../database/failure.ts'
import type { Foundation } from '../run/execution.ts'
import type { Acting, Taken } from './action.ts'
import { failRun, namesDueAgain } from './runs.ts'
import { runRound } from './timed.ts'

/** Numbers of LIMITS, as the application narrowed them. */
interface Limits {
  readonly automationBatch: number
  readonly automationPollMs: number
  readonly listenerAttempts: number
  readonly listenerBackoffMs: number
  readonly listenerBackoffMostMs: number
}

/** Holds the application whose automations run; another one may take its place. */
interface Serving {
  readonly app: { readonly foundation: Foundation; readonly automations: readonly Acting[] }
}

export interface AutomationWorker {
  /** Begins nothing more, and waits at most `ms` for what is under way. */
  close(ms: number): Promise<void>
}

interface State {
  closed: boolean
  timer: NodeJS.Timeout | undefined
  looking: Promise<void>
}

/** Looks for what has come due until it is closed; `random` is from 0 to 1. */
export function startAutomations(random: () => number, serving: Serving): AutomationWorker {
  const state: State = { closed: false, timer: undefined, looking: Promise.resolve() }
  const later = (ms: number): void => {
    if (state.closed) return
    state.timer = setTimeout(() => {
      state.looking = look(random, serving, state).finally(() => later(limitsOf(serving).automationPollMs))
    }, ms).unref()
  }
  later(0)
  return {
    async close(ms) {
      state.closed = true
      clearTimeout(state.timer)
      let cut: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        cut = setTimeout(resolve, ms)
      })
      await Promise.race([state.looking, late])
      clearTimeout(cut)
    },
  }
}

function limitsOf({ app }: Serving): Limits {
  return app.foundation.catalog.limits as Readonly<Record<string, number>> & Limits
}

/** Does once what has come due; `random` is from 0 to 1. */
export async function workAutomations(random: () => number, serving: Serving): Promise<void> {
  await look(random, serving, { closed: false, timer: undefined, looking: Promise.resolve() })
}

/** One automation after the other, each until nothing is left for it. */
async function look(random: () => number, serving: Serving, state: State): Promise<void> {
  const { automations, foundation } = serving.app
  if (automations.length === 0) return
  const again = await namesDueAgain(foundation.database.adhoc).catch(() => new Set<string>())
  for (const acting of automations) {
    if (state.closed) return
    // The listener of a write does the rest.
    if (acting.automation.trigger.kind === 'write' && !again.has(acting.name)) continue
    await work(random, serving, state, acting).catch((error: unknown) =>
      serving.app.foundation.log.error({ automation: acting.name, err: error }, 'an automation stopped'),
    )
  }
}

async function work(random: () => number, serving: Serving, state: State, acting: Acting): Promise<void> {
  const limits = limitsOf(serving)
  let most = limits.automationBatch
  let from: string | undefined
  while (!state.closed) {
    const { foundation } = serving.app
    let tried: { readonly taken: readonly Taken[]; readonly attempt: number } = { taken: [], attempt: 0 }
    try {
      const done = await runRound(foundation, acting, {
        most,
        from,
        begins: (taken, attempt) => {
          tried = { taken, attempt }
        },
      })
      if (!done.more) return
      from = done.from
      most = Math.min(limits.automationBatch, most * 2)
    } catch (error) {
      const { attempt, taken } = tried
      const [first] = taken
      if (first === undefined || !(await stillServes(foundation.database, error))) {
        foundation.log.warn(
          { automation: acting.name, err: error },
          'an automation waits: the database does not serve it',
        )
        return
      }
      // Half as many, until the one that fails is alone; it is put off, and the others go on.
      if (taken.length > 1) most = taken.length >> 1
      else await putOff(random, serving, acting, { taken: first, attempt: attempt + 1, error })
    }
  }
}

/** Notes that one record could not be worked: it is tried again, later each time, and given up in the end. */
async function putOff(
  random: () => number,
  serving: Serving,
  acting: Acting,
  { taken, attempt, error }: { readonly taken: Taken; readonly attempt: number; readonly error: unknown },
): Promise<void> {
  const { listenerAttempts, listenerBackoffMs, listenerBackoffMostMs } = limitsOf(serving)
  const { database, log } = serving.app.foundation
  const last = attempt >= listenerAttempts
  const pause = Math.min(listenerBackoffMs * 2 ** (attempt - 1), listenerBackoffMostMs) * (0.5 + random() / 2)
  const told = { automation: acting.name, record: taken.id, cause: taken.cause, attempt, err: error }
  if (last) log.error(told, 'an automation was given up for a record')
  else log.warn(told, 'an automation failed for a record; it is tried again')
  await failRun(database.adhoc, acting.name, taken, { attempt, error: reasonOf(error), inMs: last ? null : pause })
  acting.ran(acting.name, last ? 'failed' : 'retry')
}
