/** Serves the requests of an engine and nothing else: no listener, automation or job runs beside them. */
import type { Engine } from '../../engine/engine.ts'
import { createAdmission } from '../../engine/http/admission.ts'
import { type Listening, listen } from '../../engine/http/listen.ts'
import { createPassage } from '../../engine/http/server.ts'
import type { Settings } from '../../engine/settings.ts'
import { SILENT } from './database.ts'

/** Listens at the settings' address for an engine that does not; the engine is closed by whoever made it. */
export function listenAlone({ app, database }: Engine, settings: Settings): Promise<Listening> {
  const gate = { passage: createPassage(), admission: createAdmission({ waited: database.waited, log: SILENT }) }
  return listen({ app }, gate, { settings, log: SILENT })
}
