/** Routes as an app serves them: those of plugins with their options, those of the engine, with their fields resolved. */

import type { Actor } from '../actor.ts'
import type { Access, Clause, Earlier, Field } from '../catalog/catalog.ts'
import type { JsonObject } from '../json.ts'
import type { Execution } from '../run/execution.ts'
import type { Reply, Route, RouteContext } from './route.ts'

/** The input of one request, checked and decoded: the part of a context that actions do not need. */
export type RequestInput = Pick<
  RouteContext,
  'params' | 'query' | 'parameters' | 'body' | 'files' | 'raw' | 'headers' | 'ip'
>

/** A route with its plugin, and its input and query as fields. */
interface Bound extends Omit<Route, 'handle' | 'access'> {
  /** Alternatives; `public` needs no token. */
  readonly access: 'public' | readonly Access[]
  /** The plugin it came from; `engine` for a resource's own. */
  readonly plugin: string
  readonly options: JsonObject
  /** undefined: the handler judges the body itself. */
  readonly inputFields: readonly Field[] | undefined
  /** undefined: the handler judges the query itself; an empty list refuses every parameter. */
  readonly queryFields: readonly Field[] | undefined
  /** Asked after `access`: the clauses that speak of a caller; throws for one who may do this to no record at all. */
  readonly admit?: (actor: Actor) => readonly Clause[]
  /** Whether the OpenAPI document leaves out the plain filters, which the list already describes. */
  readonly brief?: boolean
  /** How many more requests it counts as; absent: none. */
  readonly units?: (input: Pick<RequestInput, 'body' | 'parameters'>) => number
  /** Whether the document that everybody reads leaves it out: it is for developers, or for those who may ask why. */
  readonly unlisted?: true
  /** Whether a POST only reads, so that it ignores an Idempotency-Key. */
  readonly reads?: boolean
  /** Set where the route is at the path that its resource had before. */
  readonly earlier?: Earlier & { readonly path: string }
  /** Keys of the body whose values are secrets. */
  readonly secretKeys?: readonly string[]
}

/** A route of a plugin: its handler gets the context of plugins. */
export interface PluginRoute extends Bound, Pick<Route, 'handle'> {}

/** A route of the engine, which runs actions and needs no more than they do. */
export interface EngineRoute extends Bound {
  readonly run: (execution: Execution, input: RequestInput) => Promise<Reply>
}

export type BoundRoute = PluginRoute | EngineRoute
