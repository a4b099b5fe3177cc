/** A job's context for tests that run one by hand, with a clock of their own. */

import { SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import type { Engine } from '../../engine/engine.ts'
import type { JobContext, Json, JsonObject } from '../../engine/index.ts'
import type { Places } from '../../engine/job/queue.ts'
import { executionOf, inTransaction } from '../../engine/run/execution.ts'

/** What a job of the system holds; its clock is `ahead` milliseconds ahead. */
export function jobContext({ app }: Engine, ahead = 0, options: JsonObject = {}): JobContext {
  const now = () => new Date(Date.now() + ahead)
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const around = executionOf({ ...app.foundation, now }, call)
  return {
    ...pluginContext(around, options),
    id: '',
    createdAt: now(),
    attempt: 1,
    lastAttempt: () => false,
    signal: new AbortController().signal,
    progress: async () => undefined,
    transaction: (work) =>
      inTransaction(around, (inner) => work({ ...pluginContext(inner, options), transaction: inner.transaction })),
  }
}

/** Runs a job of an application as if that much time had passed; gives its result. */
export async function runAhead(
  engine: Engine,
  name: string,
  ahead = 0,
  options?: JsonObject,
): Promise<Json | undefined> {
  const job = engine.app.composition.jobs.get(name)
  if (job === undefined) throw new Error(`there is no job ${name}`)
  return job.value.run(jobContext(engine, ahead, options ?? job.options), {})
}

/** Room for five jobs of one kind. */
export function placesFor(name: string): Places {
  return { kinds: [{ name, room: 5, long: false, prefetch: 0 }], free: 5, short: 5, long: 5 }
}

/** The names of the jobs that come back by themselves. */
export function scheduledNames({ app }: Engine): readonly string[] {
  return [...app.composition.jobs].filter(([, { value }]) => value.every !== undefined).map(([name]) => name)
}
