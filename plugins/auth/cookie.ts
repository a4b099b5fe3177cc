/**
 * The cookie of a browser's session (RFC 6265). Only pages of the same origin can use it, and none can read it, so no
 * further token against forged requests is needed.
 */
import { ApiError, isOwnHost, isSameOrigin, type PluginContext, type RouteContext } from '../../engine/index.ts'
import { authOptions } from './options.ts'

type Place = Pick<PluginContext, 'instance' | 'settings'>

const isSecure = ({ settings }: Pick<Place, 'settings'>): boolean => settings.baseUrl.startsWith('https:')

/** The end of the name of the cookie of sign-ins that are under way at providers. */
export const PROVIDER_COOKIE = '-provider'

/** All ports of a host share its cookies, so the name has the id of the application. */
function nameOf(place: Place, end: string): string {
  return `${isSecure(place) ? '__Host-' : ''}plinth-${place.instance}${end}`
}

/** The token in the Cookie header of a request; undefined where there is none. */
export function tokenInCookie(place: Place, header: string | undefined): string | undefined {
  return cookieNamed(place, header, '')
}

/** The value of one of the cookies of this application in a Cookie header, by the end of its name. */
export function cookieNamed(place: Place, header: string | undefined, end: string): string | undefined {
  if (header === undefined) return undefined
  const start = `${nameOf(place, end)}=`
  const pair = header.split(';').find((one) => one.trimStart().startsWith(start))
  return pair?.trim().slice(start.length)
}

/** A cookie of this application, by the end of its name, as a Set-Cookie header. */
export function cookieText(place: Place, value: string, seconds: number, end: string): string {
  const secure = isSecure(place) ? '; Secure' : ''
  return `${nameOf(place, end)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly${secure}; SameSite=Lax`
}

function cookie(place: Place, value: string, seconds: number): Readonly<Record<'set-cookie', string>> {
  return { 'set-cookie': cookieText(place, value, seconds, '') }
}

/** The header that gives a browser the token of its session. */
export function givingCookie(
  context: Place & Pick<PluginContext, 'options'>,
  token: string,
): Readonly<Record<'set-cookie', string>> {
  return cookie(context, token, authOptions(context.options).tokenDays * 86_400)
}

/** The header that takes it back. */
export function takingCookie(place: Place): Readonly<Record<'set-cookie', string>> {
  return cookie(place, '', 0)
}

/**
 * Throws where a session cannot be kept by a cookie: for a page of another origin, and over plain http on another
 * machine, where anybody on the way could read it and browsers do not say which page sends a request.
 */
export function requireCookies({ headers, settings }: Pick<RouteContext, 'headers' | 'settings'>): void {
  requireSafePlace({ headers, settings })
  if (!isSameOrigin('POST', headers))
    throw new ApiError('forbidden', {
      message:
        'A session by cookie is for pages of this origin: ask for a token, or send the header X-Plinth: 1 where the browser sends no Sec-Fetch-Site',
    })
}

/** Throws where nobody's cookies are safe: over plain http on another machine. */
export function requireSafePlace({ headers, settings }: Pick<RouteContext, 'headers' | 'settings'>): void {
  const { host } = new URL(settings.baseUrl)
  if (!isSecure({ settings }) && !(isOwnHost(host) && isOwnHost(headers.host)))
    throw new ApiError('forbidden', {
      message:
        'A session by cookie needs https: open the address that begins with https, or set BASE_URL to one; on this machine itself http://localhost works too',
    })
}
