/** ⇄ The two halves of a sign-in at a provider: the address that leads there, and what it says of the person who comes back. */
import { isObject, type JsonObject, type PluginContext, type RouteContext } from '../../../engine/index.ts'
import { type Claims, readClaims } from './claims.ts'
import { askWith, githubClaims } from './github.ts'
import type { Provider } from './options.ts'
import { fetchOf, serverOf, verified } from './server.ts'
import type { Begun } from './state.ts'

type Place = Pick<PluginContext, 'catalog' | 'settings' | 'now'>

/** Where the provider sends people back to, at the public address and never at the Host of a request. */
export function redirectOf({ catalog, settings }: Pick<Place, 'catalog' | 'settings'>, { name }: Provider): string {
  return `${settings.baseUrl.replace(/\/+$/, '')}${catalog.prefix}/auth/providers/${name}/callback`
}

/** The address at the provider at which somebody signs in, and what has to be kept until they are back. */
export async function beginAt(
  context: Place,
  provider: Provider,
): Promise<{
  readonly state: string
  readonly begun: Pick<Begun, 'provider' | 'verifier' | 'nonce' | 'at'>
  readonly address: string
}> {
  const client = await import('openid-client')
  const { configuration } = await serverOf(context, provider)
  const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
  const openid = provider.adapter === undefined
  const { parameters, scopes: lasting } = provider.revalidate ?? { scopes: [], parameters: {} }
  const scopes = openid ? ['openid', 'profile', 'email', ...provider.scopes, ...lasting] : provider.scopes
  const { href: address } = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectOf(context, provider),
    scope: [...new Set(scopes)].join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...(openid && { nonce, ...parameters }),
  })
  return { state, address, begun: { provider: provider.name, verifier, nonce, at: context.now().getTime() } }
}

/** What came of an exchange: who it is, and the id of the session there. */
export interface Arrived {
  readonly claims: Claims
  readonly sid: string | undefined
  /** By which the provider can be asked again. */
  readonly tokens: Tokens
}

/** What a provider gave for later questions. */
export interface Tokens {
  readonly access: string
  /** Absent where it gave none. */
  readonly refresh?: string
}

function tokensIn({
  access_token,
  refresh_token,
}: {
  access_token: string
  refresh_token?: string | undefined
}): Tokens {
  return { access: access_token, ...(refresh_token !== undefined && { refresh: refresh_token }) }
}

/**
 * Exchanges the code in the query of somebody who came back for a token, and verifies it; rejects where anything in it is
 * not as it was asked for.
 */
export async function exchange(
  context: Place & Pick<RouteContext, 'query'>,
  provider: Provider,
  begun: Begun,
  state: string,
): Promise<Arrived> {
  const client = await import('openid-client')
  const { configuration } = await serverOf(context, provider)
  const address = new URL(redirectOf(context, provider))
  address.search = context.query.toString()
  const openid = provider.adapter === undefined
  const checks = { pkceCodeVerifier: begun.verifier, expectedState: state }
  const tokens = await client.authorizationCodeGrant(configuration, address, {
    ...checks,
    ...(openid && { expectedNonce: begun.nonce, idTokenExpected: true }),
  })
  if (!openid) {
    const { claims } = await told(context, provider, tokens)
    return { claims, sid: undefined, tokens: tokensIn(tokens) }
  }
  const token = await verified(context, provider, tokens.id_token ?? '', {
    audience: provider.clientId,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce'],
  })
  requirePresent(context, token)
  const { claims } = await told(context, provider, tokens, token)
  const sid = typeof token.sid === 'string' ? token.sid : undefined
  return { claims, sid, tokens: tokensIn(tokens) }
}

/** What a provider says of somebody, by a token for its API and, where there is one, a token that says who it is. */
async function told(
  context: Place,
  provider: Provider,
  { access_token }: { readonly access_token: string },
  token?: JsonObject,
  subject = String(token?.sub),
): Promise<{ readonly claims: Claims; readonly isSilent: boolean }> {
  const client = await import('openid-client')
  const { configuration } = await serverOf(context, provider)
  if (provider.adapter !== undefined) {
    const ask = askWith(fetchOf(context.settings, provider), access_token)
    const raw = await githubClaims(ask, provider.scopes)
    return { claims: readClaims(context.catalog, provider, raw), isSilent: false }
  }
  const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
  const info = hasUserinfo ? plain(await client.fetchUserInfo(configuration, access_token, subject)) : {}
  const raw = { ...info, ...(token ?? { sub: subject }) }
  return { claims: readClaims(context.catalog, provider, raw), isSilent: !hasUserinfo && token === undefined }
}

/**
 * Asks a provider again of somebody who came before, by a token that it gave; rejects where it refuses. Without claims it
 * said no more than that the tokens still hold.
 */
export async function askAgain(
  context: Place,
  provider: Provider,
  subject: string,
  given: Tokens,
): Promise<{ readonly claims: Claims | undefined; readonly tokens: Tokens }> {
  if (given.refresh === undefined) {
    const { claims, isSilent } = await told(context, provider, { access_token: given.access }, undefined, subject)
    return { claims: isSilent ? undefined : claims, tokens: given }
  }
  const client = await import('openid-client')
  const { configuration } = await serverOf(context, provider)
  const renewed = await client.refreshTokenGrant(configuration, given.refresh)
  const tokens = { ...given, ...tokensIn(renewed) }
  const options = { audience: provider.clientId, requiredClaims: ['iss', 'sub', 'aud', 'exp'] }
  const token =
    renewed.id_token === undefined ? undefined : await verified(context, provider, renewed.id_token, options)
  const { claims, isSilent } = await told(context, provider, renewed, token, subject)
  return { claims: isSilent ? undefined : claims, tokens }
}

/** A token that was just made bears the present time; throws where the clocks of the two servers differ. */
export class WrongTime extends Error {
  readonly claim = 'iat'
}

/** How far the clocks of two servers may differ. */
const CLOCKS_MS = 300_000

function requirePresent({ now }: Place, { iat }: JsonObject): void {
  const apart = Math.abs(now().getTime() - Number(iat) * 1000)
  if (!(apart <= CLOCKS_MS)) throw new WrongTime(`the clocks differ by ${Math.round(apart / 1000)} seconds`)
}

/** As JSON: an answer that a library read may hold what is none. */
function plain(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value))
  return isObject(copy as JsonObject) ? (copy as JsonObject) : {}
}
