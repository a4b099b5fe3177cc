/** One HTTP app out of its parts (Koa around the pipeline, every ending an envelope and one line in the log), and the server around it. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import { databaseFailure, outageLog } from '../database/failure.ts'
import { diskFailure } from '../disk/failure.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Admission } from './admission.ts'
import { clientErrorListener } from './client-error.ts'
import { conditional, packing } from './negotiation.ts'
import type { Answer, Call, HttpApp, HttpParts } from './parts.ts'
import { beginCall, responder } from './pipeline.ts'
import { probes } from './probes.ts'
import { refuseUnread } from './refuse.ts'
import { allowOrigin, fixedHeaders, refusal, type Stamp, send, stampFor } from './send.ts'

/** Makes a refusal of an error; an unexpected one is logged with its stack, and the caller is told only that it happened. */
function refuser(parts: HttpParts, stamp: Stamp): (error: unknown, call: Call) => Answer {
  const { malformedJson } = parts.catalog.strictness
  const note = outageLog(parts.log)
  const noteDisk = outageLog(parts.log, 'files cannot be used')
  return (thrown, call) => {
    const at = stamp(parts.now())
    const disk = diskFailure(thrown)
    if (disk !== undefined) noteDisk(disk.params.cause, performance.now())
    const out = disk ?? outage(thrown)
    // What the engine's own statements met was noted where they met it.
    if (disk === undefined && out !== undefined && out !== thrown) note(thrown, performance.now())
    const error = out ?? thrown
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

/** The 503 of a database that is out, whoever asked it: a plugin's own query rejects with what the driver said. */
function outage(thrown: unknown): ApiError | undefined {
  const failure = databaseFailure(thrown)
  return failure instanceof ApiError && failure.code === 'unavailable' ? failure : undefined
}

/** Logs one answered request; the pattern instead of the path, because paths and queries may hold secrets. */
function recorder(parts: HttpParts): (call: Call, status: number) => void {
  const { log, metrics } = parts
  return (call, status) => {
    const ms = performance.now() - call.startedAt
    const { requestId, actor, pattern, method } = call
    metrics.requests.observe({ route: pattern, method, status: `${Math.trunc(status / 100)}xx` }, ms / 1000)
    log.info(
      { requestId, actorId: actor.id, route: pattern, method, status, ms: Math.round(ms * 100) / 100 },
      'request',
    )
  }
}

function hasConditions({ headers }: Call): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined
}

/** The middleware that answers every request, whatever happens on the way. */
function answering(parts: HttpParts, stamp: Stamp): (ctx: Context) => Promise<void> {
  const fixed = fixedHeaders(parts.settings)
  const respond = responder(parts, fixed, stamp)
  const operators = probes(parts, stamp)
  const refuse = refuser(parts, stamp)
  const record = recorder(parts)
  return async (ctx) => {
    const call = beginCall(ctx, parts)
    ctx.res.setHeader('X-Request-Id', call.requestId)
    allowOrigin(ctx.req, ctx.res, fixed)
    const probe = call.method === 'GET' ? operators.get(call.path) : undefined
    let answer: Answer
    try {
      answer = await (probe === undefined ? respond(call) : probe(ctx.req))
      if (probe === undefined && hasConditions(call)) answer = conditional(ctx.req.method, call.headers, answer)
    } catch (error) {
      answer = refuse(error, call)
    }
    try {
      send(ctx, answer, fixed)
    } catch (error) {
      // A handler gave a header with characters that no header may have.
      send(ctx, refuse(error, call), fixed)
    }
    if (probe !== undefined) return
    if (answer.body instanceof Readable) ctx.res.once('close', () => record(call, ctx.status))
    else record(call, ctx.status)
  }
}

/** Logs answers that break after they have begun, because of a stream or a socket; each once. */
function brokenAnswers(parts: HttpParts): (error: Error, ctx?: Context) => void {
  const logged = new WeakSet<Error>()
  return (error, ctx) => {
    // Koa reports a broken stream twice. A caller who hung up is no error.
    const code = String(Reflect.get(error, 'code') ?? '')
    if (logged.has(error) || /^(ECONN|EPIPE|ERR_STREAM_PREMATURE_CLOSE)/.test(code)) return
    logged.add(error)
    parts.log.error({ err: error, requestId: ctx?.res.getHeader('X-Request-Id') }, 'an answer broke off')
  }
}

/** An app that serves the parts' routes; holds nothing global, so that another may take its place at any time. */
export function createHttp(parts: HttpParts): HttpApp {
  const stamp = stampFor(parts.catalog.prefix, parts.catalog.version)
  const koa = new Koa()
  const pack = packing()
  koa.use((ctx, next) => (ctx.req.headers['accept-encoding'] === undefined ? next() : pack(ctx, next)))
  koa.use(answering(parts, stamp))
  koa.on('error', brokenAnswers(parts))
  return {
    callback: koa.callback(),
    refuse: refuseUnread(parts, stamp),
    clientError: clientErrorListener(stamp, parts.now, parts.newId),
  }
}

/** Where a server finds the app of each request; another one takes its place while the server listens. */
export interface Serving {
  app: { readonly http: HttpApp }
}

const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

/** Whether a request asks for a probe, which is answered whatever else is refused. */
function isProbe({ url = '' }: IncomingMessage): boolean {
  if (url.length > LONGEST_PROBE && !url.includes('?')) return false
  return PROBES.has(url) || PROBES.has(url.split('?')[0]!)
}

const LONGEST_PROBE = '/metrics'.length

/** What stands before every app: who is let in, and who has to wait. */
export interface Gate {
  readonly admission: Admission
  readonly passage: Passage
}

/** A host with or without a port as RFC 3986, section 3.2.2, writes it; empty where the address has none. */
const HOST = /^(?:\[[0-9a-f:.]*\]|\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i

/** The refusal of a request that does not say which host it is for; undefined where it does. */
function wrongHost({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): ApiError | undefined {
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return badHost('The request has more than one header Host')
    host = rawHeaders[at + 1]!.trim()
  }
  if (host !== undefined) return HOST.test(host) ? undefined : badHost('The header Host is no host')
  const isOlder = httpVersionMajor < 1 || (httpVersionMajor === 1 && httpVersionMinor === 0)
  return isOlder ? undefined : badHost('The request has no header Host')
}

function badHost(message: string): ApiError {
  return new ApiError('bad_request', { message })
}

/** What becomes of a request: it is served, or it has waited for too long. */
export interface Passing {
  serve(): void
  refuse(error: ApiError): void
}

/** Lets requests through, or has them wait. */
export interface Passage {
  /** The answers that are not wholly sent, in the order in which their requests came. */
  readonly inside: ReadonlySet<ServerResponse>
  /** Serves at once, or when the passage is open again; what has waited for too long is refused. */
  through(response: ServerResponse, passing: Passing): void
  /** Answers at once, also while requests wait: for answers that need nothing of the app that is replaced. */
  immediately(response: ServerResponse, serve: () => void): void
  /** From now on every answer whose headers are not sent says that its connection closes, and no request waits. */
  closing(): void
  /** Has requests wait from now on; resolves when those under way have ended, or after `mostMs`. */
  hold(mostMs: number): Promise<void>
  /** Ends one `hold`; behind the last one, the requests that wait are served, and those that come. */
  open(): void
}

/** Of several requests on one connection that wait for their answers, the last one's closes it: it would cut off the others. */
function closeAfter(inside: Iterable<ServerResponse>): void {
  const last = new Map<Socket, ServerResponse>()
  for (const response of inside) {
    const { socket } = response.req
    const before = last.get(socket)
    if (before !== undefined && !before.headersSent) before.shouldKeepAlive = true
    last.set(socket, response)
    if (!response.headersSent) response.shouldKeepAlive = false
  }
}

function heldTooLong(): ApiError {
  const message = 'The service is changing to another version of the application; try again'
  return new ApiError('unavailable', { message, retryAfter: 1 })
}

interface Waiting {
  begin(): void
  refuse(): void
}

/** Those who wait, in the order in which they came. */
function createWaiting(heldMs: number) {
  const all = new Set<Waiting>()
  return {
    /** `gone` is called where the caller hangs up meanwhile. */
    add(response: ServerResponse, one: Waiting, gone: () => void): void {
      const leaving = (next: () => void) => (): void => {
        clearTimeout(late)
        all.delete(entry)
        response.off('close', closed)
        next()
      }
      const entry: Waiting = { begin: leaving(one.begin), refuse: leaving(one.refuse) }
      const closed = leaving(gone)
      const late = setTimeout(entry.refuse, heldMs)
      response.once('close', closed)
      all.add(entry)
    },
    each(what: keyof Waiting): void {
      for (const entry of [...all]) entry[what]()
    },
  }
}

/** The answers of a passage that are not wholly sent. */
function createInside() {
  const all = new Set<ServerResponse>()
  /** Those that a change waits for. */
  const passing = new Set<ServerResponse>()
  let emptied = () => {}
  let closes = false
  function enter(response: ServerResponse, serve: () => void): void {
    all.add(response)
    if (closes) closeAfter(all)
    response.once('close', () => {
      all.delete(response)
      if (passing.delete(response) && passing.size === 0) emptied()
    })
    serve()
  }
  return {
    all,
    enter,
    pass(response: ServerResponse, serve: () => void): void {
      passing.add(response)
      enter(response, serve)
    },
    /** Resolves when no change has to wait any more, or after so long. */
    empty: (mostMs: number) =>
      new Promise<void>((resolve) => {
        if (passing.size === 0) return resolve()
        const patience = setTimeout(resolve, mostMs)
        emptied = () => {
          clearTimeout(patience)
          resolve()
        }
      }),
    close(): void {
      closes = true
      closeAfter(all)
    },
    isClosing: () => closes,
  }
}

/** A passage that is open; requests wait in it for `heldMs` at most. */
export function createPassage(heldMs: number = LIMITS.heldMs): Passage {
  const inside = createInside()
  const waiting = createWaiting(heldMs)
  /** Those who have requests wait now. */
  let holders = 0
  const open = (): void => {
    holders -= 1
    if (holders === 0) waiting.each('begin')
  }
  const hold = (mostMs: number): Promise<void> => {
    holders += 1
    return inside.empty(mostMs)
  }
  return {
    inside: inside.all,
    closing() {
      inside.close()
      waiting.each('refuse')
    },
    through(response, { serve, refuse }) {
      const tell = (): void => refuse(heldTooLong())
      const refused = (): void => inside.enter(response, tell)
      if (holders === 0) inside.pass(response, serve)
      else if (inside.isClosing()) refused()
      else waiting.add(response, { begin: () => inside.pass(response, serve), refuse: refused }, tell)
    },
    immediately: inside.enter,
    hold,
    open,
  }
}

/** A server around the app that serves, with the limits and events that Node leaves to us. Overload is refused before anything else is known. */
export function httpServer(serving: Serving, { admission, passage }: Gate): Server {
  const admit = (request: IncomingMessage, response: ServerResponse, admitted: () => void): void => {
    const { http } = serving.app
    const wrong = wrongHost(request)
    if (wrong !== undefined) {
      // What follows on the connection may be for another host still.
      response.shouldKeepAlive = false
      passage.immediately(response, () => http.refuse(request, response, wrong))
      return
    }
    if (isProbe(request)) {
      admitted()
      passage.immediately(response, () => void serving.app.http.callback(request, response))
      return
    }
    if (!admission.enter()) {
      passage.immediately(response, () => http.refuse(request, response, admission.refusal()))
      return
    }
    admitted()
    passage.through(response, {
      serve: () => void serving.app.http.callback(request, response).then(admission.leave),
      refuse(error) {
        admission.leave()
        serving.app.http.refuse(request, response, error)
      },
    })
  }
  const answer: RequestListener = (request, response) => admit(request, response, () => {})
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.keepAliveMs,
      connectionsCheckingInterval: 1_000,
      // Node would answer a missing Host by itself, without the envelope.
      requireHostHeader: false,
    },
    answer,
  )
  // An expectation other than 100-continue may be ignored; Node would answer it without the envelope.
  server.on('checkExpectation', answer)
  // A body that is announced is asked for once there is a place for its request.
  server.on('checkContinue', (request, response) => admit(request, response, () => response.writeContinue()))
  server.on('clientError', (error, socket) => serving.app.http.clientError(error, socket))
  return server
}

/** The URL under which a server that listens is reached. */
export function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
