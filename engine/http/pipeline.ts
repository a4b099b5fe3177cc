/** The path of a request to its answer: the checks in their one order, then the handler. Read it from the top. */
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { type Actor, ANONYMOUS } from '../actor.ts'
import { allows, allowsOne, forbiddenBy, holds } from '../ask/policy.ts'
import type { Field } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { decodeInput } from '../record/decode.ts'
import { dryRun } from '../run/dry-run.ts'
import { type Execution, executionOf, runLeft, type Work } from '../run/execution.ts'
import { bodyReader, checkDeclared, inspectBody, isMultipart, type ReadBody } from './body.ts'
import type { BoundRoute, RequestInput } from './bound-route.ts'
import type { Call, Headers } from './call.ts'
import { routeContext, type Transact } from './context.ts'
import { credentialsOf, isFromThisMachine } from './credentials.ts'
import { type EarlierUse, watchEarlierNames, withEarlier } from './earlier-names.ts'
import { explainedRefusal, explainedReply, explainer } from './explained.ts'
import type { HttpParts } from './http-app.ts'
import { answerOnce } from './idempotency.ts'
import type { Place as LargePlace } from './large-answers.ts'
import { requireCoding, sentencesFor } from './negotiation.ts'
import { decodeQuery, parseQuery } from './query.ts'
import { callerOf, clientAddress, rateLimiter } from './rate-limit.ts'
import type { BodyKind, Reply } from './route.ts'
import { type Answer, answerOf, type Fixed, optionsAnswer, requireComparable, type Stamp } from './send.ts'
import { compileTable, type Match, type Place } from './table.ts'
import { type Upload, uploadBytes, uploads } from './upload.ts'

