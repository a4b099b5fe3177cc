/**
 * Sealed texts of plugins (the key of an AI server, links in waiting mails, secrets of webhooks) ⇄, and tokens of
 * links.
 */
import { createHash, randomBytes } from 'node:crypto'
import { opened, type Settings, seal as sealFor, secretsOf, unseal as unsealFor } from '../../engine/index.ts'

/** The use of a sealed text; each use has its own keys, so that one use cannot open what another one sealed. */
export type SealUse = 'mail' | 'ai' | 'webhook' | 'factor'

/** A text that only a process with the same secret can open; sealing twice gives two texts. */
export function seal(settings: Settings, use: SealUse, text: string): Promise<string> {
  return sealFor(settings, use, text)
}

/** The text again; undefined where it was changed, or where the secret that sealed it is no longer known. */
export async function unseal(settings: Settings, use: SealUse, sealed: string): Promise<string | undefined> {
  return use === 'ai' && !sealed.includes('.') ? unsealFirstForm(settings, sealed) : unsealFor(settings, use, sealed)
}

/** The first form of sealed keys of AI servers, which may still be stored: without an id, and with the tag in front. */
async function unsealFirstForm(settings: Settings, sealed: string): Promise<string | undefined> {
  const bytes = Buffer.from(sealed, 'base64')
  const parts = { nonce: bytes.subarray(0, 12), tag: bytes.subarray(12, 28), body: bytes.subarray(28) }
  for (const secret of await secretsOf(settings)) {
    const text = opened(createHash('sha256').update(`plinth ai key\0${secret}`).digest(), parts)
    if (text !== undefined) return text
  }
  return undefined
}

/** 256 random bits, as text for a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a token, with which nobody can use the link. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
