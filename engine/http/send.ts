/** Answers: the envelope (success, data or message and errors, meta), the headers of all answers, the preconditions about versions (RFC 9110, section 13), and their sending. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { ApiError } from '../error.ts'
import { fieldErrorCodes, firstErrors } from '../field-error.ts'
import { JsonText, namesTag } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Preconditions } from '../run/read-back.ts'
import type { BoundRoute } from './bound-route.ts'
import type { Headers } from './call.ts'
import type { Reply } from './route.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly type?: string
  readonly body?: string | Buffer | Readable
}

/** The start of `meta` at one moment: `"timestamp":"…","version":"v1"`. */
export type Stamp = (at: Date) => string

/** The beginning of `meta` in an app; the version is the last segment of the prefix where that is one (`/api/v1`). */
export function stampFor(prefix: string, version: string): Stamp {
  const segment = prefix.slice(prefix.lastIndexOf('/') + 1)
  const shown = JSON.stringify(/^v\d/.test(segment) ? segment : version)
  // The clock has milliseconds, and answers show microseconds.
  return (at) => `"timestamp":"${at.toISOString().slice(0, -1)}000Z","version":${shown}`
}

function json(value: unknown): string {
  if (value instanceof JsonText) return value.text
  return JSON.stringify(value) ?? 'null'
}

function metaOf(stamp: string, extra: Reply['meta']): string {
  let text = stamp
  for (const key in extra) {
    if (extra[key] !== undefined) text += `,${JSON.stringify(key)}:${json(extra[key])}`
  }
  return text
}

const OPENING = '{"success":true,"data":'

function closing(reply: Reply, stamp: string): string {
  const message = reply.message === undefined ? '' : `,"message":${JSON.stringify(reply.message)}`
  return `${message},"meta":{${metaOf(stamp, reply.meta)}}}`
}

/** The text of a success; `stamp` comes from Stamp. */
export function successText(reply: Reply, stamp: string): string {
  return OPENING + json(reply.data) + closing(reply, stamp)
}

const OPENING_BYTES = Buffer.from(OPENING)

/** The body of a success; bytes where the data is bytes. */
function successBody(reply: Reply, stamp: string): string | Buffer {
  const bytes = reply.data instanceof JsonText ? reply.data.bytes : undefined
  if (bytes === undefined) return successText(reply, stamp)
  return Buffer.concat([OPENING_BYTES, bytes, Buffer.from(closing(reply, stamp))])
}

/** The text of a refusal; has the request id where a caller can only report the error. */
export function refusalText(error: ApiError, stamp: string, requestId?: string): string {
  const { checks, errors, explain } = error.params
  const { told = undefined, total = 0 } = errors === undefined ? {} : firstErrors(errors, LIMITS.bodyErrors)
  const fields =
    told === undefined ? '' : `,"errors":${JSON.stringify(told)},"error_codes":${JSON.stringify(fieldErrorCodes(told))}`
  const count = told === errors ? '' : `,"errors_total":${total}`
  const id = requestId === undefined || error.status < 500 ? '' : `,"request_id":${JSON.stringify(requestId)}`
  const looked = checks === undefined ? '' : `,"checks":${JSON.stringify(checks)}`
  const why = explain === undefined ? '' : `,"explain":${JSON.stringify(explain)}`
  return `{"success":false,"message":${JSON.stringify(error.message)},"code":"${error.code}"${fields},"meta":{${stamp}${id}${count}${looked}${why}}}`
}

function refusalHeaders(error: ApiError): Readonly<Record<string, string>> {
  const { retryAfter, allow, explain } = error.params
  if (explain !== undefined) return { 'Preference-Applied': 'explain' }
  if (error.status === 401) return { 'WWW-Authenticate': 'Bearer' }
  if (allow !== undefined) return { Allow: allow.join(', ') }
  if (retryAfter !== undefined || error.status === 503) return { 'Retry-After': String(Math.max(1, retryAfter ?? 1)) }
  return {}
}

/** A refusal as an answer. */
export function refusal(error: ApiError, stamp: string, requestId: string): Answer {
  return {
    status: error.status,
    headers: refusalHeaders(error),
    type: JSON_TYPE,
    body: refusalText(error, stamp, requestId),
  }
}

/** A handler's reply as an answer; `status` is that of the route. */
export function answerOf(reply: Reply, status: number, stamp: string): Answer {
  const headers: Record<string, string> = { ...reply.headers }
  if (reply.etag !== undefined) headers.ETag = `"${reply.etag}"`
  const given = reply.status ?? status
  const head = { status: given, headers, ...(reply.cookies !== undefined && { cookies: reply.cookies }) }
  if (given === 204) return head
  if (reply.raw !== undefined) return { ...head, type: reply.raw.type, body: reply.raw.body }
  return { ...head, type: JSON_TYPE, body: successBody(reply, stamp) }
}

/** The headers of every answer of an app, and the origins that may read it. */
export interface Fixed {
  readonly headers: readonly (readonly [string, string])[]
  readonly origins: ReadonlySet<string>
}

