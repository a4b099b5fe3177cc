/** The first checks of every request: rate limit, route, method, token; the refusals are 429, 404, 405 and 401. */
import { ApiError } from '../error.ts'
import { needsToken } from './access.ts'
import type { Call } from './call.ts'
import type { Answer, Headers, HttpParts } from './parts.ts'
import { rateLimiter } from './rate-limit.ts'
import { type Fixed, optionsAnswer } from './send.ts'
import { compileTable, type Place } from './table.ts'

/** A request that has a route and, where that needs one, a known caller. */
export interface Admitted {
  readonly place: Place
  /** Decoded values of the path's parameters, in order. */
  readonly values: readonly string[]
}

/** Admits a request, or answers it at once (OPTIONS); throws ApiError where a check refuses. */
export type Gate = (call: Call) => Promise<Admitted | Answer>

/** The headers as text; Node gives a list only for set-cookie, which requests don't have. */
export function headersOf(call: Call): Headers {
  return call.ctx.req.headers as Headers
}

/** Finds out who calls. A failure to find out is kept, because the rate limit comes first and counts by address then. */
async function identify(call: Call, authenticate: HttpParts['authenticate']): Promise<unknown> {
  if (authenticate === undefined || call.ctx.req.headers.authorization === undefined) return undefined
  try {
    const actor = await authenticate(headersOf(call), call.requestId)
    if (actor !== null) call.actor = actor
    return undefined
  } catch (error) {
    return error ?? new Error('authentication failed')
  }
}

/** The gate of an app; throws when two routes stand in one place. */
export function gateOf(parts: HttpParts, fixed: Fixed): Gate {
  const table = compileTable(parts.routes, parts.catalog.prefix)
  const count = rateLimiter(parts)

  async function countRequest(call: Call, bucket: 'general' | 'auth'): Promise<void> {
    const { limit, remaining, refused } = await count(bucket, call.actor, call.ip)
    call.ctx.res.setHeader('X-RateLimit-Limit', limit)
    call.ctx.res.setHeader('X-RateLimit-Remaining', remaining)
    if (refused !== undefined) throw refused
  }

  return async (call) => {
    const match = table(call.path)
    const place = match?.entry.methods.get(call.method)
    const unidentified = await identify(call, parts.authenticate)

    await countRequest(call, place?.route.bucket ?? 'general')
    if (match === undefined) throw new ApiError('route_not_found')
    call.pattern = match.entry.pattern
    if (call.method === 'OPTIONS') return optionsAnswer(match.entry.allow, fixed)
    if (place === undefined) throw new ApiError('method_not_allowed', { allow: match.entry.allow })
    if (unidentified !== undefined) throw unidentified
    if (call.actor.kind === 'anonymous' && needsToken(place.route)) throw new ApiError('unauthenticated')
    return { place, values: match.values }
  }
}
