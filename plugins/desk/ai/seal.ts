/** Keeps the key of an AI server unreadable in the database and in backups of it. ⇄ */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../../../engine/index.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The secrets of the application: those of APP_SECRET, else the one that was made and is kept beside the data. */
async function keysOf(settings: Settings): Promise<readonly Buffer[]> {
  const secrets =
    settings.appSecrets.length > 0
      ? settings.appSecrets
      : [(await readFile(join(settings.dataDir, 'secret'), 'utf8')).trim()]
  return secrets.map((secret) => createHash('sha256').update(`plinth ai key\0${secret}`).digest())
}

/** A text that only this application's secret opens; sealing twice gives two texts. */
export async function seal(settings: Settings, plain: string): Promise<string> {
  const [key] = await keysOf(settings)
  if (key === undefined) throw new Error('there is no secret to seal with')
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** What was sealed; undefined when no secret of today opens it. */
export async function unseal(settings: Settings, text: string): Promise<string | undefined> {
  const bytes = Buffer.from(text, 'base64')
  for (const key of await keysOf(settings)) {
    try {
      const opened = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      opened.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([opened.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), opened.final()]).toString('utf8')
    } catch {
      // Sealed with another secret of the rotation.
    }
  }
  return undefined
}
