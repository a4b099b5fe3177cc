/** Asks the configured engine, and the local one where a server fails, so that every question gets an answer. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import { ServerFailure } from './server.ts'
import type { AiSettings } from './settings.ts'

/** The engine that answered. */
export interface Answerer {
  /** `local`, or the kind of the server. */
  readonly provider: string
  /** Set when a server should have answered and did not. */
  readonly failure?: string
}

/** The same question for both engines; without `byServer` no server can answer it. */
export interface Asked<T> {
  readonly locally: () => T | Promise<T>
  readonly byServer?: () => Promise<T>
}

/**
 * The answer of the configured engine. Where a server fails, the local engine answers, and `failure` has the reason.
 */
export async function byEngine<T extends object>(
  context: Pick<PluginContext, 'log'>,
  { provider }: Pick<AiSettings, 'provider'>,
  { byServer, locally }: Asked<T>,
): Promise<T & Answerer> {
  if (provider === 'local' || byServer === undefined) return { ...(await locally()), provider: 'local' }
  try {
    return { ...(await byServer()), provider }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    context.log.warn({ reason: error.message }, 'the AI server failed; the local engine answered')
    return { ...(await locally()), provider: 'local', failure: error.message }
  }
}
