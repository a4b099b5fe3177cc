/** The language of app.yaml as types: what an author wrote of the whole application. */
import type { JsonObject } from '../json.ts'

/** Plugin name → its options as written; order does not matter. */
export type PluginsDefinition = { readonly [plugin: string]: JsonObject | null }

/** When people work: days of the week (`mon-fri`) with their hours (`09:00-17:00`), and days without work. */
export interface CalendarDefinition {
  readonly zone: string
  readonly hours: { readonly [days: string]: string | readonly string[] }
  readonly holidays?: readonly string[]
}

export interface AppDefinition {
  readonly name: string
  readonly version?: string
  readonly description?: string
  /** Prefix of every path, e.g. `/api/v1`. */
  readonly prefix?: string
  readonly plugins?: PluginsDefinition
  readonly calendars?: { readonly [name: string]: CalendarDefinition }
  readonly limits?: { readonly [limit: string]: number }
  /** Who may ask by a header why an answer is what it is. */
  readonly explain?: { readonly permission: string }
  /** What is refused and what is let pass: `unknown_parameters: refuse | ignore`, `unknown_keys: refuse | ignore`, `malformed_json: 400 | 422`. */
  readonly strictness?: {
    readonly unknown_parameters?: 'refuse' | 'ignore'
    readonly unknown_keys?: 'refuse' | 'ignore'
    readonly malformed_json?: 400 | 422
  }
}
