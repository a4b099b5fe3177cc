/** Which IP addresses are on the public Internet: everything else is somebody's own network, and no place for a webhook. */
import { networkInterfaces } from 'node:os'
import { type Address, addressOf, isWithin, type Network, subnetOf } from '../../engine/index.ts'

/** The part of IPv6 that is given out for the public Internet (RFC 4291); nothing outside it is reached. */
const OPEN_V6 = subnetOf('2000::/3')!

/** The server of Azure for its machines, which has a public address. */
const OF_AZURE = '168.63.129.16'

/** The networks of an option; undefined when one of them is none. */
export function networksOf(written: readonly string[]): readonly Network[] | undefined {
  const networks = written.map(subnetOf).filter((network) => network !== undefined)
  return networks.length === written.length ? networks : undefined
}

/** Whether an IP address may be sent to: it is public and not this machine's own, or in a network that is allowed. */
export function mayReach(ip: string, allowed: readonly Network[]): boolean {
  const address = addressOf(ip)
  if (address === undefined) return false
  if (allowed.some((network) => isWithin(address, network))) return true
  return isPublic(address) && !isOwn(address)
}

/** What IANA's registries of special-purpose addresses leave. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || address.toString() === OF_AZURE) return false
  return address.kind() === 'ipv4' || isWithin(address, OPEN_V6)
}

/** Whether it is this machine's: a public address leads to its own services too. */
function isOwn(address: Address): boolean {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return own.some((one) => addressOf(one.address)?.toString() === address.toString())
}
