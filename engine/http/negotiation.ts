/** Content codings (RFC 9110, section 12.5.3) and preconditions about versions (section 13). */
import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import { ApiError } from '../error.ts'
import type { Preconditions } from '../run/read-back.ts'
import type { BoundRoute } from './bound-route.ts'
import type { Headers } from './call.ts'
import type { Answer } from './send.ts'
import { matchesTag } from './send.ts'

/** Below it an answer fits into one or two packets anyway, and compressing costs more than it saves. */
const COMPRESS_BYTES = 2_048

/** The content codings of answers, the best one first. */
const CODINGS = [...('createZstdCompress' in zlib ? ['zstd'] : []), 'br', 'gzip', 'deflate']

const WEIGHTED = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The content coding of an answer; `must` where the client refuses the plain form. */
export interface Coding {
  readonly name: string
  readonly must: boolean
}

/** The weights of `Accept-Encoding`, the first one of each name; malformed members are left out. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const member of header.split(',')) {
    const [, sent, weight = '1'] = WEIGHTED.exec(member.trim()) ?? []
    const name = sent?.toLowerCase().replace(/^x-(?=gzip$)/, '')
    if (name !== undefined && !weights.has(name)) weights.set(name, Number(weight))
  }
  return weights
}

/** The available coding that the client prefers; undefined where it takes none. */
export function codingOf(header: string): Coding | undefined {
  const weights = weightsOf(header)
  const others = weights.get('*')
  const plain = weights.get('identity') ?? others
  // Of codings that the client does not name, it gets gzip, which every client can read.
  const order = [...CODINGS.filter((name) => weights.has(name)), 'gzip', ...CODINGS]
  const weight = (name: string): number => weights.get(name) ?? others ?? 0
  const best = order.reduce((found, name) => (weight(name) > weight(found) ? name : found))
  if (weight(best) > 0 && weight(best) >= (plain ?? 0)) return { name: best, must: plain === 0 }
  return plain === 0 ? undefined : { name: 'identity', must: false }
}

/** Throws not_acceptable where the client takes no form of the answer, before any work is done. */
export function requireCoding(header: string): void {
  if (codingOf(header) === undefined) throw new ApiError('not_acceptable')
}

/** Compresses answers as their clients ask. */
export function packing(): Middleware {
  const usual = compress({ threshold: COMPRESS_BYTES })
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants
  const flush = { flush: Z_SYNC_FLUSH }
  const always = compress({ threshold: 0, br: { flush: BROTLI_OPERATION_FLUSH }, gzip: flush, deflate: flush })
  return (ctx, next) => {
    const { headers } = ctx.req
    const sent = headers['accept-encoding']
    const coding = sent === undefined ? undefined : codingOf(String(sent))
    if (coding === undefined || coding.name === 'identity') return next()
    // koa-compress fails where no coding is left, so it gets the chosen one.
    headers['accept-encoding'] = coding.name
    if (!coding.must) return usual(ctx, next)
    return always(ctx, async () => {
      await next()
      ctx.compress = true
    })
  }
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
