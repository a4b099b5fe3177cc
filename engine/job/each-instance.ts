/** Jobs that each instance runs for itself ⇄, for what lies on its own disk: at its start, and then by its own clock. */
import { randomUUID } from 'node:crypto'
import type { Json } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { Taken } from './job.ts'
import type { Scheduled } from './schedule.ts'
import type { Run } from './worker-parts.ts'

export interface EachInstanceParts {
  readonly log: Logger
  readonly jobs: () => readonly Scheduled[]
  readonly run: (job: Taken, run: Run) => Promise<Json | undefined>
  readonly completed: (name: string, result: Json | undefined) => void
  /** How often it is looked whether one is due, in milliseconds. */
  readonly lookMs: number
}

/** Runs them one after the other until it is closed, which tells the one under way to stop and waits for it. */
export function startEachInstance(parts: EachInstanceParts): { close(): Promise<void> } {
  const controller = new AbortController()
  const ranAt = new Map<string, number>()
  let running: Promise<void> | undefined
  const look = (): void => {
    running ??= runDue(parts, ranAt, controller.signal).finally(() => {
      running = undefined
    })
  }
  const timer = setInterval(look, parts.lookMs).unref()
  look()
  return {
    async close() {
      clearInterval(timer)
      controller.abort(new Error('the process stops'))
      await running
    },
  }
}

async function runDue(parts: EachInstanceParts, ranAt: Map<string, number>, signal: AbortSignal): Promise<void> {
  for (const { name, everyMs, attempts } of parts.jobs()) {
    const last = ranAt.get(name)
    if (signal.aborted || (last !== undefined && performance.now() - last < everyMs)) continue
    ranAt.set(name, performance.now())
    const begun = { attempt: 1, attempts, progressedAttempt: 0, progress: 0, payload: {}, actorId: null }
    const job: Taken = { id: randomUUID(), name, createdAt: new Date(), runsAs: 'system', ...begun }
    try {
      const result = await parts.run(job, { signal, progress: async () => undefined, lastAttempt: () => false })
      parts.completed(name, result)
    } catch (error) {
      if (!signal.aborted)
        parts.log.warn({ job: name, err: error }, 'job failed and will run again when its time comes')
    }
  }
}
