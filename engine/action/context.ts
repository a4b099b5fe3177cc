/** What hooks and handlers hold while one action runs: the call, its record, and the ways to other records. */
import type { Model, ModelClass } from 'objection'
import type { Actor } from '../actor.ts'
import type { Catalog, Resource, WriteAction } from '../catalog/catalog.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'

/** Another resource's records, through the same pipeline as a client's: validation, policies, hooks. */
export interface Records {
  /** `query` as a client would write it, `{ status_id: '1,2', per_page: '50' }`. */
  list(
    query?: Readonly<Record<string, string>>,
  ): Promise<{ readonly data: readonly JsonObject[]; readonly total: number | null }>
  /** By id or another lookup; throws ApiError record_not_found or forbidden. */
  get(lookup: string | number): Promise<JsonObject>
  create(input: JsonObject): Promise<JsonObject>
  update(lookup: string | number, input: JsonObject): Promise<JsonObject>
  delete(lookup: string | number): Promise<void>
  restore(lookup: string | number): Promise<JsonObject>
}

/** What every plugin function can reach: data, never the app. */
export interface PluginContext {
  readonly actor: Actor
  readonly catalog: Catalog
  readonly settings: Settings
  /** The options of the plugin that contributed the function, from app.yaml, with defaults. */
  readonly options: JsonObject
  readonly log: Logger
  readonly now: () => Date
  readonly requestId: string
  /** Records as the actor (default) or as the system, inside the open transaction where there is one. */
  records(resource: string, as?: 'actor' | 'system'): Records
  /** The Objection model of a resource's table, for what `records` can't say: no policies, no hooks, no validation. */
  model(resource: string): ModelClass<Model>
  readonly database: Database
}

/**
 * One write on its way. A hook may change `input` before `next()`, read `record` and `result` after,
 * refuse by throwing ApiError, and leave what must happen outside the database to `afterCommit`.
 */
export interface HookContext extends PluginContext {
  readonly action: WriteAction
  readonly resource: Resource
  /** What will be written, decoded, by field name (foreign keys as `status_id`); on update only what changes. */
  readonly input: Record<string, Json>
  /** The body as the client sent it, trimmed but with keys that are no fields of the resource (declared by the hook's `input`). */
  readonly extra: Readonly<Record<string, Json>>
  /** The stored record before the action, by field name, secrets included; undefined on create. */
  readonly record: Readonly<Record<string, Json>> | undefined
  /** The stored record after `next()`, by field name; undefined before, and after a hard delete. */
  readonly result: Readonly<Record<string, Json>> | undefined
  readonly transaction: Transaction
  /** Runs when the transaction has committed; a failure there is logged and never undoes the action. */
  afterCommit(work: () => Promise<void> | void): void
}

export type Next = () => Promise<void>
export type Hook = (context: HookContext, next: Next) => Promise<void>
  /**
   * The SQL condition under which the row of `alias`, from the table of `resource`, is a record that the actor may read:
   * in scope, not deleted, within the policy `view`. Pushes its parameters on `values`, where `$n` finds them.
   */
  readable(resource: string, alias: string, values: unknown[]): string
