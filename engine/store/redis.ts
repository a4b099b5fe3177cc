/** Counts and messages shared through Redis ⇄; when it stops answering, this instance counts for itself. */

import { Redis } from 'ioredis'
import { sentenceOf } from '../error.ts'
import type { Logger } from '../observe.ts'
import { createWindows } from './memory.ts'
import { inTime, messaging } from './messages.ts'
import type { Store, WindowCount } from './store.ts'

/** How long Redis is not asked after a failure: one request in a second waits for it, not every one. */
const PAUSE_MS = 1_000
const RECONNECT_MS = 1_000
const CONNECT_MS = 1_000

/** Counts one request in its window and answers the count and the milliseconds left, in one step. */
const HIT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`

declare module 'ioredis' {
  interface Redis {
    /** HIT, which is sent once and then named by its hash. */
    hit(key: string, windowMs: number): Promise<unknown>
  }
}

interface Link {
  readonly redis: Redis
  /** Whether it is worth asking now. */
  usable(now: number): boolean
  failed(error: unknown, now: number): void
  answered(): void
}

function connect(url: string, log: Logger): Link {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // Requests that arrive together are counted by one write to the socket, which costs more than the counting.
    enableAutoPipelining: true,
    scripts: { hit: { lua: HIT, numberOfKeys: 1 } },
    connectTimeout: CONNECT_MS,
    // A server that takes the connection and says nothing never becomes ready, and the attempt would not end.
    commandTimeout: CONNECT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_MS),
  })
  let pausedUntil = 0
  let away = false
  const lose = (error: unknown) => {
    if (away) return
    away = true
    log.warn({ reason: sentenceOf(error) }, 'redis unavailable, counting locally')
  }
  // Without a listener ioredis prints the event, at every attempt: one line for an outage is enough.
  redis.on('error', lose)
  redis.on('ready', () => {
    pausedUntil = 0
  })
  return {
    redis,
    usable(now) {
      if (redis.status !== 'ready' || now < pausedUntil) return false
      // While in doubt, only the first request asks Redis; the others count locally meanwhile.
      if (away) pausedUntil = now + PAUSE_MS
      return true
    },
    failed(error, now) {
      pausedUntil = now + PAUSE_MS
      lose(error)
    },
    answered() {
      if (!away) return
      away = false
      pausedUntil = 0
      log.info({}, 'redis is back, counting together again')
    },
  }
}

/** The two numbers of the reply to HIT; any other reply is an error of the server. */
function windowOf(reply: unknown): readonly [number, number] {
  if (Array.isArray(reply)) {
    const [count, left] = reply
    if (typeof count === 'number' && typeof left === 'number') return [count, left]
  }
  throw new Error('Redis gave an unexpected reply')
}

/** A store on Redis at `url`; every key and channel begins with `prefix`. Resolves even when Redis does not answer. */
export async function redisStore(url: string, log: Logger, prefix: string): Promise<Store> {
  const link = connect(url, log)
  await link.redis.connect().catch((error: unknown) => link.failed(error, performance.now()))
  const windows = createWindows()
  const messages = messaging(link.redis, log, prefix)

  async function hit(bucket: string, id: string, windowMs: number, now: number): Promise<WindowCount> {
    const key = `${bucket}:${id}`
    if (link.usable(performance.now())) {
      try {
        const [count, left] = windowOf(await inTime(link.redis.hit(`${prefix}:${key}`, windowMs)))
        link.answered()
        const shared = { count, resetAt: now + left }
        windows.adopt(key, shared, windowMs, now)
        return shared
      } catch (error) {
        link.failed(error, performance.now())
      }
    }
    const { count, resetAt } = windows.hit(key, windowMs, now)
    return { count, resetAt }
  }

  return {
    kind: 'redis',
    hit,
    publish: messages.publish,
    subscribe: messages.subscribe,
    async close() {
      messages.close()
      link.redis.disconnect()
    },
  }
}

const PATIENCE_MS = 3_000

/** The version of the server, for `plinth doctor`; rejects when it cannot be reached, or refuses the connection. */
export async function probeRedis(url: string): Promise<string> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    retryStrategy: () => null,
  })
  let reason: Error | undefined
  // The promise of connect says no more than that the connection is closed.
  redis.on('error', (error) => {
    reason ??= error
  })
  try {
    await redis.connect()
    const key = `plinth:doctor:${process.pid}`
    await redis.set(key, '1', 'PX', PATIENCE_MS)
    await redis.del(key)
    return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of an unknown version'
  } catch (error) {
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}
