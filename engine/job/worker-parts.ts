/** What a worker is given: the database, its limits, and the way to run a job. */
import type { Runner } from '../database/database.ts'
import type { Json } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { Taken } from './job.ts'
import type { Scheduled } from './schedule.ts'

/** Numbers of LIMITS, as the application narrowed them. */
export interface WorkerLimits {
  readonly jobSlots: number
  readonly jobLeaseMs: number
  readonly jobPollMs: number
  readonly jobBackoffMs: number
  readonly jobBackoffMostMs: number
  readonly jobScheduleMs: number
  readonly jobStopMs: number
}

/** What one run may tell of itself, and hears. */
export interface Run {
  readonly signal: AbortSignal
  progress(percent: number): Promise<void>
}

export interface WorkerParts {
  readonly runner: Runner
  readonly log: Logger
  readonly limits: WorkerLimits
  /** Names of the jobs that this process can run. */
  readonly names: () => readonly string[]
  /** Those of them that come back by themselves. */
  readonly scheduled: () => readonly Scheduled[]
  readonly run: (job: Taken, run: Run) => Promise<Json | undefined>
  /** From 0 to 1, for the spread of retries. */
  readonly random: () => number
}
