/** ⇄ Seals texts that must not be read in the database or in its backups: the key of an AI server, links in waiting mails, secrets of webhooks. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { type Settings, secretsOf } from '../../engine/index.ts'
import { keysOf } from './key.ts'

/** What a text is sealed for; each use has keys of its own, so that what one part sealed no other part opens. */
export type SealUse = 'mail' | 'ai' | 'webhook'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

interface Sealed {
  readonly nonce: Buffer
  readonly body: Buffer
  readonly tag: Buffer
}

/** A text that only a process with the same secret can open; sealing twice gives two texts. */
export async function seal(settings: Settings, use: SealUse, text: string): Promise<string> {
  const { byId, current } = await keysOf(settings)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey(byId.get(current)!, use), nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${current}.${sealed.toString('base64url')}`
}

/** The text again; undefined when it was changed, or the secret it was sealed with is not known any more. */
export async function unseal(settings: Settings, use: SealUse, sealed: string): Promise<string | undefined> {
  const [id = '', body] = sealed.split('.')
  if (body === undefined) return use === 'ai' ? unsealFirstForm(settings, sealed) : undefined
  const key = (await keysOf(settings)).byId.get(id)
  if (key === undefined) return undefined
  const bytes = Buffer.from(body, 'base64url')
  return opened(sealingKey(key, use), {
    nonce: bytes.subarray(0, NONCE_BYTES),
    body: bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  })
}

const sealingKeys = new WeakMap<Uint8Array, Map<SealUse, Buffer>>()

/** The key for one use, made once for each secret: every mail asks for it twice. */
function sealingKey(key: Uint8Array, use: SealUse): Buffer {
  const made = sealingKeys.get(key) ?? new Map<SealUse, Buffer>()
  sealingKeys.set(key, made)
  let own = made.get(use)
  if (own === undefined) {
    own = Buffer.from(hkdfSync('sha256', key, '', `plinth ${use}`, 32))
    made.set(use, own)
  }
  return own
}

/** The form in which keys of AI servers were sealed first, and may still be stored: no id, and the tag in front. */
async function unsealFirstForm(settings: Settings, sealed: string): Promise<string | undefined> {
  const bytes = Buffer.from(sealed, 'base64')
  const parts = {
    nonce: bytes.subarray(0, NONCE_BYTES),
    tag: bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    body: bytes.subarray(NONCE_BYTES + TAG_BYTES),
  }
  for (const secret of await secretsOf(settings)) {
    const text = opened(createHash('sha256').update(`plinth ai key\0${secret}`).digest(), parts)
    if (text !== undefined) return text
  }
  return undefined
}

function opened(key: Buffer, { nonce, body, tag }: Sealed): string | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    // GCM tells a changed text and another secret in the same way.
    return undefined
  }
}
