/** What a request gets: the checks in their one order (decisions, 1), then the handler. */
import { join } from 'node:path'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { decodeInput } from '../record/decode.ts'
import { checkAccess, needsToken } from './access.ts'
import { checkDeclared, isMultipart, jsonReader } from './body.ts'
import type { Call } from './call.ts'
import { type Input, prepareContext } from './context.ts'
import { answerOf, type Stamp } from './envelope.ts'
import { answerOnce, checkedKey } from './idempotency.ts'
import { inspectBody } from './inspect.ts'
import type { Answer, BoundRoute, Headers, HttpParts } from './parts.ts'
import { decodeQuery, parseQuery } from './query.ts'
import { rateLimiter } from './rate-limit.ts'
import type { Reply } from './route.ts'
import { type Fixed, optionsAnswer } from './send.ts'
import { compileTable, type Place } from './table.ts'
import { type Upload, uploadBytes, uploads } from './upload.ts'

export type Respond = (call: Call) => Promise<Answer>

const NOTHING: Readonly<Record<string, Json>> = Object.freeze({})
const NO_UPLOAD: Upload = Object.freeze({ body: Object.freeze({}), files: Object.freeze([]) })

/** The headers as text; Node gives a list only for set-cookie, which requests don't have. */
function headersOf(call: Call): Headers {
  return call.ctx.req.headers as Headers
}

function bodyKind(route: BoundRoute): 'none' | 'json' | 'multipart' {
  return route.body ?? (route.method === 'GET' || route.method === 'DELETE' ? 'none' : 'json')
}

function paramsOf(place: Place, values: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {}
  for (let i = 0; i < place.names.length; i += 1) params[place.names[i]!] = values[i]!
  return params
}

/** Finds out who calls. A failure to find out is kept, because the rate limit comes first and counts by address then. */
function identifier(parts: HttpParts): (call: Call) => Promise<unknown> {
  return async (call) => {
    const { authenticate } = parts
    if (authenticate === undefined || call.ctx.req.headers.authorization === undefined) return undefined
    try {
      const actor = await authenticate(headersOf(call), call.requestId)
      if (actor !== null) call.actor = actor
      return undefined
    } catch (error) {
      return error ?? new Error('authentication failed')
    }
  }
}

/** Runs middleware around the handler, each with the options of its plugin. */
function runner(parts: HttpParts): (route: BoundRoute, input: Input, stamp: Stamp) => Promise<Answer> {
  return async (route, input, stamp) => {
    const { context, withOptions, settle } = prepareContext(parts, input, route.options)
    let next = (): Promise<Reply> => route.handle(context)
    for (const { run, options } of parts.middleware.toReversed()) {
      const inner = next
      next = () => run(withOptions(options), inner)
    }
    const reply = await next()
    await settle()
    return answerOf(reply, route.status ?? 200, stamp(parts.now()))
  }
}

/** Decodes the body by the route's input; a handler without one gets it as sent. */
function decoder(parts: HttpParts): (route: BoundRoute, body: JsonObject) => JsonObject {
  const { strictness } = parts.catalog
  return (route, body) => {
    const errors = inspectBody(body)
    if (Object.keys(errors).length > 0) throw invalid(errors)
    if (route.inputFields === undefined) return body
    const partial = route.method === 'PUT' || route.method === 'PATCH'
    const decoded = decodeInput(route.inputFields, body, { partial, unknownKeys: strictness.unknownKeys })
    if (Object.keys(decoded.errors).length > 0) throw invalid(decoded.errors)
    return decoded.values
  }
}

/** The whole way of a request to its answer; throws ApiError where a check refuses. */
export function responder(parts: HttpParts, fixed: Fixed, stamp: Stamp): Respond {
  const { catalog, settings } = parts
  const table = compileTable(parts.routes, catalog.prefix)
  const identify = identifier(parts)
  const count = rateLimiter(parts)
  const jsonBytes = Math.min(catalog.limits.jsonBytes ?? LIMITS.jsonBytes, LIMITS.jsonBytes)
  const readJson = jsonReader(jsonBytes)
  const withUpload = uploads(join(settings.dataDir, 'tmp'), parts.now)
  const decode = decoder(parts)
  const run = runner(parts)
  const once = answerOnce(parts)

  async function countRequest(call: Call, bucket: 'general' | 'auth'): Promise<void> {
    const { limit, remaining, refused } = await count(bucket, call.actor, call.ip)
    call.ctx.res.setHeader('X-RateLimit-Limit', limit)
    call.ctx.res.setHeader('X-RateLimit-Remaining', remaining)
    if (refused !== undefined) throw refused
  }

  function perform(call: Call, { route, pattern }: Place, input: Input): Promise<Answer> {
    const header = input.headers['idempotency-key']
    // Answers of the auth bucket carry tokens, and a token is stored nowhere: those routes are done anew each time.
    if (header === undefined || route.method !== 'POST' || route.bucket === 'auth') return run(route, input, stamp)
    const { actor, body, files } = input
    return once(
      {
        key: checkedKey(header),
        actor: actor.id === null ? `ip:${call.ip}` : `user:${actor.id}`,
        route: `POST ${pattern}`,
        url: call.search === '' ? call.path : `${call.path}?${call.search}`,
        body,
        files,
      },
      () => run(route, input, stamp),
    )
  }

  return async (call) => {
    const { ctx } = call
    const match = table(call.path)
    const place = match?.entry.methods.get(call.method)
    const unknownActor = await identify(call)

    await countRequest(call, place?.route.bucket ?? 'general')
    if (match === undefined) throw new ApiError('route_not_found')
    call.pattern = match.entry.pattern
    if (call.method === 'OPTIONS') return optionsAnswer(match.entry.allow, fixed)
    if (place === undefined) throw new ApiError('method_not_allowed', { allow: match.entry.allow })

    const { route } = place
    if (unknownActor !== undefined) throw unknownActor
    if (call.actor.kind === 'anonymous' && needsToken(route)) throw new ApiError('unauthenticated')

    const kind = bodyKind(route)
    if (kind === 'json') checkDeclared(ctx.req, jsonBytes, false)
    else if (kind === 'multipart') checkDeclared(ctx.req, uploadBytes(route.upload), true)
    const sent = kind === 'json' ? await readJson(ctx) : NO_UPLOAD.body
    const query = parseQuery(call.search)

    checkAccess(route, call.actor)

    const finish = ({ body, files }: Upload) =>
      perform(call, place, {
        actor: call.actor,
        requestId: call.requestId,
        ip: call.ip,
        headers: headersOf(call),
        params: paramsOf(place, match.values),
        query,
        parameters:
          route.queryFields === undefined
            ? NOTHING
            : decodeQuery(query, route.queryFields, catalog.strictness.unknownParameters),
        body: kind === 'none' ? body : decode(route, body),
        files,
      })
    if (kind === 'multipart' && isMultipart(ctx.req)) return withUpload(ctx, route.upload, finish)
    return finish({ body: sent, files: NO_UPLOAD.files })
  }
}