/** A request id that logs and headers can hold: visible ASCII. */
const SANE_ID = /^[\x21-\x7e]+$/
/** `GET http://host/path`, as a proxy is asked. */
const ORIGIN = /^https?:\/\/[^/?#]*/i

/** The id of a request: its own X-Request-Id where that is sane, else a new one. */
export function requestIdOf({ headers }: IncomingMessage, newId: () => string): string {
  const sent = headers['x-request-id']
  const sane = typeof sent === 'string' && sent.length <= LIMITS.requestIdLength && SANE_ID.test(sent)
  return sane ? sent : newId()
}

/** Begins a request. */
export function beginCall(ctx: Context, parts: Pick<HttpParts, 'settings' | 'newId'>): Call {
  const { req } = ctx
  const url = (req.url ?? '/').replace(ORIGIN, '')
  const mark = url.indexOf('?')
  const forwarded = req.headers['x-forwarded-for']
  return {
    ctx,
    requestId: requestIdOf(req, parts.newId),
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

/** Answers a request; throws ApiError where a check refuses. */
export type Respond = (call: Call) => Promise<Answer>

const NOTHING: Readonly<Record<string, Json>> = Object.freeze({})
const NO_BODY: ReadBody = Object.freeze({ body: Object.freeze({}), raw: undefined })

/** The pipeline of an app; throws when two routes have the same path and method. */
export function responder(parts: HttpParts, fixed: Fixed, stamp: Stamp): Respond {
  const tableOf = compileTable(parts.routes, parts.catalog.prefix)
  const identify = identifier(parts)
  const count = rateLimiter(parts)
  const explaining = explainer(parts)
  const { decode, readBody, readUpload } = receiver(parts)
  const perform = performer(parts, stamp)

  /** Reads the input of a request (413, 415, 400), checks access (403), decodes (422), and runs the handler. */
  const answer = async (call: Call, place: Place, match: Match): Promise<Answer> => {
    const { route } = place
    const read = await readBody(call, place)
    const query = call.search === '' ? new URLSearchParams() : parseQuery(call.search)
    checkAccess(place, call.actor)
    if (call.actor.used !== undefined) noteUsed(route, call.actor)
    const upload = await readUpload(call, place)
    try {
      const input = decode(call, place, match, { ...read, query, upload })
      for (let unit = route.units?.(input) ?? 0; unit > 0; unit -= 1)
        await count(call.ctx, route.bucket ?? 'general', call.actor, call.ip)
      return await perform(call, place, input)
    } finally {
      await upload?.remove()
    }
  }

  return async (call) => {
    const match = tableOf(call.path)
    const place = match?.entry.methods.get(call.method)
    call.refuse = place?.route.refuse
    const unidentified = await identify(call)
    const isFound = match !== undefined && !isHidden(place, call)
    if (isCounted(place, isFound)) await count(call.ctx, place?.route.bucket ?? 'general', call.actor, call.ip)
    if (!isFound && isPage(tableOf(call.path.replace(/\/$/, '')))) return withoutSlash(call.path)
    if (!isFound) throw new ApiError('route_not_found')
    call.pattern = match.entry.pattern
    if (call.method === 'OPTIONS') return optionsAnswer(match.entry.allow, fixed)
    if (place === undefined) throw new ApiError('method_not_allowed', { allow: match.entry.allow })
    if (unidentified !== undefined) throw unidentified
    if (call.actor.kind === 'anonymous' && place.needsToken) throw new ApiError('unauthenticated')
    if (call.headers['accept-encoding'] !== undefined) requireCoding(call.headers['accept-encoding'])
    if (call.headers.prefer === undefined) return answer(call, place, match)
    call.explain = explaining?.(call, { ...place, named: match.values[0], methods: match.entry.methods })
    try {
      return await answer(call, place, match)
    } catch (error) {
      throw call.explain === undefined ? error : await explainedRefusal(call, error)
    }
  }
}

/** Whether a request counts in the limits: not one of a developer's own page, which asks all the time. */
function isCounted(place: Place | undefined, isFound: boolean): boolean {
  return !isFound || place?.route.developing !== true
}

/** Whether a route for developers is asked by somebody else: there is none then. */
function isHidden(place: Place | undefined, call: Call): boolean {
  return place?.route.developing === true && !isFromThisMachine(call)
}

/** Whether people open the path in a browser: they may write a slash at its end. */
function isPage(match: Match | undefined): boolean {
  const route = match?.entry.methods.get('GET')?.route
  return route?.absolute === true && route.produces?.includes('text/html') === true
}

/** Leads to the page, relative to where the browser is, because a proxy may have put something in front of the path. */
function withoutSlash(path: string): Answer {
  return { status: 308, headers: { Location: `../${path.split('/').at(-2)}` } }
}

/**
 * Sets the actor of a call. A failure is returned, to be thrown later: the rate limit comes first, and counts callers
 * without an account by their address.
 */
function identifier({ authenticate, foundation }: HttpParts): (call: Call) => Promise<unknown> {
  if (authenticate === undefined) return async () => undefined
  const { options, value } = authenticate
  const none = { actor: ANONYMOUS, requestId: 'authenticate', afterCommit: () => undefined }
  const context = foundation.contextOf(executionOf(foundation, none), options)
  return async (call) => {
    const headers = call.headers.cookie === undefined ? call.headers : credentialsOf(call.method, call.headers)
    if (headers.authorization === undefined && headers.cookie === undefined) return undefined
    try {
      const actor = await value({ ...context, requestId: call.requestId, headers, ip: call.ip, method: call.method })
      if (actor !== null) call.actor = actor
      return undefined
    } catch (error) {
      return error ?? new Error('authentication failed')
    }
  }
}

/** Refuses an actor that the route does not admit: first for a restriction, then for a missing permission, by its name. */
export function checkAccess({ route, needsToken }: Pick<Place, 'route' | 'needsToken'>, actor: Actor): void {
  const { access } = route
  if (access !== 'public') {
    if (actor.restriction !== undefined && route.openToRestricted !== true && needsToken) {
      throw new ApiError(actor.restrictionCode ?? 'forbidden', { message: actor.restriction })
    }
    // Clauses judge the scope of an actor themselves.
    const allowed = route.admit === undefined ? allowsOne(access, actor) : access.some((one) => allows(one, actor))
    if (!allowed) throw forbiddenBy(access, actor)
  }
  route.admit?.(actor)
}

/** Tells the permissions by which a route admits its caller. */
function noteUsed({ access, admit }: Pick<BoundRoute, 'access' | 'admit'>, actor: Actor): void {
  const asked = [...(access === 'public' ? [] : access), ...(admit?.(actor) ?? []).flatMap((clause) => clause.access)]
  for (const one of asked) if (one.kind === 'permission' && holds(actor, one.permission)) actor.used?.(one.permission)
}

/** The parts of a request's input before they are decoded. */
interface Received extends ReadBody {
  readonly query: URLSearchParams
  readonly upload: Upload | undefined
}

interface Receiver {
  /** The body; `{}` for one with files, after a check of its declared size and type alone. */
  readonly readBody: (call: Call, place: Place) => Promise<ReadBody>
  /** The files and texts of a multipart body; undefined for other requests. */
  readonly readUpload: (call: Call, place: Place) => Promise<Upload | undefined>
  readonly decode: (call: Call, place: Place, match: Match, received: Received) => RequestInput
}

function receiver(parts: HttpParts): Receiver {
  const { strictness, limits } = parts.catalog
  // Where filters are taken too, the handler judges what is unknown.
  const unknownParameters = ({ filters }: BoundRoute) =>
    filters === undefined ? strictness.unknownParameters : 'ignore'
  const jsonBytes = Math.min(limits.jsonBytes ?? LIMITS.jsonBytes, LIMITS.jsonBytes)
  const read = { json: bodyReader('json', jsonBytes), form: bodyReader('form', jsonBytes) }
  const readRaw = memo(({ upload }: BoundRoute) => bodyReader('raw', upload?.bytes ?? jsonBytes))
  const mostBytes = ({ upload }: BoundRoute, kind: BodyKind): number => {
    if (kind === 'raw') return upload?.bytes ?? jsonBytes
    return kind === 'multipart' ? uploadBytes(upload) : jsonBytes
  }
  const receiveUpload = uploads(join(parts.settings.dataDir, 'tmp'), parts)

  return {
    readBody: async ({ ctx }, { route, takes: kind }) => {
      if (kind !== 'none') checkDeclared(ctx.req, mostBytes(route, kind), kind)
      if (kind === 'raw') return readRaw(route)(ctx)
      return kind === 'json' || kind === 'form' ? read[kind](ctx) : NO_BODY
    },
    readUpload: async ({ ctx }, { route, takes }) =>
      takes === 'multipart' && isMultipart(ctx.req) ? receiveUpload(ctx, route.upload) : undefined,
    decode: ({ headers, ip }, { names, route, takes }, { values }, { body, raw, query, upload }) => {
      const { queryFields } = route
      const undeclared = queryFields === undefined || (query.size === 0 && queryFields.every(isOptional))
      const sent = upload?.body ?? body
      return {
        ip,
        headers,
        query,
        files: upload?.files ?? [],
        raw,
        params: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])),
        parameters: undeclared ? NOTHING : decodeQuery(query, queryFields, unknownParameters(route)),
        body: takes === 'none' ? sent : decodeBody(route, takes, sent, strictness.unknownKeys),
      }
    },
  }
}

