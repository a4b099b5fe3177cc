/** One request on its way: what its first line, its headers and its connection say, and what the pipeline finds out. */
import type { Context } from 'koa'
import type { Actor } from '../actor.ts'
import type { JsonObject } from '../json.ts'
import type { Route } from './route.ts'

export type Headers = Readonly<Record<string, string | undefined>>

/** A request. The pipeline fills in `actor` and `pattern` as it learns them, so that the log has them however it ends. */
export interface Call {
  readonly ctx: Context
  readonly requestId: string
  /** HEAD is answered as GET. */
  readonly method: string
  readonly path: string
  /** The query string without its `?`. */
  readonly search: string
  /** As text: Node gives a list only for set-cookie, which is no header of requests. */
  readonly headers: Headers
  readonly ip: string
  /** Monotonic, in milliseconds. */
  readonly startedAt: number
  actor: Actor
  /** Explains the answer; undefined unless the caller asks for that and may. */
  explain?: (() => Promise<JsonObject>) | undefined
  /** How its route writes refusals; undefined: in the envelope. */
  refuse?: Route['refuse'] | undefined
  /** The pattern of its route, `-` where there is none. */
  pattern: string
}
