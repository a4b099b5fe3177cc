/** An app as http/ makes it: what it is made of, and what it answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Actor } from '../actor.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ApiError } from '../error.ts'
import type { JsonObject } from '../json.ts'
import type { Drift } from '../migration/drift.ts'
import type { Logger } from '../observe.ts'
import type { PluginContext } from '../run/context.ts'
import type { Foundation } from '../run/execution.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../store/store.ts'
import type { BoundRoute } from './bound-route.ts'
import type { Call } from './call.ts'
import type { LargeAnswers } from './large-answers.ts'
import type { Metrics } from './metrics.ts'

/** Finds the account that sends a request's headers: null without a valid token. Rejects when that cannot be known. */
export interface BoundAuthenticate {
  readonly options: JsonObject
  readonly value: (context: PluginContext & Pick<Call, 'headers' | 'ip' | 'method'>) => Promise<Actor | null>
}

/** Finds an account by a name; null where nobody has it. */
export interface BoundIdentify {
  readonly options: JsonObject
  readonly value: (context: PluginContext, name: string) => Promise<Actor | null>
}

export interface Readiness {
  readonly ready: boolean
  /** The state of each part, for operators: `{ database: 'ok', disk: 'full' }`. */
  readonly checks: Readonly<Record<string, string>>
  /** Asks for the versions of the program and of the data, which operators alone are told. */
  readonly versions?: () => Promise<Readonly<Record<string, string>>>
}

export interface HttpParts {
  readonly routes: readonly BoundRoute[]
  readonly authenticate: BoundAuthenticate | undefined
  /** undefined: no plugin knows people by name. */
  readonly identify?: BoundIdentify | undefined
  readonly catalog: Catalog
  readonly settings: Pick<
    Settings,
    | 'rateLimit'
    | 'authRateLimit'
    | 'sessionRateLimit'
    | 'trustProxy'
    | 'corsOrigins'
    | 'baseUrl'
    | 'metricsToken'
    | 'dataDir'
    | 'appSecrets'
  >
  readonly store: Pick<Store, 'hit'>
  readonly log: Logger
  readonly now: () => Date
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  readonly newId: () => string
  /** What actions and functions of plugins need. */
  readonly foundation: Foundation
  readonly readiness: () => Promise<Readiness>
  /** undefined: no table is that of another program. */
  readonly drift?: Drift | undefined
  readonly metrics: Metrics
  readonly largeAnswers: LargeAnswers
}

/** One app. The next one replaces it by answering the calls of the listener. */
export interface HttpApp {
  /** Answers a request; resolves when the answer is made, perhaps before it is sent. Never rejects. */
  callback(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Refuses a request without looking at it. */
  refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void
  /** Answers a request that Node's parser refused, with the envelope. */
  clientError(error: Error, socket: Duplex): void
}
