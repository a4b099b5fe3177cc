/** IP addresses: each is one value, however it is written. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The forms in which IPv6 carries an address of IPv4: mapped (RFC 4291), and translated (RFC 6052 and RFC 6145). */
const CARRY_IPV4 = ['::ffff:0:0', '::ffff:0:0:0', '64:ff9b::'].map((first) => ipaddr.IPv6.parse(first))

/** The address that a text is, without its zone; undefined where it is none. An IPv4 address that IPv6 carries is that address. */
export function addressOf(text: string): Address | undefined {
  const [bare = ''] = text.split('%')
  if (isIPv4(bare)) return ipaddr.IPv4.parse(bare)
  if (!isIPv6(bare)) return undefined
  const address = ipaddr.IPv6.parse(bare)
  return CARRY_IPV4.some((first) => address.match(first, 96))
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : address
}

/** The one spelling of an address (RFC 5952); undefined where it is none. */
export function oneSpelling(text: string): string | undefined {
  const address = addressOf(text)
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address?.toString()
}

/** The first 64 bits of an address of IPv6, as groups of it; undefined for one of IPv4. */
export function networkOf(address: Address): readonly number[] | undefined {
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4) : undefined
}

/** A network as `10.1.0.0/16`. */
export type Network = readonly [address: Address, bits: number]

/** The network that a text is; undefined where it is none. */
export function subnetOf(text: string): Network | undefined {
  const [, written = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = addressOf(written)
  if (address === undefined) return undefined
  // A network of IPv4 that is written in IPv6 counts the bits in front of it too.
  const bits = Number(length) - (isIPv6(written) && address.kind() === 'ipv4' ? 96 : 0)
  return bits < 0 || bits > (address.kind() === 'ipv4' ? 32 : 128) ? undefined : [address, bits]
}

/** Whether an address is in a network. */
export function isWithin(address: Address, [first, bits]: Network): boolean {
  if (address instanceof ipaddr.IPv6) return first instanceof ipaddr.IPv6 && address.match(first, bits)
  return first instanceof ipaddr.IPv4 && address.match(first, bits)
}

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return addressOf(address)?.range() === 'loopback'
}

/** Whether a host, with or without a port, names the machine itself. */
export function isOwnHost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d{1,5}$/, '').replace(/^\[|\]$/g, '')
  return name === 'localhost' || isLoopback(name)
}
