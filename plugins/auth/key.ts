/** The keys that sign tokens: from APP_SECRET, or made once and kept beside the data. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../../engine/index.ts'

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
  const secrets = settings.appSecrets.length > 0 ? settings.appSecrets : [await keptSecret(settings.dataDir)]
  // Hashed, so that the key is 32 bytes whatever the secret's length, and its id tells nothing of it.
  const keys = secrets.map((secret) => createHash('sha256').update(`plinth token key\0${secret}`).digest())
  const pairs = keys.map(
    (key) => [createHash('sha256').update(key).digest('hex').slice(0, 12), new Uint8Array(key)] as const,
  )
  return { current: pairs[0]?.[0] ?? '', byId: new Map(pairs) }
}

async function keptSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'secret')
  await mkdir(dataDir, { recursive: true })
  if (!existsSync(file)) await makeSecret(file)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length < 32)
    throw new Error(`${file} holds no secret; remove it, and a new one is made (everybody signs in again)`)
  return secret
}

/** Written whole under another name first: of two processes that start together one wins, and neither reads half. */
async function makeSecret(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
}
