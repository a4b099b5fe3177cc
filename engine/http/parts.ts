/** What the composer hands to http/ to make one app of, and what it gets back. */
import type { RequestListener } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { PluginContext } from '../action/context.ts'
import type { Actor } from '../actor.ts'
import type { Catalog, Field } from '../catalog/catalog.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../store/store.ts'
import type { Metrics } from './metrics.ts'
import type { Route } from './route.ts'

/** A route with whose it is, and its input and query resolved to fields. */
export interface BoundRoute extends Route {
  /** The plugin it came from; `engine` for a resource's own. */
  readonly plugin: string
  readonly options: JsonObject
  /** undefined: the handler judges the body itself. */
  readonly inputFields: readonly Field[] | undefined
  /** undefined: the handler judges the query itself; an empty list refuses every parameter. */
  readonly queryFields: readonly Field[] | undefined
  /** Asked before a kept answer is given again: throws for whoever may not do this at all. */
  readonly admit?: (actor: Actor) => void
  /** Keys of the body that hold secrets. */
  readonly secretKeys?: readonly string[]
}

/** What a context is made from; with a transaction, its records belong to it. */
export interface ContextBase {
  readonly actor: Actor
  readonly options: JsonObject
  readonly requestId: string
  readonly transaction?: Transaction
  /** Where work for after the commit is left. */
  readonly afterCommit: (work: () => Promise<void> | void) => void
}

export type Headers = Readonly<Record<string, string | undefined>>

export interface Readiness {
  readonly ready: boolean
  /** What was looked at and how it stands, for operators: `{ database: 'ok', disk: 'full' }`. */
  readonly checks: Readonly<Record<string, string>>
}

export interface HttpParts {
  readonly routes: readonly BoundRoute[]
  /** Who presents these headers; null when the token is absent or no longer good. Rejects when that cannot be known. */
  readonly authenticate: ((headers: Headers, requestId: string) => Promise<Actor | null>) | undefined
  readonly catalog: Pick<Catalog, 'version' | 'prefix' | 'strictness' | 'limits'>
  readonly settings: Pick<
    Settings,
    'rateLimit' | 'authRateLimit' | 'trustProxy' | 'corsOrigins' | 'baseUrl' | 'metricsToken' | 'dataDir' | 'appSecrets'
  >
  readonly store: Pick<Store, 'hit'>
  readonly database: Pick<Database, 'transaction' | 'adhoc'>
  readonly log: Logger
  readonly now: () => Date
  readonly newId: () => string
  /** A fresh, unfrozen context, which http/ completes to a RouteContext. */
  readonly pluginContext: (base: ContextBase) => PluginContext
  readonly readiness: () => Promise<Readiness>
  readonly metrics: Metrics
}

/** One app; the next one takes its place by answering the listener's calls instead. */
export interface HttpApp {
  callback(): RequestListener
  /** Answers what Node's parser refused, with the envelope. */
  clientError(error: Error, socket: Duplex): void
}

/** What is about to be sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly type?: string
  readonly body?: string | Buffer | Readable
}
