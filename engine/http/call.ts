/** One request on its way: what is known of it before anything is decided. */
import type { Context } from 'koa'
import { type Actor, ANONYMOUS } from '../actor.ts'
import { LIMITS } from '../limits.ts'
import type { Headers, HttpParts } from './parts.ts'
import { clientAddress } from './rate-limit.ts'

/** A request; actor and pattern are filled in as they become known, for the log whatever happens. */
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
  /** The pattern of its route, `-` where there is none. */
  pattern: string
}

/** A request id that can stand in a log and a header: visible ASCII. */
const SANE_ID = /^[\x21-\x7e]+$/
/** `GET http://host/path`, as a proxy is asked. */
const ORIGIN = /^https?:\/\/[^/?#]*/i

/** The start of a request; echoes a sane X-Request-Id, else makes one. */
export function beginCall(ctx: Context, parts: Pick<HttpParts, 'settings' | 'newId'>): Call {
  const { req } = ctx
  const sent = req.headers['x-request-id']
  const sane = typeof sent === 'string' && sent.length <= LIMITS.requestIdLength && SANE_ID.test(sent)
  const url = (req.url ?? '/').replace(ORIGIN, '')
  const mark = url.indexOf('?')
  const forwarded = req.headers['x-forwarded-for']
  return {
    ctx,
    requestId: sane ? sent : parts.newId(),
    method: req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET'),
    path: mark === -1 ? url : url.slice(0, mark),
    search: mark === -1 ? '' : url.slice(mark + 1),
    headers: req.headers as Headers,
    ip: clientAddress(
      req.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      parts.settings.trustProxy,
    ),
    startedAt: performance.now(),
    actor: ANONYMOUS,
    pattern: '-',
  }
}
