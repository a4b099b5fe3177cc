/** Opens the store that the settings name. */
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import { memoryStore } from './memory.ts'
import type { Store } from './store.ts'

/**
 * A shared store with `REDIS_URL`, one inside the process without; resolves even when Redis does not answer.
 * `prefix` keeps several applications on one Redis apart.
 */
export async function openStore(settings: Pick<Settings, 'redisUrl'>, log: Logger, prefix: string): Promise<Store> {
  if (settings.redisUrl === undefined) {
    return memoryStore((error, channel) => log.error({ err: error, channel }, 'a store listener failed'))
  }
  // Loading ioredis takes 70 ms that a single instance need not spend.
  const { redisStore } = await import('./redis.ts')
  return redisStore(settings.redisUrl, log, prefix)
}