/** Whether a request without the parameter has no value for it. */
function isOptional(field: Field): boolean {
  return field.default === undefined && !field.required
}

/** The body decoded by the route's input; a handler without one gets it as it was sent. */
function decodeBody(
  route: BoundRoute,
  takes: BodyKind,
  body: JsonObject,
  unknownKeys: 'refuse' | 'ignore',
): JsonObject {
  const errors = inspectBody(body)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  if (route.inputFields === undefined) return body
  const partial = route.method === 'PUT' || route.method === 'PATCH'
  const sent = takes === 'form' ? withLists(route.inputFields, body) : body
  const decoded = decodeInput(route.inputFields, sent, { partial, unknownKeys })
  if (Object.keys(decoded.errors).length > 0) throw invalid(decoded.errors)
  return decoded.values
}

/** The values of a form, with a list where the field is one: a form does not say whether a single text is a list. */
function withLists(fields: readonly Field[], body: JsonObject): JsonObject {
  const lists = fields.filter(({ name, type }) => type.name === 'list' && typeof body[name] === 'string')
  return { ...body, ...Object.fromEntries(lists.map(({ name }) => [name, [body[name]!]])) }
}

/** Runs the handler, once for each Idempotency-Key, and then the work that it left for later. */
function performer(parts: HttpParts, stamp: Stamp): (call: Call, place: Place, input: RequestInput) => Promise<Answer> {
  const { drift, foundation, now } = parts
  const once = answerOnce(parts)
  const watch = watchEarlierNames(parts)
  const inItsWords = (reply: Reply, { headers, pattern }: Call): Reply => {
    if (reply.message === undefined || headers['accept-language'] === undefined) return reply
    const say = sentencesFor(parts.catalog, headers, pattern)
    return say === undefined ? reply : { ...reply, message: say(reply.message) }
  }

  return async (call, place, input) => {
    const { actor, ctx, requestId } = call
    if (place.route.versioned !== true) {
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = input.headers
      if (ifMatch !== undefined || ifNoneMatch !== undefined) requireComparable(place.route, { ifMatch, ifNoneMatch })
    }
    const large = place.route.large === true ? parts.largeAnswers.begin(ctx.res, callerOf(actor, call.ip)) : undefined
    const { route } = place
    const left: Work[] = []
    const around = executionOf(foundation, { actor, requestId, afterCommit: (work) => void left.push(work) })
    const replied = (reply: Reply): Answer => answerOf(inItsWords(reply, call), route.status ?? 200, stamp(now()))
    const handle = async (transact?: Transact): Promise<Reply> => {
      const reply = isDryRun(route, input)
        ? await tried(around, route, input)
        : await handled(around, route, input, transact)
      return reply.earlier === undefined ? reply : (watch?.found(reply, actor) ?? reply)
    }
    const work = async (): Promise<Answer> =>
      isKeyed(route, input)
        ? await once(call, place, input, { around, handle, answerOf: replied })
        : replied(await toldWhy(call, handle))
    const use = watch?.asked(route, input, actor)
    const done = () => (use === undefined ? work() : underEarlierNames(use, work))
    const answer = await (drift === undefined ? done() : drift.guarded(route.tag, done))
    if (left.length > 0) await runLeft(around, left)
    if (large !== undefined) sendLarge(large, answer)
    return answer
  }
}

