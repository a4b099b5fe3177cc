/**
 * ⇄ Seals texts that must not be readable in the database or its backups, and hashes those that only need to be
 * recognised.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { memo } from './memo.ts'
import { keysOf } from './secret.ts'
import type { Settings } from './settings.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SALT_BYTES = 16

/**
 * A text that only a process with the same secret can open; each use has its own keys, and sealing twice gives two
 * texts.
 */
export async function seal(settings: Settings, use: string, text: string): Promise<string> {
  const { byId, current } = await keysOf(settings)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyFor(byId.get(current)!, use), nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${current}.${sealed.toString('base64url')}`
}

/** The text again; undefined where it was changed, or where the secret that sealed it is no longer known. */
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

/** A hash by which only a process with the same secret can recognise the text, so that nobody else can test guesses. */
export async function keyedHash(settings: Settings, use: string, text: string): Promise<string> {
  const { byId, current } = await keysOf(settings)
  const salt = randomBytes(SALT_BYTES)
  return `${current}.${salt.toString('base64url')}.${digest(keyFor(byId.get(current)!, use), salt, text).toString('base64url')}`
}

/** Whether the text has this hash; false where the secret of that time is no longer known. */
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

/** The key for one use, made once for each secret: every mail needs it twice. */
const keyFor = memo(
  (key: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `plinth ${use}`, 32)),
)

interface Sealed {
  readonly nonce: Buffer
  readonly body: Buffer
  readonly tag: Buffer
}

/**
 * The text that AES-256-GCM sealed with this key; undefined for anything else, because it cannot tell a changed text
 * from another key.
 */
export function opened(key: Uint8Array, { nonce, body, tag }: Sealed): string | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** The storage of a secret field: sealed, or as a hash. */
export type Protection = 'sealed' | 'hashed'

/** The prefix of a stored value; a value without it came from a client. */
const MARK = { sealed: 'sealed:', hashed: 'hashed:' } as const
const USE = 'field'

/** The stored form of a secret field's value. */
export async function protectedSecret(settings: Settings, how: Protection, text: string): Promise<string> {
  return `${MARK[how]}${await (how === 'sealed' ? seal : keyedHash)(settings, USE, text)}`
}

/** A stored value in the form that its field now asks for; undefined where it has that form, or cannot get it. */
export async function protectedAnew(settings: Settings, how: Protection, kept: string): Promise<string | undefined> {
  if (kept.startsWith(MARK.hashed)) return undefined
  if (!kept.startsWith(MARK.sealed)) return protectedSecret(settings, how, kept)
  const { current } = await keysOf(settings)
  if (how === 'sealed' && kept.startsWith(`${MARK.sealed}${current}.`)) return undefined
  const text = await openedSecret(settings, kept)
  return text === undefined ? undefined : protectedSecret(settings, how, text)
}

/** The prefix of a stored value in the form that its field asks for, with the present secret. */
export async function protectedPrefix(settings: Settings, how: Protection): Promise<string> {
  return how === 'hashed' ? MARK.hashed : `${MARK.sealed}${(await keysOf(settings)).current}.`
}

/** The value of a sealed secret field; undefined where APP_SECRET does not open it, or it is not sealed. */
export async function openedSecret(settings: Settings, kept: string): Promise<string | undefined> {
  return kept.startsWith(MARK.sealed) ? unseal(settings, USE, kept.slice(MARK.sealed.length)) : undefined
}

/** Whether a text is a sealed or hashed value of a secret field. */
export async function isSecret(settings: Settings, kept: string | null, text: string): Promise<boolean> {
  if (kept?.startsWith(MARK.hashed)) return matchesHash(settings, USE, kept.slice(MARK.hashed.length), text)
  const known = kept === null ? undefined : await openedSecret(settings, kept)
  if (known === undefined) return false
  const [one, other] = [known, text].map((each) => Buffer.from(each))
  return one!.length === other!.length && timingSafeEqual(one!, other!)
}
