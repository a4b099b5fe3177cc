/** What a job is: work outside a request, which a plugin names and the queue runs once, tries again, or gives up. */
import type { PluginContext } from '../action/context.ts'
import type { Transaction } from '../database/database.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Every } from './schedule.ts'

/** What a job holds while it runs. */
export interface JobContext extends PluginContext {
  readonly id: string
  /** 1 at first, then one more with every retry. */
  readonly attempt: number
  /** Aborted when the process stops or somebody else has taken the job over: what it does from then on is in vain. */
  readonly signal: AbortSignal
  /** Tells how far it is, 0 to 100. */
  progress(percent: number): Promise<void>
  /** Runs in one transaction; `records` and `enqueue` given inside belong to it. */
  transaction<T>(work: (context: PluginContext & { readonly transaction: Transaction }) => Promise<T>): Promise<T>
}

/** Work outside a request. It may run again after a crash, so that doing it twice must be like doing it once. */
export interface JobContribution {
  readonly description: string
  /** How often it is tried before it is given up; LIMITS.jobAttempts if absent. */
  readonly attempts?: number
  /** It also runs by itself, so often, once for all instances; then its payload is empty. */
  readonly every?: Every
  /** What it returns is kept as its result. An ApiError's sentence may be read by whoever enqueued it. */
  readonly run: (context: JobContext, payload: JsonObject) => Promise<Json | undefined>
}

/** A contribution with what it needs of its plugin. */
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
  readonly attempt: number
  readonly attempts: number
  readonly actorId: number | null
  readonly runsAs: 'system' | 'actor'
}
