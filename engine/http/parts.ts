/** What the composer hands to http/ to make one app of, and what it gets back. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { Context } from 'koa'
import type { PluginContext } from '../action/context.ts'
import type { Execution, Foundation } from '../action/execution.ts'
import type { Actor } from '../actor.ts'
import type { Catalog, Earlier, Field } from '../catalog/catalog.ts'
import type { ApiError } from '../error.ts'
import type { JsonObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../store/store.ts'
import type { LargeAnswers } from './large-answers.ts'
import type { Metrics } from './metrics.ts'
import type { Reply, Route, RouteContext } from './route.ts'

/** One request on its way; actor and pattern are filled in as they become known, for the log whatever happens. */
export interface Call {
  readonly ctx: Context
  readonly requestId: string
  /** HEAD is answered as GET. */
  readonly method: string
  readonly path: string
  /** The query string without its `?`. */
  readonly search: string
  /** As text; Node gives a list only for set-cookie, which requests don't have. */
  readonly headers: Headers
  readonly ip: string
  /** Monotonic, in milliseconds. */
  readonly startedAt: number
  actor: Actor
  /** Tells why the answer is what it is; there for those who may ask and do. */
  explain?: (() => Promise<JsonObject>) | undefined
  /** The pattern of its route, `-` where there is none. */
  pattern: string
}

/** What one request brought, checked and decoded: the part of a context that no action needs. */
export type RequestInput = Pick<RouteContext, 'params' | 'query' | 'parameters' | 'body' | 'files' | 'headers' | 'ip'>

/** A route with whose it is, and its input and query resolved to fields. */
interface Bound extends Omit<Route, 'handle'> {
  /** The plugin it came from; `engine` for a resource's own. */
  readonly plugin: string
  readonly options: JsonObject
  /** undefined: the handler judges the body itself. */
  readonly inputFields: readonly Field[] | undefined
  /** undefined: the handler judges the query itself; an empty list refuses every parameter. */
  readonly queryFields: readonly Field[] | undefined
  /** Asked after `access`: throws for whoever may not do this at all, whichever record it is about. */
  readonly admit?: (actor: Actor) => void
  /** Whether the reference leaves the list's plain filters out, since the list itself says them. */
  readonly brief?: boolean
  /** How many requests it counts as beside itself; absent: none. */
  readonly units?: (input: Pick<RequestInput, 'body' | 'parameters'>) => number
  /** Whether a POST only reads, so that an Idempotency-Key means nothing to it. */
  readonly reads?: boolean
  /** It stands at the path that its resource had before. */
  readonly earlier?: Earlier & { readonly path: string }
  /** Keys of the body that hold secrets. */
  readonly secretKeys?: readonly string[]
}

/** A route that a plugin gave: its handler holds what plugins may reach. */
export interface PluginRoute extends Bound, Pick<Route, 'handle'> {}

/** A route of the engine's own, which runs actions and needs no more than they do. */
export interface EngineRoute extends Bound {
  readonly run: (execution: Execution, input: RequestInput) => Promise<Reply>
}

export type BoundRoute = PluginRoute | EngineRoute

/** Who presents a request's headers: null when the token is absent or no longer good. Rejects when that cannot be known. */
export interface BoundAuthenticate {
  readonly options: JsonObject
  readonly value: (context: PluginContext & { readonly headers: Headers }) => Promise<Actor | null>
}

export interface BoundIdentify {
  readonly options: JsonObject
  readonly value: (context: PluginContext, name: string) => Promise<Actor | null>
}

export type Headers = Readonly<Record<string, string | undefined>>

export interface Readiness {
  readonly ready: boolean
  /** What was looked at and how it stands, for operators: `{ database: 'ok', disk: 'full' }`. */
  readonly checks: Readonly<Record<string, string>>
}

export interface HttpParts {
  readonly routes: readonly BoundRoute[]
  readonly authenticate: BoundAuthenticate | undefined
  /** Who a name stands for; undefined: nobody knows people by name. */
  readonly identify?: BoundIdentify | undefined
  readonly catalog: Pick<Catalog, 'version' | 'prefix' | 'strictness' | 'limits' | 'resources' | 'explain'>
  readonly settings: Pick<
    Settings,
    'rateLimit' | 'authRateLimit' | 'trustProxy' | 'corsOrigins' | 'baseUrl' | 'metricsToken' | 'dataDir' | 'appSecrets'
  >
  readonly store: Pick<Store, 'hit'>
  readonly log: Logger
  readonly now: () => Date
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  readonly newId: () => string
  /** What actions and the functions of plugins run with. */
  readonly foundation: Foundation
  readonly readiness: () => Promise<Readiness>
  readonly metrics: Metrics
  readonly largeAnswers: LargeAnswers
}

/** One app; the next one takes its place by answering the listener's calls instead. */
export interface HttpApp {
  /** Answers a request; resolves when its answer is made, though it may still be on its way. Never rejects. */
  callback(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Answers a request with a refusal before anything of it is looked at. */
  refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void
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