/** Sends a large answer; closes it unread where it may not be sent. */
function sendLarge(large: LargePlace, { body }: Answer): void {
  try {
    large.send()
  } catch (error) {
    if (body instanceof Readable) body.destroy()
    throw error
  }
}

/** The reply, with its explanation where the caller asked for one. */
async function toldWhy(call: Call, handle: () => Promise<Reply>): Promise<Reply> {
  const reply = await handle()
  return call.explain === undefined ? reply : explainedReply(call, reply)
}

/** Does the work of a request that uses earlier names, and warns its client. */
async function underEarlierNames({ headers, told }: EarlierUse, work: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await work()
    return { ...answer, headers: withEarlier(answer.headers, headers) }
  } catch (error) {
    throw told(error)
  }
}

/**
 * Whether the work of a request must happen once. Answers of the auth bucket hold tokens, which are never stored, so
 * their routes run again each time.
 */
function isKeyed(route: BoundRoute, input: RequestInput): boolean {
  const { method, bucket, reads } = route
  if (method !== 'POST' || reads === true || bucket === 'auth') return false
  return input.headers['idempotency-key'] !== undefined && !isDryRun(route, input)
}

/** Whether the caller only asks what the work would do. */
function isDryRun({ dryRun: isOffered }: BoundRoute, { parameters }: RequestInput): boolean {
  return isOffered === true && parameters.dry_run === true
}

/** The reply that the work would give, without what names something that is not there afterwards. */
async function tried(around: Execution, route: BoundRoute, input: RequestInput): Promise<Reply> {
  const reply = await handled(around, route, input, (work) => dryRun(around, work))
  const { data, earlier, message, meta } = reply
  return {
    status: 200,
    data,
    earlier,
    ...(message === undefined ? {} : { message }),
    meta: { ...meta, dry_run: true },
  }
}

/**
 * The reply of a route's handler: the engine's routes run with an Execution, those of plugins with a larger context.
 * `transact` is given for work that must happen once.
 */
function handled(around: Execution, route: BoundRoute, input: RequestInput, transact?: Transact): Promise<Reply> {
  if ('run' in route) {
    return transact === undefined ? route.run(around, input) : transact((inner) => route.run(inner, input))
  }
  return route.handle(routeContext(around, input, route.options, transact))
}
