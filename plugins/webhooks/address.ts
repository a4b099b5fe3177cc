/** Addresses of webhooks ⇄: how they may be written, and where their names lead by the very lookup that connects. */
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { type FieldError, fieldError } from '../../engine/index.ts'
import { mayReach, networksOf } from './networks.ts'
import type { WebhookOptions } from './options.ts'

/** Asks for all addresses of a name; that of the system, and a test's own. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Two tries of so many milliseconds each. */
const NAMES = new Resolver({ timeout: 2_000, tries: 2 })

/**
 * Asks the name servers. Not the system's own lookup: that holds one of the four threads which also read files and hash
 * passwords, for as long as a name server is silent. So /etc/hosts is not read.
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

/** An address that leads where webhooks may not go; nothing was sent. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

/** Below 1024 there are services that are no receivers; a webhook is not to speak to a mail server. */
const FIRST_FREE_PORT = 1_024
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])

/** What is wrong with an address as it is written; undefined when nothing is. */
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

/** The host of an address as it is connected to: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * The addresses that a host leads to. Rejects with ForbiddenAddress when one of them is in an own network, whatever the
 * others are: the next connection might take that one.
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
  // Without the address: it tells of a network that is not for everybody's eyes.
  if (found.some(({ address }) => !mayReach(address, allowed)))
    throw new ForbiddenAddress(family === 0 ? `${host} leads into an own network` : `${host} is in an own network`)
  if (found.length === 0) throw new Error(`${host} has no address`)
  return found
}

/** The lookup of one connection: what it gives was checked, and nothing is looked up again. */
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
