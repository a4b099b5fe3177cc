/** Load from another process: at a fixed rate whether or not answers come (an open loop), or over connections that take turns. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** One request; `{n}` in its body is replaced by a number that never comes twice. */
export interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
}

export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly requests: readonly LoadRequest[]
  readonly seconds: number
  /** Requests a second, sent whatever becomes of those before. */
  readonly rate?: number
  /** Or so many callers, each of which sends its next request after its answer and a pause of about `pauseMs`. */
  readonly connections?: number
  readonly pauseMs?: number
}

/** Times in milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

export interface LoadFigures {
  readonly sent: number
  /**
   * Answers by status; 0: a connection that had answered before ended without one, -1: it was refused, -2: it was reset
   * before its first answer, `late`: none within 20 seconds.
   */
  readonly statuses: Readonly<Record<string, number>>
  /** Successes that came while the load lasted. */
  readonly perSecond: number
  readonly good: Spread
  /** Answers with 503. */
  readonly refused: Spread
  /** `GET /livez` every 50 ms beside the load. */
  readonly livez: Spread
  /** How late the generator itself was at worst: times of that order say nothing of the server. */
  readonly ownLagMs: number
}

/** A load that runs. */
export interface RunningLoad {
  /** Sends nothing more. */
  end(): void
  /** What came of it, once the last answers are there. */
  readonly figures: Promise<LoadFigures>
}

/** Begins a load, which ends by itself or is ended. */
export function beginLoad(load: Load): RunningLoad {
  const child = fork(fileURLToPath(new URL('./generator.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  child.send(load)
  return {
    end: () => child.send('end'),
    figures: once(child, 'message').then(([figures]) => figures as LoadFigures),
  }
}

/** Runs a load to its end, which is some time after its last request. */
export function runLoad(load: Load): Promise<LoadFigures> {
  return beginLoad(load).figures
}
