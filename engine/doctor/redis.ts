/** Looks at the Redis that instances share ⇄. */
import { sentenceOf } from '../error.ts'
import type { Settings } from '../settings.ts'
import { type Finding, ok, problem } from './finding.ts'

export async function lookAtRedis({ redisUrl }: Settings): Promise<readonly Finding[]> {
  if (redisUrl === undefined) return [ok('no REDIS_URL: right for one instance; several would count limits apart')]
  // Loading ioredis takes time that a deployment without it need not spend.
  const { probeRedis } = await import('../store/probe.ts')
  const { host } = new URL(redisUrl)
  try {
    return [ok(`Redis ${await probeRedis(redisUrl)} at ${host} takes writes`)]
  } catch (error) {
    const told = sentenceOf(error)
    return [
      problem(
        `Redis at ${host} does not serve: ${told}; until it does, each instance counts limits for itself`,
        /WRONGPASS|NOAUTH|NOPERM/.test(told)
          ? 'correct user and password in REDIS_URL'
          : 'start it, or correct REDIS_URL',
      ),
    ]
  }
}
