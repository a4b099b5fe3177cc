/** ⇄ Seals texts that must not be read in the database or in its backups, and hashes those that need only be known again. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { keysOf } from './keys.ts'
import { memo } from './memo.ts'
import type { Settings } from './settings.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SALT_BYTES = 16

/** A text that only a process with the same secret can open; each use has keys of its own, and sealing twice gives two texts. */
export async function seal(settings: Settings, use: string, text: string): Promise<string> {
  const { byId, current } = await keysOf(settings)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyFor(byId.get(current)!, use), nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${current}.${sealed.toString('base64url')}`
}

/** The text again; undefined when it was changed, or the secret it was sealed with is not known any more. */
export async function unseal(settings: Settings, use: string, sealed: string): Promise<string | undefined> {
  const [id = '', body] = sealed.split('.')
  const key = (await keysOf(settings)).byId.get(id)
  if (key === undefined || body === undefined) return undefined
  const bytes = Buffer.from(body, 'base64url')
  return opened(keyFor(key, use), {
    nonce: bytes.subarray(0, NONCE_BYTES),
    body: bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  })
}

/** A hash by which only a process with the same secret knows the text again, so that nobody else can try guesses. */
export async function keyedHash(settings: Settings, use: string, text: string): Promise<string> {
  const { byId, current } = await keysOf(settings)
  const salt = randomBytes(SALT_BYTES)
  return `${current}.${salt.toString('base64url')}.${digest(keyFor(byId.get(current)!, use), salt, text).toString('base64url')}`
}

/** Whether the text is the one that was hashed; false where the secret of that time is not known any more. */
export async function matchesHash(settings: Settings, use: string, hash: string, text: string): Promise<boolean> {
  const [id = '', salt = '', body = ''] = hash.split('.')
  const key = (await keysOf(settings)).byId.get(id)
  if (key === undefined) return false
  const wanted = digest(keyFor(key, use), Buffer.from(salt, 'base64url'), text)
  const given = Buffer.from(body, 'base64url')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function digest(key: Uint8Array, salt: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(salt).update(text, 'utf8').digest()
}

/** The key for one use, made once for each secret: every mail asks for it twice. */
const keyFor = memo(
  (key: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `plinth ${use}`, 32)),
)

interface Sealed {
  readonly nonce: Buffer
  readonly body: Buffer
  readonly tag: Buffer
}

/** What AES-256-GCM sealed with this key; undefined for anything else, for it tells a changed text and another key in the same way. */
export function opened(key: Uint8Array, { nonce, body, tag }: Sealed): string | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** How the value of a secret field is kept: to be opened again, or only to be known again. */
export type Protection = 'sealed' | 'hashed'

/** What stands in front of a kept value; nothing that is sent is kept without it. */
const MARK = { sealed: 'sealed:', hashed: 'hashed:' } as const
const USE = 'field'

/** The value of a secret field as it is kept. */
export async function protectedSecret(settings: Settings, how: Protection, text: string): Promise<string> {
  return `${MARK[how]}${await (how === 'sealed' ? seal : keyedHash)(settings, USE, text)}`
}

/** A kept value in the way that its field asks for now; undefined where it is that already, or cannot become it. */
export async function protectedAnew(settings: Settings, how: Protection, kept: string): Promise<string | undefined> {
  if (kept.startsWith(MARK.hashed)) return undefined
  if (!kept.startsWith(MARK.sealed)) return protectedSecret(settings, how, kept)
  const { current } = await keysOf(settings)
  if (how === 'sealed' && kept.startsWith(`${MARK.sealed}${current}.`)) return undefined
  const text = await openedSecret(settings, kept)
  return text === undefined ? undefined : protectedSecret(settings, how, text)
}

/** What a kept value must begin with to be as its field asks for, by the secret that seals now. */
export async function protectedPrefix(settings: Settings, how: Protection): Promise<string> {
  return how === 'hashed' ? MARK.hashed : `${MARK.sealed}${(await keysOf(settings)).current}.`
}

/** The value of a secret field that is kept sealed; undefined where APP_SECRET is not one that opens it, or it is not sealed. */
export async function openedSecret(settings: Settings, kept: string): Promise<string | undefined> {
  return kept.startsWith(MARK.sealed) ? unseal(settings, USE, kept.slice(MARK.sealed.length)) : undefined
}

/** Whether a text is the value of a secret field that is kept sealed or hashed. */
export async function isSecret(settings: Settings, kept: string | null, text: string): Promise<boolean> {
  if (kept?.startsWith(MARK.hashed)) return matchesHash(settings, USE, kept.slice(MARK.hashed.length), text)
  const known = kept === null ? undefined : await openedSecret(settings, kept)
  if (known === undefined) return false
  const [one, other] = [known, text].map((each) => Buffer.from(each))
  return one!.length === other!.length && timingSafeEqual(one!, other!)
}
