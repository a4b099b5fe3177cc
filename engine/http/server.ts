/**
 * The HTTP app (Koa around the pipeline; every request ends with an envelope and a line in the log), and the server
 * around it.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import { databaseFailure, outageLog } from '../database/failure.ts'
import { diskFailure } from '../disk/failure.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Admission } from './admission.ts'
import type { Call } from './call.ts'
import { clientErrorListener, refuseUnread } from './early-refusal.ts'
import type { HttpApp, HttpParts } from './http-app.ts'
import { packing, sentencesFor } from './negotiation.ts'
import { beginCall, responder } from './pipeline.ts'
import { probes } from './probes.ts'
import type { Answer } from './send.ts'
import { allowOrigin, conditional, fixedHeaders, refusal, type Stamp, send, stampFor } from './send.ts'

/**
 * Turns an error into a refusal. An unexpected error is logged with its stack; the caller only learns that it happened.
 */
function refuser(parts: HttpParts, stamp: Stamp): (error: unknown, call: Call) => Answer {
  const { malformedJson } = parts.catalog.strictness
  const note = outageLog(parts.log)
  const noteDisk = outageLog(parts.log, 'files cannot be used')
  const inItsWords = translator(parts)
  return (thrown, call) => {
    const at = stamp(parts.now())
    const disk = diskFailure(thrown)
    if (disk !== undefined) noteDisk(disk.params.cause, performance.now())
    const out = disk ?? outage(thrown)
    // The engine's own statements note an outage where they meet it.
    if (disk === undefined && out !== undefined && out !== thrown) note(thrown, performance.now())
    const error = out ?? thrown
    if (!(error instanceof ApiError)) {
      const { requestId, method, pattern } = call
      parts.log.error({ err: error, requestId, method, route: pattern }, 'request failed')
      const failed = inItsWords(new ApiError('server_error'), call)
      return written(failed, call, refusal(failed, at, requestId))
    }
    const answer = written(error, call, refusal(inItsWords(error, call), at, call.requestId))
    if (error.code === 'malformed_body' && malformedJson !== 400) return { ...answer, status: malformedJson }
    return answer
  }
}

/** Gives refusals their sentences in the language of the request. */
function translator({ catalog }: Pick<HttpParts, 'catalog'>): (error: ApiError, call: Call) => ApiError {
  return (error, { headers, pattern }) => error.translated(sentencesFor(catalog, headers, pattern))
}

/** A refusal as its route writes it. */
function written(error: ApiError, { refuse }: Call, answer: Answer): Answer {
  return refuse === undefined ? answer : { ...answer, ...refuse(error) }
}

/** The 503 of a database that is out, also where the driver rejected a plugin's own query. */
function outage(thrown: unknown): ApiError | undefined {
  const failure = databaseFailure(thrown)
  return failure instanceof ApiError && failure.code === 'unavailable' ? failure : undefined
}

/** Logs one answered request, by pattern instead of path: paths and queries may hold secrets. */
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

/** The middleware that answers every request. */
function answering(parts: HttpParts, stamp: Stamp): (ctx: Context) => Promise<void> {
  const fixed = fixedHeaders(parts.settings, parts.catalog)
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
      // A header of a handler had characters that headers must not have.
      send(ctx, refuse(error, call), fixed)
    }
    if (probe !== undefined) return
    if (answer.body instanceof Readable) ctx.res.once('close', () => record(call, ctx.status))
    else record(call, ctx.status)
  }
}

/** Logs answers that break after they have begun, each once. */
function brokenAnswers(parts: HttpParts): (error: Error, ctx?: Context) => void {
  const logged = new WeakSet<Error>()
  return (error, ctx) => {
    // Koa reports a broken stream twice. A caller that hangs up is no error.
    const code = String(Reflect.get(error, 'code') ?? '')
    if (logged.has(error) || /^(ECONN|EPIPE|ERR_STREAM_PREMATURE_CLOSE)/.test(code)) return
    logged.add(error)
    parts.log.error({ err: error, requestId: ctx?.res.getHeader('X-Request-Id') }, 'an answer broke off')
  }
}

/** An app that serves the routes of its parts; holds nothing global, so that another can replace it at any time. */
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

/** The app that a server serves at present; it can be replaced while the server listens. */
export interface Serving {
  app: { readonly http: HttpApp }
}

const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

/** Whether a request is a probe, which is answered even under overload. */
function isProbe({ url = '' }: IncomingMessage): boolean {
  if (url.length > LONGEST_PROBE && !url.includes('?')) return false
  return PROBES.has(url) || PROBES.has(url.split('?')[0]!)
}

const LONGEST_PROBE = '/metrics'.length

/** The two gates in front of an app: admission, and the passage in which requests wait. */
export interface Gate {
  readonly admission: Admission
  readonly passage: Passage
}

/** A host with or without a port (RFC 3986, section 3.2.2); empty where the address has none. */
const HOST = /^(?:\[[0-9a-f:.]*\]|\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i

/** The refusal of a request without a valid Host; undefined where it has one. */
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

/** The two ends of a request in a passage. */
export interface Passing {
  serve(): void
  refuse(error: ApiError): void
}

/** Lets requests through, or makes them wait. */
export interface Passage {
  /** Answers that are not completely sent, in the order of their requests. */
  readonly inside: ReadonlySet<ServerResponse>
  /** Serves at once, or when the passage opens; refuses a request that waited too long. */
  through(response: ServerResponse, passing: Passing): void
  /** Answers at once, also while requests wait: for answers that need nothing of the app that is replaced. */
  immediately(response: ServerResponse, serve: () => void): void
  /** From now on every answer whose headers are not sent closes its connection, and no request waits. */
  closing(): void
  /** Makes requests wait; resolves when those in progress have ended, or after `mostMs`. */
  hold(mostMs: number): Promise<void>
  /** Ends one `hold`. After the last one, waiting and new requests are served. */
  open(): void
}

/**
 * Of several requests that wait on one connection, only the last answer closes it: an earlier one would cut off the
 * others.
 */
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

/** Waiting requests, in their order. */
function createWaiting(heldMs: number) {
  const all = new Set<Waiting>()
  return {
    /** Calls `gone` if the caller hangs up first. */
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

/** The answers of a passage that are not completely sent. */
function createInside() {
  const all = new Set<ServerResponse>()
  /** Answers that a change of the app waits for. */
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
    /** Resolves when no change has to wait any more, or after this time. */
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

/** An open passage; requests wait in it for at most `heldMs`. */
export function createPassage(heldMs: number = LIMITS.heldMs): Passage {
  const inside = createInside()
  const waiting = createWaiting(heldMs)
  /** The number of changes for which requests wait. */
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

/** A server around the current app, with the limits and events that Node leaves to us. Overload is refused first. */
export function httpServer(serving: Serving, { admission, passage }: Gate): Server {
  const admit = (request: IncomingMessage, response: ServerResponse, admitted: () => void): void => {
    const { http } = serving.app
    const wrong = wrongHost(request)
    if (wrong !== undefined) {
      // What follows on the connection may be for another host.
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
      // Node would answer a missing Host itself, without the envelope.
      requireHostHeader: false,
    },
    answer,
  )
  // Expectations other than 100-continue may be ignored; Node would answer them without the envelope.
  server.on('checkExpectation', answer)
  // An announced body is asked for once its request has a place.
  server.on('checkContinue', (request, response) => admit(request, response, () => response.writeContinue()))
  server.on('clientError', (error, socket) => serving.app.http.clientError(error, socket))
  return server
}

/** The URL of a listening server. */
export function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
