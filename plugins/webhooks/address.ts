/**
 * Addresses of webhooks ⇄: which are allowed, and which hosts they lead to, by the same lookup that connects. Only the
 * public Internet and allowed networks are reached.
 */

import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import {
  type Address,
  addressOf,
  type FieldError,
  fieldError,
  isWithin,
  type Network,
  subnetOf,
} from '../../engine/index.ts'
import type { WebhookOptions } from './options.ts'

/** Looks up all addresses of a name: by the system, or by a test. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Two tries of this many milliseconds each. */
const NAMES = new Resolver({ timeout: 2_000, tries: 2 })

/**
 * Asks the name servers instead of the system's own lookup: that occupies one of the four threads that also read files
 * and hash passwords, for as long as a name server is silent. So /etc/hosts is not read.
 */
export const resolveByName: Resolve = async (host) => {
  // RFC 6761, 6.3: this machine, whatever a name server says.
  if (/^(.+\.)?localhost\.?$/i.test(host)) return [...addressesOf(['127.0.0.1'], 4), ...addressesOf(['::1'], 6)]
  const [four, six] = await Promise.allSettled([NAMES.resolve4(host), NAMES.resolve6(host)])
  const found = [
    ...addressesOf(four.status === 'fulfilled' ? four.value : [], 4),
    ...addressesOf(six.status === 'fulfilled' ? six.value : [], 6),
  ]
  if (found.length > 0) return found
  throw Object.assign(new Error(`No name server gives an address of ${host}`), { code: 'ENOTFOUND' })
}

function addressesOf(found: readonly string[], family: 4 | 6): readonly LookupAddress[] {
  return found.map((address) => ({ address, family }))
}

/** An address where webhooks must not go; nothing was sent. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

/** Services below 1024 are no receivers; a webhook must not talk to a mail server. */
const FIRST_FREE_PORT = 1_024
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])

/** The mistake in an address as written; undefined without one. */
export function writtenWrong(address: string, { http }: WebhookOptions): FieldError | string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined) return fieldError('wrong_format', 'The address must be a whole address, https://…')
  if (url.protocol !== 'https:' && !(http && url.protocol === 'http:'))
    return http ? 'The address must begin with https:// or http://' : 'The address must begin with https://'
  if (url.username !== '' || url.password !== '') return 'The address must not hold a name or a password'
  if (url.hash !== '') return 'The address must not have a part behind #'
  const port = portOf(url)
  if (port < FIRST_FREE_PORT && !WEB_PORTS.has(port))
    return `The port ${port} is no port of a receiver: take 443${http ? ', 80' : ''} or one from ${FIRST_FREE_PORT} on`
  return undefined
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** The host for a connection: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * The addresses of a host. Rejects with ForbiddenAddress when one of them is in a private network, because a connection
 * might take that one.
 */
export async function reachable(
  host: string,
  options: WebhookOptions,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const allowed = networksOf(options.networks)
  if (allowed === undefined) throw new Error('the option "networks" of webhooks holds what is no network')
  const family = isIP(host)
  const found = family === 0 ? await resolve(host) : [{ address: host, family }]
  // Without the address, which would reveal a network.
  if (found.some(({ address }) => !mayReach(address, allowed)))
    throw new ForbiddenAddress(family === 0 ? `${host} leads into an own network` : `${host} is in an own network`)
  if (found.length === 0) throw new Error(`${host} has no address`)
  return found
}

/** The lookup of one connection: its result was checked, and nothing is looked up again. */
export function checkedLookup(options: WebhookOptions, resolve: Resolve): LookupFunction {
  return (host, { all }, done) => {
    reachable(host, options, resolve).then(
      (found) => {
        if (all === true) done(null, [...found])
        else done(null, found[0]?.address ?? '', found[0]?.family)
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
}

/** The public part of IPv6 (RFC 4291); nothing outside it is reached. */
const OPEN_V6 = subnetOf('2000::/3')!

/** Azure's server for its machines, which has a public address. */
const OF_AZURE = '168.63.129.16'

/** The networks of an option; undefined where one is invalid. */
export function networksOf(written: readonly string[]): readonly Network[] | undefined {
  const networks = written.map(subnetOf).filter((network) => network !== undefined)
  return networks.length === written.length ? networks : undefined
}

/** Whether an IP address may be sent to: public and not this machine's own, or in an allowed network. */
export function mayReach(ip: string, allowed: readonly Network[]): boolean {
  const address = addressOf(ip)
  if (address === undefined) return false
  if (allowed.some((network) => isWithin(address, network))) return true
  return isPublic(address) && !isOwn(address)
}

/** Public by IANA's registries of special-purpose addresses. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || address.toString() === OF_AZURE) return false
  return address.kind() === 'ipv4' || isWithin(address, OPEN_V6)
}

/** Whether it is this machine's: a public address leads to its own services too. */
function isOwn(address: Address): boolean {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return own.some((one) => addressOf(one.address)?.toString() === address.toString())
}
