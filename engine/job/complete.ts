/** Notes the good end of jobs ⇄: those that end within a moment, or while the database notes earlier ones, are noted together. */
import { setTimeout as after } from 'node:timers/promises'
import type { Runner } from '../database/database.ts'
import type { Json } from '../json.ts'
import type { Taken } from './job.ts'
import { completeJobs, type Done } from './queue.ts'

/** Notes that a job of the owner came to a good end; false when it is somebody else's by now. */
export type Complete = (job: Taken, result: Json | undefined) => Promise<boolean>

/** How long the end of a job waits for that of others. */
const GATHER_MS = 5

interface Waiting {
  readonly done: Done
  readonly resolve: (isMine: boolean) => void
  readonly reject: (error: unknown) => void
}

/** The way to note the jobs of one owner: one statement at a time. */
export function completer(runner: Runner, owner: string): Complete {
  let waiting: Waiting[] = []
  let isNoting = false
  const note = async (): Promise<void> => {
    isNoting = true
    while (waiting.length > 0) {
      await after(GATHER_MS)
      const batch = waiting
      waiting = []
      try {
        const mine = await completeJobs(
          runner,
          owner,
          batch.map(({ done }) => done),
        )
        for (const { done, resolve } of batch) resolve(mine.has(done.id))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isNoting = false
  }
  return ({ attempt, id }, result) =>
    new Promise<boolean>((resolve, reject) => {
      waiting.push({ done: { id, attempt, result }, resolve, reject })
      if (!isNoting) void note()
    })
}
