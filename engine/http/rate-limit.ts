/**
 * How many requests a caller has in a minute. `koa-ratelimit` judges each request and sets the headers; what it counts with
 * is our store, because its own limiters never forget a caller in memory and fail with a Redis that is out.
 */
import { isIP } from 'node:net'
import type { Context } from 'koa'
import ratelimit from 'koa-ratelimit'
import type { Actor } from '../actor.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { HttpParts } from './parts.ts'

type Bucket = 'general' | 'auth'

/** Counts one request and sets the headers that say how many are left; throws too_many_requests where none was left. */
export type CountRequest = (ctx: Context, bucket: Bucket, actor: Actor, ip: string) => Promise<void>

/** By user where a good token is presented, else by address; logging in always by address. */
function countedUnder(bucket: Bucket, actor: Actor, ip: string): string {
  return bucket === 'general' && actor.id !== null ? `user:${actor.id}` : `ip:${countedAs(ip)}`
}

/** When the window ends; koa-ratelimit tells it by a header that our answers don't have. */
const RESET = 'X-RateLimit-Reset'
const HEADERS = { total: 'X-RateLimit-Limit', remaining: 'X-RateLimit-Remaining', reset: RESET }

/** The counter of an app; the store keeps the numbers, so that the next app goes on with them. */
export function rateLimiter({ settings, store, now }: Pick<HttpParts, 'settings' | 'store' | 'now'>): CountRequest {
  const limiter = (bucket: Bucket, limit: number) => {
    const namespace = `${bucket} `
    const options = {
      driver: 'redis' as const,
      namespace,
      duration: LIMITS.rateWindowMs,
      headers: HEADERS,
      id: (ctx: Context) => String(ctx.state.countedUnder),
      // Its types ask for a Map or a client of Redis; `ratelimiter` is all that it calls.
      db: Object.assign(new Map<never, never>(), {
        async ratelimiter(key: string, _at: number, windowMs: number): Promise<readonly [number, number, number]> {
          const id = key.slice(namespace.length + 1)
          const { count, resetAt } = await store.hit(bucket, id, windowMs, now().getTime())
          return [Math.max(0, limit + 1 - count), resetAt, limit]
        },
      }),
      // Our own envelope; its Retry-After would be 0 in the last second, and is read from another clock.
      onLimited(ctx: Context) {
        const left = Number(ctx.state.rateLimit.headers[RESET]) - now().getTime()
        throw new ApiError('too_many_requests', { retryAfter: Math.max(1, Math.ceil(left / 1000)) })
      },
    }
    return ratelimit(options)
  }
  const limiters = { general: limiter('general', settings.rateLimit), auth: limiter('auth', settings.authRateLimit) }
  const passed = async (): Promise<void> => {}
  return async (ctx, bucket, actor, ip) => {
    ctx.state.countedUnder = countedUnder(bucket, actor, ip)
    try {
      await limiters[bucket](ctx, passed)
    } finally {
      ctx.res.removeHeader(RESET)
    }
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/

function plain(address: string): string {
  const bare = address.trim()
  const host = WITH_PORT.exec(bare)
  const inner = host?.[1] ?? host?.[2] ?? bare
  return MAPPED.exec(inner)?.[1] ?? inner
}

/**
 * The caller's address: the socket's, or with `hops` proxies in front the one that the outermost of them saw.
 * Counted from the right, because anything further left is whatever the caller made up.
 */
export function clientAddress(socket: string | undefined, forwarded: string | undefined, hops: number): string {
  const direct = plain(socket ?? '')
  if (hops === 0 || forwarded === undefined) return direct
  const chain = forwarded.split(',')
  const seen = plain(chain[Math.max(0, chain.length - hops)] ?? '')
  return isIP(seen) === 0 ? direct : seen
}

/** The eight groups of an IPv6 address, `::` filled in, without leading zeros. */
function groups(address: string): readonly string[] {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  if (tail === undefined) return before
  const after = tail === '' ? [] : tail.split(':')
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
}

/** What requests of an address are counted under: itself, or its /64, since a household holds that many of IPv6. */
export function countedAs(address: string): string {
  if (!address.includes(':')) return address
  const network = groups(address.split('%')[0]!).slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
