/** What an app for one-time codes does with the secret that it is shown. */

/** The bytes of a secret that is written in letters (RFC 4648, base32). */
export function bytesOf(letters: string): Buffer {
  const bits = [...letters]
    .map((one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
