/**
 * Limits the requests of a caller in a minute. `koa-ratelimit` judges each request and counts in our store, because its
 * own limiters never forget a caller in memory and fail when Redis is out.
 */
import { isIPv4 } from 'node:net'
import type { Context } from 'koa'
import ratelimit from 'koa-ratelimit'
import type { Actor } from '../actor.ts'
import { addressOf, networkOf, oneSpelling } from '../address.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { HttpParts } from './http-app.ts'

type Bucket = 'general' | 'auth'

/** A bucket, or the one of an actor that is not counted in the general one. */
type Counted = Bucket | NonNullable<Actor['bucket']>

/** Counts one request and sets the headers with the number left; throws too_many_requests at the limit. */
export type CountRequest = (ctx: Context, bucket: Bucket, actor: Actor, ip: string) => Promise<void>

/** By user with a valid token, else by address; the auth bucket always by address. */
function countedUnder(bucket: Bucket, actor: Actor, ip: string): string {
  return bucket === 'general' ? callerOf(actor, ip) : `ip:${countedAs(ip)}`
}

/** The caller with whom a limit is shared: a user, or an address without an account. */
export function callerOf(actor: Pick<Actor, 'id'>, ip: string): string {
  return actor.id === null ? `ip:${countedAs(ip)}` : `user:${actor.id}`
}

/**
 * The state of a caller; `reset` is the end of the window by the monotonic clock, so that a change of the system time
 * does not matter.
 */
interface Standing {
  readonly total: number
  readonly remaining: number
  readonly reset: number
}

/** The part of a context that koa-ratelimit uses: it judges, and our code answers. */
class Counting {
  readonly id: string
  readonly state = {}
  readonly body: string | undefined
  /** 429 at the limit. */
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

/** The counter of an app; the store keeps the counts across a change of the app. */
export function rateLimiter({ settings, store, clock }: Pick<HttpParts, 'settings' | 'store' | 'clock'>): CountRequest {
  const limiter = (bucket: Counted | 'key', limit: number) =>
    ratelimit({
      driver: 'redis',
      namespace: bucket,
      duration: LIMITS.rateWindowMs,
      headers: { total: 'total', remaining: 'remaining', reset: 'reset' },
      id: (counting) => String(counting.id),
      // Its types ask for a Map or a client of Redis; it only calls `ratelimiter`.
      db: Object.assign(new Map<never, never>(), {
        async ratelimiter(key: string, _at: number, windowMs: number): Promise<readonly [number, number, number]> {
          const id = key.slice(bucket.length + 1)
          const { count, resetAt } = await store.hit(bucket, id, windowMs, clock())
          return [Math.max(0, limit + 1 - count), resetAt, limit]
        },
      }),
    })
  const limiters: Readonly<Record<Counted, ReturnType<typeof limiter>>> = {
    general: limiter('general', settings.rateLimit),
    auth: limiter('auth', settings.authRateLimit),
    session: limiter('session', settings.sessionRateLimit),
  }
  const ofKeys = new Map<number, ReturnType<typeof limiter>>()
  const ofKey = (most: number) => {
    const known = ofKeys.get(most) ?? limiter('key', most)
    ofKeys.set(most, known)
    return known
  }
  const passed = async (): Promise<void> => {}
  const judged = async (by: ReturnType<typeof limiter>, id: string): Promise<Counting> => {
    const counting = new Counting(id)
    await Reflect.apply(by, undefined, [counting, passed])
    return counting
  }
  return async ({ res }, bucket, actor, ip) => {
    const counted = bucket === 'general' ? (actor.bucket ?? bucket) : bucket
    let counting = await judged(limiters[counted], countedUnder(bucket, actor, ip))
    if (bucket === 'general' && actor.limit !== undefined && counting.status !== 429) {
      const own = await judged(ofKey(actor.limit.most), actor.limit.name)
      if (own.standing.remaining <= counting.standing.remaining) counting = own
    }
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

/**
 * The key under which an address is counted: itself, or its /64, because a household has that many addresses of IPv6.
 */
export function countedAs(text: string): string {
  if (!text.includes(':')) return text
  const address = addressOf(text)
  const network = address && networkOf(address)
  if (network === undefined) return address?.toString() ?? text
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
