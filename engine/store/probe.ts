/** Asks a Redis once whether it answers ⇄, for whoever looks at a deployment. */
import { Redis } from 'ioredis'

const PATIENCE_MS = 3_000

/** The version of the server; rejects when it cannot be reached, or lets nobody in. */
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
