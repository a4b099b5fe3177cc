/** ⇄ The keys made from the application's secrets: they sign tokens, and every key that seals is made from one of them. */
import { createHash } from 'node:crypto'
import { memo } from './memo.ts'
import { secretsOf } from './secret.ts'
import type { Settings } from './settings.ts'

/** Keys by their id; `current` is the id of the one that signs and seals, all of them verify and open. */
export interface Keys {
  readonly current: string
  readonly byId: ReadonlyMap<string, Uint8Array>
}

/** The keys of settings, once they were asked for. */
const heldBy = memo((_: Settings): { keys?: Promise<Keys> } => ({}))

/** The keys of these settings, read or made once. */
export function keysOf(settings: Settings): Promise<Keys> {
  const held = heldBy(settings)
  if (held.keys === undefined) {
    held.keys = loadKeys(settings)
    // A full disk is no reason to refuse everybody until the next start.
    held.keys.catch(() => delete held.keys)
  }
  return held.keys
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
