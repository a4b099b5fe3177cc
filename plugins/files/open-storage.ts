/**
 * Opens the storage of the settings: the local disk, or an S3-compatible server. It refuses keys that would lead out of
 * it.
 */

import { join } from 'node:path'
import { breakerOf, isStorageKey, memo, requireStorageKey, type Settings } from '../../engine/index.ts'
import { diskStorage } from './disk.ts'
import { S3, s3Storage } from './s3.ts'
import type { Storage } from './storage.ts'

/** What this reads of the environment, for the documents. */
export const VARIABLES = {
  S3_ENDPOINT: {
    otherwise: 'files in `$DATA_DIR/uploads`',
    meaning: 'an S3-compatible server for uploaded files, such as https://s3.example.com',
  },
  S3_REGION: { otherwise: 'us-east-1', meaning: 'its region' },
  S3_BUCKET: { meaning: 'the bucket' },
  S3_ACCESS_KEY: { meaning: 'the access key' },
  S3_SECRET_KEY: { meaning: 'the secret key' },
}

const NAMES = Object.keys(VARIABLES)

/** The storage of the settings; throws a sentence where only some of the variables of S3 are set. */
export const storageOf = memo((settings: Settings): Storage => guarded(open(settings)))

function open(settings: Settings): Storage {
  const { dataDir, env } = settings
  const given = NAMES.filter((name) => (env[name] ?? '') !== '')
  if (given.length === 0 || (given.length === 1 && given[0] === 'S3_REGION'))
    return diskStorage(join(dataDir, 'uploads'))
  const missing = NAMES.filter((name) => name !== 'S3_REGION' && !given.includes(name))
  if (missing.length > 0) throw new Error(`For S3 storage ${missing.join(', ')} must be set as well.`)
  const endpoint = env.S3_ENDPOINT ?? ''
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new Error('S3_ENDPOINT must be a URL such as https://s3.example.com.')
  return s3Storage({
    breaker: breakerOf(settings, S3),
    endpoint: endpoint.replace(/\/+$/, ''),
    region: env.S3_REGION || 'us-east-1',
    bucket: env.S3_BUCKET ?? '',
    accessKey: env.S3_ACCESS_KEY ?? '',
    secretKey: env.S3_SECRET_KEY ?? '',
  })
}

/** The same storage; under a text that is no key it has nothing, and stores nothing. */
function guarded(storage: Storage): Storage {
  return {
    description: storage.description,
    put: async (key, source) => {
      requireStorageKey(key)
      return storage.put(key, source)
    },
    read: async (key) => (isStorageKey(key) ? storage.read(key) : undefined),
    move: async (from, to, at) => {
      requireStorageKey(to)
      return isStorageKey(from) && storage.move(from, to, at)
    },
    remove: async (key) => {
      if (isStorageKey(key)) await storage.remove(key)
    },
    list: (prefix) => {
      requireStorageKey(prefix.replace(/\/$/, ''))
      return storage.list(prefix)
    },
  }
}
