/** One-time codes by the clock (RFC 6238, over RFC 4226): SHA-1, six digits, thirty seconds, as every app makes them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 160 random bits, as RFC 4226 recommends. */
export function newSecret(): Buffer {
  return randomBytes(20)
}

/** Bytes in the letters that people type from a screen (base 32 of RFC 4648, without padding). */
export function lettersOf(bytes: Uint8Array): string {
  let [text, bits, held] = ['', 0, 0]
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += LETTERS[(held >> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + LETTERS[(held << (5 - bits)) & 31]
}

/** The number of the thirty seconds in which a moment lies. */
export function stepAt(time: Date): number {
  return Math.floor(time.getTime() / STEP_MS)
}

/** The code of a step. */
export function codeAt(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step whose code this is, at most one away from the present one; undefined for another code. */
export function stepOf(secret: Uint8Array, code: string, time: Date): number | undefined {
  const given = Buffer.from(code)
  const present = stepAt(time)
  return [present, present - 1, present + 1].find((step) => {
    const wanted = Buffer.from(codeAt(secret, step))
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}

/** The address that apps read from a picture. */
export function addressOfSecret(secret: Uint8Array, application: string, account: string): string {
  const label = `${encodeURIComponent(application)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${lettersOf(secret)}&issuer=${encodeURIComponent(application)}`
}
