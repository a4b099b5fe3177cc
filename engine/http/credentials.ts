/** The headers of a request that may say who sends it. */
import { isLoopback, isOwnHost } from '../address.ts'
import type { Headers } from './call.ts'

/**
 * Whether a page of this origin sends a request, or a person who opens its address. Browsers say so (Fetch Metadata,
 * `Sec-Fetch-Site`). Where one does not, `X-Plinth: 1` says it: a page of another origin would have to ask for that
 * header, and is never allowed it.
 */
export function isSameOrigin(method: string, headers: Headers): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined) return headers['x-plinth'] === '1'
  return site === 'same-origin' || (site === 'none' && (method === 'GET' || method === 'HEAD'))
}

/** The headers by which a caller may be found, without cookies that a page of another origin made a browser send. */
export function credentialsOf(method: string, headers: Headers): Headers {
  if (isSameOrigin(method, headers)) return headers
  const { cookie: _, ...others } = headers
  return others
}

/**
 * Whether a request comes from this machine, to a name of this machine, and from no page of another origin. A page of
 * another origin can give its own name the address of this machine (DNS rebinding), so the name that was asked counts.
 */
export function isFromThisMachine({
  headers,
  ip,
  method,
}: {
  readonly headers: Headers
  readonly ip: string
  readonly method: string
}): boolean {
  const { host, origin } = headers
  if (!isLoopback(ip) || !isOwnHost(host)) return false
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false
  return headers['sec-fetch-site'] === undefined || isSameOrigin(method, headers)
}
