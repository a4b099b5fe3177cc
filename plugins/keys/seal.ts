/** ⇄ What plugins seal: the key of an AI server, links in waiting mails, secrets of webhooks. */
import { createHash } from 'node:crypto'
import { opened, type Settings, seal as sealFor, secretsOf, unseal as unsealFor } from '../../engine/index.ts'

/** What a text is sealed for; each use has keys of its own, so that what one part sealed no other part opens. */
export type SealUse = 'mail' | 'ai' | 'webhook'

/** A text that only a process with the same secret can open; sealing twice gives two texts. */
export function seal(settings: Settings, use: SealUse, text: string): Promise<string> {
  return sealFor(settings, use, text)
}

/** The text again; undefined when it was changed, or the secret it was sealed with is not known any more. */
export async function unseal(settings: Settings, use: SealUse, sealed: string): Promise<string | undefined> {
  return use === 'ai' && !sealed.includes('.') ? unsealFirstForm(settings, sealed) : unsealFor(settings, use, sealed)
}

/** The form in which keys of AI servers were sealed first, and may still be stored: no id, and the tag in front. */
async function unsealFirstForm(settings: Settings, sealed: string): Promise<string | undefined> {
  const bytes = Buffer.from(sealed, 'base64')
  const parts = { nonce: bytes.subarray(0, 12), tag: bytes.subarray(12, 28), body: bytes.subarray(28) }
  for (const secret of await secretsOf(settings)) {
    const text = opened(createHash('sha256').update(`plinth ai key\0${secret}`).digest(), parts)
    if (text !== undefined) return text
  }
  return undefined
}
