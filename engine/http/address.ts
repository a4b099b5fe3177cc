/** Where a request comes from: the caller's address, and what the rate limit counts it under. */
import { isIP } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/

function plain(address: string): string {
  const bare = address.trim()
  const host = WITH_PORT.exec(bare)
  const inner = host?.[1] ?? host?.[2] ?? bare
  return MAPPED.exec(inner)?.[1] ?? inner
}

/**
 * The caller's address: the socket's, or with `hops` proxies in front the one that the outermost of them saw.
 * Counted from the right, because anything further left is whatever the caller made up.
 */
export function clientAddress(socket: string | undefined, forwarded: string | undefined, hops: number): string {
  const direct = plain(socket ?? '')
  if (hops === 0 || forwarded === undefined) return direct
  const chain = forwarded.split(',')
  const seen = plain(chain[Math.max(0, chain.length - hops)] ?? '')
  return isIP(seen) === 0 ? direct : seen
}

/** The eight groups of an IPv6 address, `::` filled in, without leading zeros. */
function groups(address: string): readonly string[] {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  if (tail === undefined) return before
  const after = tail === '' ? [] : tail.split(':')
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
}

/** What requests of an address are counted under: itself, or its /64, since a household holds that many of IPv6. */
export function countedAs(address: string): string {
  if (!address.includes(':')) return address
  const network = groups(address.split('%')[0]!).slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}
