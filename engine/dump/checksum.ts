/** The checksum of a table: the sum of the SHA-256 of its rows, which is the same in any order. */
import { createHash } from 'node:crypto'

const MODULUS = 1n << 256n

export interface Checksum {
  /** Adds a row, as its line of JSON. */
  add(line: string): void
  readonly rows: number
  /** 64 hexadecimal digits. */
  text(): string
}

export function createChecksum(): Checksum {
  let sum = 0n
  let rows = 0
  return {
    add(line) {
      sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`)
      rows += 1
    },
    get rows() {
      return rows
    },
    text: () => (sum % MODULUS).toString(16).padStart(64, '0'),
  }
}
