/** One HTTP app out of its parts: Koa around the responder, every ending an envelope and one line in the log. */
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import compress from 'koa-compress'
import { ApiError } from '../error.ts'
import { beginCall, type Call } from './call.ts'
import { clientErrorListener } from './client-error.ts'
import { refusal, type Stamp, stampFor } from './envelope.ts'
import type { Answer, HttpApp, HttpParts } from './parts.ts'
import { probes } from './probes.ts'
import { responder } from './respond.ts'
import { allowOrigin, fixedHeaders, send } from './send.ts'

/** Below it an answer fits into one or two packets anyway, and compressing costs more than it saves. */
const COMPRESS_BYTES = 2_048

/** Makes a refusal of whatever was thrown; what nobody meant to throw is logged with its stack and told to nobody. */
function refuser(parts: HttpParts, stamp: Stamp): (error: unknown, call: Call) => Answer {
  const { malformedJson } = parts.catalog.strictness
  return (error, call) => {
    const at = stamp(parts.now())
    if (!(error instanceof ApiError)) {
      const { requestId, method, pattern } = call
      parts.log.error({ err: error, requestId, method, route: pattern }, 'request failed')
      return refusal(new ApiError('server_error'), at, requestId)
    }
    const answer = refusal(error, at, call.requestId)
    if (error.code === 'malformed_body' && malformedJson !== 400) return { ...answer, status: malformedJson }
    return answer
  }
}

/** Logs one answered request; the pattern instead of the path, because paths and queries may hold secrets. */
function recorder(parts: HttpParts): (call: Call, status: number) => void {
  const { log, metrics } = parts
  return (call, status) => {
    const ms = performance.now() - call.startedAt
    const { requestId, actor, pattern, method } = call
    metrics.observe(pattern, method, status, ms / 1000)
    log.info(
      { requestId, actorId: actor.id, route: pattern, method, status, ms: Math.round(ms * 100) / 100 },
      'request',
    )
  }
}

/** The middleware that answers every request, whatever happens on the way. */
function answering(parts: HttpParts, stamp: Stamp): (ctx: Context) => Promise<void> {
  const fixed = fixedHeaders(parts.settings)
  const respond = responder(parts, fixed, stamp)
  const probe = probes(parts, stamp)
  const refuse = refuser(parts, stamp)
  const record = recorder(parts)
  return async (ctx) => {
    const call = beginCall(ctx, parts)
    ctx.res.setHeader('X-Request-Id', call.requestId)
    allowOrigin(ctx, fixed)
    const probed = probe(call.path, ctx.req)
    let answer: Answer
    try {
      answer = await (probed ?? respond(call))
    } catch (error) {
      answer = refuse(error, call)
    }
    try {
      send(ctx, answer, fixed)
    } catch (error) {
      // A handler's header that no header may be.
      send(ctx, refuse(error, call), fixed)
    }
    if (probed !== undefined) return
    if (answer.body instanceof Readable) ctx.res.once('close', () => record(call, ctx.status))
    else record(call, ctx.status)
  }
}

/** Hears of answers that broke when they had begun, from a stream or a socket; each is logged once. */
function brokenAnswers(parts: HttpParts): (error: Error, ctx?: Context) => void {
  const told = new WeakSet<Error>()
  return (error, ctx) => {
    // Koa tells of a broken stream twice; of a caller who hung up there is nothing to tell.
    const code = String(Reflect.get(error, 'code') ?? '')
    if (told.has(error) || /^(ECONN|EPIPE|ERR_STREAM_PREMATURE_CLOSE)/.test(code)) return
    told.add(error)
    parts.log.error({ err: error, requestId: ctx?.res.getHeader('X-Request-Id') }, 'an answer broke off')
  }
}

/** An app that serves the parts' routes; holds nothing global, so that another may take its place at any time. */
export function createHttp(parts: HttpParts): HttpApp {
  const stamp = stampFor(parts.catalog.prefix, parts.catalog.version)
  const koa = new Koa()
  const pack = compress({ threshold: COMPRESS_BYTES })
  koa.use((ctx, next) => (ctx.req.headers['accept-encoding'] === undefined ? next() : pack(ctx, next)))
  koa.use(answering(parts, stamp))
  koa.on('error', brokenAnswers(parts))
  const listener: RequestListener = koa.callback()
  return {
    callback: () => listener,
    clientError: clientErrorListener(stamp, parts.now, parts.newId),
  }
}
