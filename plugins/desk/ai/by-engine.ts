/** Asks the engine that is set, and the local one where a server fails, so that every question gets an answer. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import { ServerFailure } from './server.ts'
import type { AiSettings } from './settings.ts'

/** Who answered. */
export interface Answerer {
  /** `local`, or the name of the server's kind. */
  readonly provider: string
  /** Set when a server should have answered and did not. */
  readonly failure?: string
}

/** The same question to both engines; without `byServer` there is nothing that a server could answer. */
export interface Asked<T> {
  readonly locally: () => T | Promise<T>
  readonly byServer?: () => Promise<T>
}

/** The answer of the engine that is set; where a server fails, the local engine answers, and `failure` says why. */
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
