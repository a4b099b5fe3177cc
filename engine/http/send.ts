/** Puts an answer on the wire: the headers every answer carries, conditional requests, and nothing where nothing belongs. */
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Answer } from './parts.ts'

/** Headers of every answer of an app, and who from other origins may read it. */
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
].join(', ')
const ALLOWED = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id'
/** Two hours: the longest that browsers keep a preflight's answer. */
const PREFLIGHT_SECONDS = '7200'

/** What an app sends with every answer; HSTS only where its public address is https. */
export function fixedHeaders(settings: { readonly baseUrl: string; readonly corsOrigins: readonly string[] }): Fixed {
  const cors = settings.corsOrigins.length > 0
  const headers: [string, string][] = [
    ['Cache-Control', 'private, no-cache'],
    ['Vary', cors ? 'Authorization, Accept-Encoding, Origin' : 'Authorization, Accept-Encoding'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ]
  if (settings.baseUrl.startsWith('https:')) headers.push(['Strict-Transport-Security', 'max-age=31536000'])
  return { headers, origins: new Set(settings.corsOrigins) }
}

/** Lets the page of an allowed origin read the answer; its own token is a header, so no cookies are involved. */
export function allowOrigin(ctx: Context, fixed: Fixed): void {
  const origin = ctx.req.headers.origin
  if (origin === undefined || fixed.origins.size === 0) return
  if (!fixed.origins.has('*') && !fixed.origins.has(origin)) return
  ctx.res.setHeader('Access-Control-Allow-Origin', fixed.origins.has('*') ? '*' : origin)
  ctx.res.setHeader('Access-Control-Expose-Headers', EXPOSED)
}

/** The answer to OPTIONS: the methods, and for a page of an allowed origin what it may send. */
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

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

/** Whether `If-None-Match` names the tag: one of a list, weak or strong, or `*`. */
export function matchesTag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  // A tag may itself hold commas, so the list is read by its quotes.
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => opaque(tag) === opaque(etag))
}

function unchanged(ctx: Context, answer: Answer): boolean {
  const header = ctx.req.headers['if-none-match']
  const etag = answer.headers.ETag
  if (header === undefined || etag === undefined || answer.status !== 200) return false
  return (ctx.req.method === 'GET' || ctx.req.method === 'HEAD') && matchesTag(header, etag)
}

/** Sets status, headers and body; what is not sent after all is closed. */
export function send(ctx: Context, answer: Answer, fixed: Fixed): void {
  const { res } = ctx
  for (const [name, value] of fixed.headers) res.setHeader(name, value)
  for (const name in answer.headers) res.setHeader(name, answer.headers[name]!)
  const status = unchanged(ctx, answer) ? 304 : answer.status
  const { body } = answer
  ctx.status = status
  if (status === 304 || status === 204 || ctx.req.method === 'HEAD') {
    if (body instanceof Readable) body.destroy()
    if (status === 304 || status === 204) return
  }
  res.setHeader('Content-Type', answer.type ?? 'application/octet-stream')
  if (body instanceof Readable && ctx.req.method === 'HEAD') ctx.respond = false
  ctx.body = body ?? ''
  if (ctx.respond === false) res.end()
}