const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'Retry-After',
  'X-Request-Id',
  'ETag',
  'Location',
  'Link',
  'Content-Disposition',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
].join(', ')
const ALLOWED = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id'
/** Two hours: the longest that browsers keep a preflight's answer. */
const PREFLIGHT_SECONDS = '7200'

/** Makes the fixed headers of an app; HSTS only where its public address is https. */
export function fixedHeaders(
  settings: { readonly baseUrl: string; readonly corsOrigins: readonly string[] },
  { languages }: { readonly languages: readonly string[] },
): Fixed {
  const varying = ['Authorization', 'Cookie', 'Accept-Encoding']
  if (languages.length > 1) varying.push('Accept-Language')
  if (settings.corsOrigins.length > 0) varying.push('Origin')
  const headers: [string, string][] = [
    ['Cache-Control', 'private, no-cache'],
    ['Vary', varying.join(', ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ]
  if (settings.baseUrl.startsWith('https:')) headers.push(['Strict-Transport-Security', 'max-age=31536000'])
  return { headers, origins: new Set(settings.corsOrigins) }
}

/** Lets the page of an allowed origin read the answer; cookies never speak for a page of another origin, so none are involved. */
export function allowOrigin(request: IncomingMessage, response: ServerResponse, fixed: Fixed): void {
  const { origin } = request.headers
  if (origin === undefined || fixed.origins.size === 0) return
  if (!fixed.origins.has('*') && !fixed.origins.has(origin)) return
  response.setHeader('Access-Control-Allow-Origin', fixed.origins.has('*') ? '*' : origin)
  response.setHeader('Access-Control-Expose-Headers', EXPOSED)
}

/** The answer to OPTIONS: the methods, and the permissions for a page of an allowed origin. */
export function optionsAnswer(allow: readonly string[], fixed: Fixed): Answer {
  const methods = allow.join(', ')
  if (fixed.origins.size === 0) return { status: 204, headers: { Allow: methods } }
  return {
    status: 204,
    headers: {
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': ALLOWED,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    },
  }
}

/** Whether `If-Match` or `If-None-Match` names the ETag of an answer: in a list, weak or strong, or `*`. */
export function matchesTag(header: string, etag: string | undefined): boolean {
  return namesTag(header, etag?.replace(/^(?:W\/)?"|"$/g, ''))
}

const TAGS = /^[\s,]*(?:(?:W\/)?"[^"]*"[\s,]*)+$/

/** The preconditions in a request's headers. */
export function preconditionsOf(headers: Headers): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] }
}

/**
 * Throws stale_version where a change depends on a version that its route does not compare: without the comparison it
 * would not be the change that the client asked for. A POST changes nothing at its path.
 */
export function requireComparable({ method }: BoundRoute, { ifMatch, ifNoneMatch }: Preconditions): void {
  if (method === 'GET' || method === 'POST') return
  if (ifMatch !== undefined && ifMatch.trim() !== '*') {
    const message = 'What this request changes has no version to compare: send it without If-Match'
    throw new ApiError('stale_version', { message })
  }
  if (ifNoneMatch?.trim() === '*') {
    const message = 'What this request changes is there: send it without If-None-Match'
    throw new ApiError('stale_version', { message })
  }
}

/**
 * The answer to a read under its preconditions (RFC 9110, section 13.2.2): itself, 304, or stale_version thrown.
 * Answers have no Last-Modified, so conditions about dates are ignored as they must be. An If-Match that is no list of
 * tags is ignored too, since a read does no harm.
 */
export function conditional(method: string | undefined, headers: Headers, answer: Answer): Answer {
  if ((method !== 'GET' && method !== 'HEAD') || answer.status !== 200) return answer
  const { ifMatch, ifNoneMatch } = preconditionsOf(headers)
  const matched = (header: string): boolean => matchesTag(header, answer.headers.ETag)
  const differs = ifMatch !== undefined && TAGS.test(ifMatch) && !matched(ifMatch)
  if (!differs && (ifNoneMatch === undefined || !matched(ifNoneMatch))) return answer
  if (answer.body instanceof Readable) answer.body.destroy()
  if (differs) throw new ApiError('stale_version', { message: 'This is not the version that If-Match names' })
  return { status: 304, headers: answer.headers }
}

/** Sets status, headers and body; closes a body that is not sent. */
export function send(ctx: Context, answer: Answer, fixed: Fixed): void {
  const { res } = ctx
  for (const [name, value] of fixed.headers) res.setHeader(name, value)
  for (const name in answer.headers) res.setHeader(name, answer.headers[name]!)
  if (answer.cookies !== undefined) res.setHeader('Set-Cookie', answer.cookies)
  const { body, status } = answer
  ctx.status = status
  if (status === 304 || status === 204 || ctx.req.method === 'HEAD') {
    if (body instanceof Readable) body.destroy()
    if (status === 304 || status === 204) return
  }
  res.setHeader('Content-Type', answer.type ?? 'application/octet-stream')
  if (body instanceof Readable && ctx.req.method === 'HEAD') ctx.respond = false
  // Compression would hold events back until there are many.
  if (answer.type?.startsWith('text/event-stream') === true) ctx.compress = false
  ctx.body = body ?? ''
  if (ctx.respond === false) res.end()
}
