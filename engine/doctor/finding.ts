/** The findings of `plinth doctor`, one line for each thing that was examined, and the thresholds of its warnings. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import type { Settings } from '../settings.ts'

/** `warning`: it works, and an operator should know; `problem`: something fails, or will. */
export type Level = 'ok' | 'warning' | 'problem'

export interface Finding {
  readonly level: Level
  /** A sentence for people; never with a secret in it. */
  readonly message: string
  /** Advice for people. */
  readonly advice?: string
  /** Its place in the YAML: `resources/tickets.yaml:12:3`. */
  readonly place?: string
}

/** A finding with the examined part. */
export interface Checked extends Finding {
  readonly check: string
}

/** The context of a plugin's own check. */
export interface CheckContext {
  readonly settings: Settings
  readonly catalog: Catalog
  /** The options of the plugin in app.yaml, with defaults. */
  readonly options: JsonObject
  readonly now: () => Date
  /** The database; undefined where it is out, or nothing was served from it yet. */
  readonly runner: Runner | undefined
}

/** Checks something that a plugin needs, such as an outside server; changes nothing visible. */
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

export interface Thresholds {
  /** Free room of DATA_DIR in megabytes: uploads of a day, above what the embedded database needs to take writes. */
  readonly roomMb: number
  /** Between the clocks: below it tokens, leases and schedules agree. */
  readonly clockMs: number
  /** Rows from which a table that is read whole makes answers slow. */
  readonly largeRows: number
  /** Rows from which a table without `keep` is reported. */
  readonly grownRows: number
  /** How long work may wait: no kind of job waits so long while an instance runs. */
  readonly lateMs: number
  /** How late the hourly removal of old rows may be. */
  readonly keeperMs: number
  /** How long the check of a plugin may take: a server that is silent is given up earlier. */
  readonly checkMs: number
}

export const THRESHOLDS: Thresholds = Object.freeze({
  roomMb: 256,
  clockMs: 2_000,
  largeRows: 10_000,
  grownRows: 1_000_000,
  lateMs: 900_000,
  keeperMs: 86_400_000,
  checkMs: 20_000,
})
