/** The keys that sign tokens: from APP_SECRET, or made once and kept beside the data. */
import { createHash } from 'node:crypto'
import { type Settings, secretsOf } from '../../engine/index.ts'

/** Keys by their id; `current` is the one that signs, all of them verify. */
export interface Keys {
  readonly current: string
  readonly byId: ReadonlyMap<string, Uint8Array>
}

const known = new WeakMap<Settings, Promise<Keys>>()

/** The signing keys of these settings, read or made once. */
export function keysOf(settings: Settings): Promise<Keys> {
  let keys = known.get(settings)
  if (keys === undefined) {
    keys = loadKeys(settings)
    // A full disk is no reason to refuse everybody until the next start.
    keys.catch(() => known.delete(settings))
    known.set(settings, keys)
  }
  return keys
}

async function loadKeys(settings: Settings): Promise<Keys> {
  const secrets = await secretsOf(settings)
  // Hashed, so that the key is 32 bytes whatever the secret's length, and its id tells nothing of it.
  const keys = secrets.map((secret) => createHash('sha256').update(`plinth token key\0${secret}`).digest())
  const pairs = keys.map(
    (key) => [createHash('sha256').update(key).digest('hex').slice(0, 12), new Uint8Array(key)] as const,
  )
  return { current: pairs[0]?.[0] ?? '', byId: new Map(pairs) }
}
