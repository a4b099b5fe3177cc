/** A job: work outside a request, which a plugin names and the queue runs once, tries again, or gives up. */

import type { Transaction } from '../database/database.ts'
import type { Json, JsonObject } from '../json.ts'
import type { PluginContext } from '../run/context.ts'
import type { Duration } from '../text/duration.ts'

/** The context of a job while it runs. */
export interface JobContext extends PluginContext {
  readonly id: string
  /** When it was enqueued: the same for every run of it. */
  readonly createdAt: Date
  /** 1 at first, then one more with every retry. */
  readonly attempt: number
  /** Whether the job is given up if this run fails. */
  lastAttempt(): boolean
  /**
   * Aborted when the process stops, another process has taken the job over, or it made no progress for LIMITS.jobMs
   * (jobLongMs for a long one): its later work is in vain.
   */
  readonly signal: AbortSignal
  /**
   * Reports progress, 0 to 100. A run that gets further than any before it resets the count of attempts, so report progress
   * where the next run would continue.
   */
  progress(percent: number): Promise<void>
  /** Runs in one transaction; `records` and `enqueue` given inside belong to it. */
  transaction<T>(work: (context: PluginContext & { readonly transaction: Transaction }) => Promise<T>): Promise<T>
}

/** Work outside a request. It may run again after a crash, so that doing it twice must be like doing it once. */
export interface JobContribution {
  readonly description: string
  /** How often it is tried without coming further before it is given up; LIMITS.jobAttempts if absent. */
  readonly attempts?: number
  /** How many of its kind one process runs at a time; a quarter of the places if absent, and never all of them. */
  readonly concurrency?: number
  /**
   * How many more of its kind one process takes from the queue than it runs, none if absent: for work so short that taking
   * each alone costs as much.
   */
  readonly prefetch?: number
  /**
   * It may take minutes: shorter work goes first, and keeps half of the places. Scheduled jobs are long unless they say
   * false.
   */
  readonly long?: boolean
  /**
   * The outside server that it calls by `breakerOf(settings, server)`: while that is left alone, none is begun in vain.
   */
  readonly server?: string
  /** It also runs by itself, so often, once for all instances; then its payload is empty. */
  readonly every?: Duration
  /**
   * With `every`: each instance runs it for itself, when it begins to listen and then so often; for files on its own disk.
   * It is no row of the queue.
   */
  readonly eachInstance?: boolean
  /**
   * The returned value is kept as the result. The caller who enqueued the job may read the sentence of an ApiError. A method,
   * so that a plugin may narrow the type of its payload: `payload: { loan: number }`.
   */
  run(context: JobContext, payload: JsonObject): Promise<Json | undefined>
}

/** The error of a job that would fail again: it is given up at once, and kept with this sentence. */
export class JobGivenUp extends Error {
  override readonly name = 'JobGivenUp'
}

/** A contribution with the options of its plugin. */
export interface BoundJob {
  readonly options: JsonObject
  readonly value: JobContribution
}

/** By full name, `<plugin>.<name>`. */
export type Jobs = ReadonlyMap<string, BoundJob>

/** One job that this process has taken. */
export interface Taken {
  readonly id: string
  readonly name: string
  readonly payload: JsonObject
  readonly createdAt: Date
  readonly attempt: number
  readonly attempts: number
  /** The attempt that came further last, 0 for none: attempts count from there. */
  readonly progressedAttempt: number
  readonly progress: number
  readonly actorId: number | null
  readonly runsAs: 'system' | 'actor'
}
