/** What a look at a deployment finds: one line for each thing that was looked at. */
import type { Catalog } from '../catalog/catalog.ts'
import type { JsonObject } from '../json.ts'
import type { Settings } from '../settings.ts'

/** `warning`: it works, and somebody should know; `problem`: something fails, or will. */
export type Level = 'ok' | 'warning' | 'problem'

export interface Finding {
  readonly level: Level
  /** A sentence for people; never with a secret in it. */
  readonly message: string
  /** What to do about it. */
  readonly advice?: string
  /** Where the YAML speaks of it: `resources/tickets.yaml:12:3`. */
  readonly place?: string
}

/** A finding with what was looked at. */
export interface Checked extends Finding {
  readonly check: string
}

/** What a plugin's own look gets. */
export interface CheckContext {
  readonly settings: Settings
  readonly catalog: Catalog
  /** Those of the plugin in app.yaml, with defaults. */
  readonly options: JsonObject
}

/** Looks at something that a plugin needs, such as a server outside; changes nothing that anybody sees. */
export type Check = (context: CheckContext) => Promise<readonly Finding[]>

export const ok = (message: string): Finding => ({ level: 'ok', message })
export const warning = (message: string, advice: string, place?: string): Finding => ({
  level: 'warning',
  message,
  advice,
  ...(place === undefined ? {} : { place }),
})
export const problem = (message: string, advice: string, place?: string): Finding => ({
  ...warning(message, advice, place),
  level: 'problem',
})
