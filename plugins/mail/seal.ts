/** Seals what a mail waiting in the queue says: it may hold a link that lets its bearer in, and tables are read by many. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Settings } from '../../engine/index.ts'
import { keysOf } from '../auth/key.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

async function keyOf(settings: Settings, id?: string): Promise<{ readonly id: string; readonly key: Buffer }> {
  const keys = await keysOf(settings)
  const name = id ?? keys.current
  const secret = keys.byId.get(name)
  if (secret === undefined) throw new Error('the secret that the mail was sealed with is not known any more')
  return { id: name, key: Buffer.from(hkdfSync('sha256', secret, '', 'plinth mail', 32)) }
}

/** A text as only a process with the same secret can read it. */
export async function seal(settings: Settings, text: string): Promise<string> {
  const { id, key } = await keyOf(settings)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${id}.${sealed.toString('base64url')}`
}

/** The text again; rejects when it was changed, or its secret is gone. */
export async function unseal(settings: Settings, sealed: string): Promise<string> {
  const [id = '', body = ''] = sealed.split('.')
  const { key } = await keyOf(settings, id)
  const bytes = Buffer.from(body, 'base64url')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  return text.toString('utf8')
}
