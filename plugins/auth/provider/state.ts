/**
 * What a browser keeps while somebody is at a provider: an encrypted cookie of ten minutes with an entry for each tab, by
 * the `state` of its request.
 */
import {
  isObject,
  type JsonObject,
  type PluginContext,
  type RouteContext,
  seal,
  unseal,
} from '../../../engine/index.ts'
import { cookieNamed, cookieText, PROVIDER_COOKIE } from '../cookie.ts'

const MINUTES = 10
/** The most characters of all entries: browsers keep cookies of 4096 bytes, and a sealed text is longer by a third. */
const MOST = 2_600
const USE = 'auth provider'

/** A sign-in that was begun. */
export interface Begun {
  readonly provider: string
  /** The secret behind the code challenge (RFC 7636). */
  readonly verifier: string
  readonly nonce: string
  /** Where it leads afterwards, a path of this application. */
  readonly next: string
  /** When it began, in milliseconds. */
  readonly at: number
  /** What a program that gets a code can prove; absent: the browser gets a cookie. */
  readonly challenge?: string
  /** The account that asked to be connected. */
  readonly account?: number
}

type Place = Pick<RouteContext, 'settings' | 'instance' | 'now' | 'headers'>

/** The sign-ins that this browser has begun and not ended, by their `state`. */
export async function begunIn(context: Place): Promise<ReadonlyMap<string, Begun>> {
  const text = cookieNamed(context, context.headers.cookie, PROVIDER_COOKIE)
  const opened = text === undefined ? undefined : await unseal(context.settings, USE, text)
  const known: unknown = opened === undefined ? undefined : JSON.parse(opened)
  const oldest = context.now().getTime() - MINUTES * 60_000
  const entries = isObject(known as JsonObject) ? Object.entries(known as Readonly<Record<string, Begun>>) : []
  return new Map(entries.filter(([, { at }]) => at > oldest))
}

/** The Set-Cookie header that keeps these sign-ins; takes the cookie back where there is none. */
export async function keeping(
  place: Pick<PluginContext, 'settings' | 'instance'>,
  begun: ReadonlyMap<string, Begun>,
): Promise<string> {
  let kept = [...begun]
  const text = (): string => JSON.stringify(Object.fromEntries(kept))
  while (text().length > MOST) kept = kept.slice(1)
  if (kept.length === 0) return cookieText(place, '', 0, PROVIDER_COOKIE)
  const sealed = await seal(place.settings, USE, text())
  return cookieText(place, sealed, MINUTES * 60, PROVIDER_COOKIE)
}
