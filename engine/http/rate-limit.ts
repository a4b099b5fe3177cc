/**
 * How many requests a caller has in a minute. `koa-ratelimit` judges each request; what it counts with is our store,
 * because its own limiters never forget a caller in memory and fail with a Redis that is out.
 */
import { isIPv4 } from 'node:net'
import type { Context } from 'koa'
import ratelimit from 'koa-ratelimit'
import type { Actor } from '../actor.ts'
import { addressOf, networkOf, oneSpelling } from '../address.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { HttpParts } from './parts.ts'

type Bucket = 'general' | 'auth'

/** Counts one request and sets the headers that say how many are left; throws too_many_requests where none was left. */
export type CountRequest = (ctx: Context, bucket: Bucket, actor: Actor, ip: string) => Promise<void>

/** By user where a good token is presented, else by address; logging in always by address. */
function countedUnder(bucket: Bucket, actor: Actor, ip: string): string {
  return bucket === 'general' ? callerOf(actor, ip) : `ip:${countedAs(ip)}`
}

/** Whose something is that callers share: a user's, or an address's where nobody is known. */
export function callerOf(actor: Pick<Actor, 'id'>, ip: string): string {
  return actor.id === null ? `ip:${countedAs(ip)}` : `user:${actor.id}`
}

/** How a caller stands; `reset` is when the window ends, by the monotonic clock: setting the time limits nobody longer. */
interface Standing {
  readonly total: number
  readonly remaining: number
  readonly reset: number
}

/** As much of a context as koa-ratelimit uses: it judges, and the answer stays ours. */
class Counting {
  readonly id: string
  readonly state = {}
  readonly body: string | undefined
  /** 429 where the caller has used it up. */
  readonly status: number | undefined
  standing: Standing = { total: 0, remaining: 0, reset: 0 }

  constructor(id: string) {
    this.id = id
  }

  /** Takes what would be headers; its Retry-After would be 0 in the last second. */
  set(given: Standing | string): void {
    if (typeof given === 'object') this.standing = given
  }
}

/** The counter of an app; the store keeps the numbers, so that the next app goes on with them. */
export function rateLimiter({ settings, store, clock }: Pick<HttpParts, 'settings' | 'store' | 'clock'>): CountRequest {
  const limiter = (bucket: Bucket, limit: number) =>
    ratelimit({
      driver: 'redis',
      namespace: bucket,
      duration: LIMITS.rateWindowMs,
      headers: { total: 'total', remaining: 'remaining', reset: 'reset' },
      id: (counting) => String(counting.id),
      // Its types ask for a Map or a client of Redis; `ratelimiter` is all that it calls.
      db: Object.assign(new Map<never, never>(), {
        async ratelimiter(key: string, _at: number, windowMs: number): Promise<readonly [number, number, number]> {
          const id = key.slice(bucket.length + 1)
          const { count, resetAt } = await store.hit(bucket, id, windowMs, clock())
          return [Math.max(0, limit + 1 - count), resetAt, limit]
        },
      }),
    })
  const limiters = { general: limiter('general', settings.rateLimit), auth: limiter('auth', settings.authRateLimit) }
  const passed = async (): Promise<void> => {}
  return async ({ res }, bucket, actor, ip) => {
    const counting = new Counting(countedUnder(bucket, actor, ip))
    await Reflect.apply(limiters[bucket], undefined, [counting, passed])
    const { total, remaining, reset } = counting.standing
    res.setHeader('X-RateLimit-Limit', total)
    res.setHeader('X-RateLimit-Remaining', remaining)
    if (counting.status !== 429) return
    const left = Math.ceil((reset - clock()) / 1000)
    throw new ApiError('too_many_requests', { retryAfter: Math.max(1, left) })
  }
}

const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/

function withoutPort(address: string): string {
  const bare = address.trim()
  const host = WITH_PORT.exec(bare)
  return host?.[1] ?? host?.[2] ?? bare
}

/**
 * The caller's address: the socket's, or with `hops` proxies in front the one that the outermost of them saw.
 * Counted from the right, because anything further left is whatever the caller made up.
 */
export function clientAddress(socket: string | undefined, forwarded: string | undefined, hops: number): string {
  const direct = isIPv4(socket ?? '') ? socket! : (oneSpelling(socket ?? '') ?? '')
  if (hops === 0 || forwarded === undefined) return direct
  const chain = forwarded.split(',')
  return oneSpelling(withoutPort(chain[Math.max(0, chain.length - hops)] ?? '')) ?? direct
}

/** What requests of an address are counted under: itself, or its /64, since a household holds that many of IPv6. */
export function countedAs(text: string): string {
  if (!text.includes(':')) return text
  const address = addressOf(text)
  const network = address && networkOf(address)
  if (network === undefined) return address?.toString() ?? text
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
