/** Which IP addresses are on the public Internet: everything else is somebody's own network, and no place for a webhook. */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * What IANA's registry of special-purpose IPv4 addresses takes from the public ones, with multicast and what is reserved,
 * and the server of Azure for its machines, which has a public address.
 */
const CLOSED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['168.63.129.16', 32],
]

/** The part of IPv6 that is given out for the public Internet (RFC 4291); nothing outside it is reached. */
const OPEN_V6 = new BlockList()
OPEN_V6.addSubnet('2000::', 3, 'ipv6')

/** Within that part: protocols and tunnels, which may hold an IPv4 address (Teredo, 6to4), and documentation. */
const CLOSED_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const CLOSED = new BlockList()
for (const [net, bits] of CLOSED_V4) CLOSED.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of CLOSED_V6) CLOSED.addSubnet(net, bits, 'ipv6')

/** The networks of an option as a list; undefined when one of them is none. */
export function networksOf(written: readonly string[]): BlockList | undefined {
  const list = new BlockList()
  try {
    for (const one of written) {
      const [net = '', bits = ''] = one.split('/')
      list.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4')
    }
    return list
  } catch {
    return undefined
  }
}

/** Whether an IP address may be sent to: it is public and not this machine's own, or in a network that is allowed. */
export function mayReach(ip: string, allowed: BlockList): boolean {
  const [address = ''] = ip.split('%')
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  const family = isIP(plain)
  if (family === 0) return false
  const kind = family === 6 ? 'ipv6' : 'ipv4'
  if (allowed.check(plain, kind)) return true
  if (CLOSED.check(plain, kind) || (family === 6 && !OPEN_V6.check(plain, kind))) return false
  return !ownAddresses().check(plain, kind)
}

/** The addresses of this machine: a public one leads to its own services too. */
function ownAddresses(): BlockList {
  const list = new BlockList()
  for (const one of Object.values(networkInterfaces()).flat()) {
    if (one !== undefined) list.addAddress(one.address.split('%')[0] ?? '', one.family === 'IPv6' ? 'ipv6' : 'ipv4')
  }
  return list
}
