/**
 * How many requests a caller has in a minute, and the headers that say so.
 *
 * Straight on the store, not through `koa-ratelimit`: that one slides its window on Redis and never evicts in memory,
 * answers `Retry-After: 0` in the last second, and makes a Redis that is out a 500.
 */
import type { Actor } from '../actor.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import { countedAs } from './address.ts'
import type { HttpParts } from './parts.ts'

export interface Allowance {
  readonly limit: number
  readonly remaining: number
  /** Set when the caller has used it up. */
  readonly refused: ApiError | undefined
}

/** Counts one request: by user where a good token is presented, else by address; logging in always by address. */
export type CountRequest = (bucket: 'general' | 'auth', actor: Actor, ip: string) => Promise<Allowance>

/** The counter of an app; the store keeps the numbers, so that the next app goes on with them. */
export function rateLimiter(parts: Pick<HttpParts, 'settings' | 'store' | 'now'>): CountRequest {
  const limits = { general: parts.settings.rateLimit, auth: parts.settings.authRateLimit }
  return async (bucket, actor, ip) => {
    const id = bucket === 'general' && actor.id !== null ? `user:${actor.id}` : `ip:${countedAs(ip)}`
    const now = parts.now().getTime()
    const limit = limits[bucket]
    const { count, resetAt } = await parts.store.hit(bucket, id, LIMITS.rateWindowMs, now)
    if (count <= limit) return { limit, remaining: limit - count, refused: undefined }
    const retryAfter = Math.max(1, Math.ceil((resetAt - now) / 1000))
    return { limit, remaining: 0, refused: new ApiError('too_many_requests', { retryAfter }) }
  }
}
