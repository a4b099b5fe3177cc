/** What a worker is given: the database, its limits, and the way to run a job. */
import type { Runner } from '../database/database.ts'
import type { Json } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { Taken } from './job.ts'
import type { Kind } from './places.ts'
import type { Scheduled } from './schedule.ts'

/** Numbers of LIMITS, as the application narrowed them. */
export interface WorkerLimits {
  readonly jobSlots: number
  readonly jobLeaseMs: number
  readonly jobPollMs: number
  readonly jobGapMs: number
  readonly jobBackoffMs: number
  readonly jobBackoffMostMs: number
  readonly jobScheduleMs: number
  readonly jobStopMs: number
  readonly jobMs: number
  readonly jobLongMs: number
}

/** What one run may tell of itself, and hears. */
export interface Run {
  readonly signal: AbortSignal
  progress(percent: number): Promise<void>
  lastAttempt(): boolean
}

export interface WorkerParts {
  readonly runner: Runner
  readonly log: Logger
  readonly limits: WorkerLimits
  /** The kinds of jobs that this process can run. */
  readonly kinds: () => readonly Kind[]
  /** Those of them that come back by themselves. */
  readonly scheduled: () => readonly Scheduled[]
  readonly run: (job: Taken, run: Run) => Promise<Json | undefined>
  /** `Admission.gap`. */
  readonly gap: (mostMs: number) => Promise<void>
  /** Told of each job that came to a good end, with its result. */
  readonly completed: (name: string, result: Json | undefined) => void
  /** Counts what stands in the queue, now and then. */
  readonly measure: () => Promise<void>
  /** From 0 to 1, for the spread of retries. */
  readonly random: () => number
}
