/** Tokens of links in mails, and what is stored of them. */
import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, as they appear in a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: whoever reads the table cannot use it. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
