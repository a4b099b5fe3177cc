/** The parts of a worker: the database, its limits, and the function that runs a job. */
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

/** The signal of one run, and its reports. */
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
  /** The scheduled ones among them. */
  readonly scheduled: () => readonly Scheduled[]
  readonly run: (job: Taken, run: Run) => Promise<Json | undefined>
  /** `Admission.gap`. */
  readonly gap: (mostMs: number) => Promise<void>
  /** Called with each completed job and its result. */
  readonly completed: (name: string, result: Json | undefined) => void
  /** Counts the queue, now and then. */
  readonly measure: () => Promise<void>
  /** From 0 to 1, for the spread of retries. */
  readonly random: () => number
}
