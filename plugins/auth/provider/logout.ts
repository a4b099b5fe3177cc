/** Sessions that end because their provider says so (OpenID Connect Back-Channel Logout 1.0). */
import {
  ApiError,
  BreakerOpen,
  isObject,
  isUnreachable,
  type JsonObject,
  type Route,
  type RouteContext,
} from '../../../engine/index.ts'
import { tokenHash } from '../../keys/seal.ts'
import { note } from '../history/acts.ts'
import { type Provider, providerNamed } from './options.ts'
import { TOLERANCE_S, verified } from './server.ts'
import { OPENED } from './sign-in.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** A token is made when somebody signs out, so an old one was sent before. */
const OLDEST_MS = 600_000

export const logout: Route = {
  method: 'POST',
  path: '/auth/providers/{name}/logout',
  summary: 'End sessions, as their provider says',
  description:
    'For the provider, which sends a signed logout token once (OpenID Connect Back-Channel Logout). The sessions of its `sid` end, or those of its `sub`, on every instance, with their streams.',
  tag: 'Authentication',
  access: 'public',
  openToRestricted: true,
  body: 'form',
  input: { logout_token: { type: 'secret', required: true, max: 8_000 } },
  handle: async (context) => {
    const provider = providerNamed(context)
    const token = await tokenIn(context, provider)
    const ended = await context.transaction(async (inner) => {
      await useOnce(inner, provider, String(token.jti))
      return endSessions(inner, provider, token)
    })
    context.log.info({ provider: provider.name, ended }, 'a provider ended sessions')
    return { message: 'Signed out', headers: { 'cache-control': 'no-store' } }
  },
}

const refused = (message: string): ApiError => new ApiError('bad_request', { message })

/** The claims of a logout token (2.4 and 2.6 there); throws bad_request. */
async function tokenIn(context: RouteContext, provider: Provider): Promise<JsonObject> {
  const { requestId } = context
  let token: JsonObject
  try {
    token = await verified(context, provider, String(context.body.logout_token), {
      issuer: provider.issuer,
      audience: provider.clientId,
      requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
    })
  } catch (error) {
    if (error instanceof BreakerOpen || isUnreachable(error)) throw new ApiError('unavailable', { retryAfter: 10 })
    context.log.warn({ err: error, requestId, provider: provider.name }, 'a logout token was not taken')
    throw refused('The logout token is not one of this provider for this application')
  }
  const { events, iat, nonce, sid, sub } = token
  if (!isObject(events) || !isObject(events[EVENT]) || nonce !== undefined)
    throw refused('The token is no logout token')
  if (typeof sid !== 'string' && typeof sub !== 'string') throw refused('The logout token names no session and nobody')
  const age = context.now().getTime() - Number(iat) * 1000
  if (!(age < OLDEST_MS && age > -TOLERANCE_S * 1000)) throw refused('The logout token is of another time')
  return token
}

/** Throws bad_request for a token that was used before. */
async function useOnce({ catalog, connection, now }: RouteContext, provider: Provider, jti: string): Promise<void> {
  const { table } = catalog.resources.get('provider_codes')!
  const { rowCount } = await connection.knex.raw<{ readonly rowCount: number }>(
    `insert into ?? (code_hash, provider, created_at, expires_at) values (?, ?, ?::timestamptz, ?::timestamptz)
     on conflict (code_hash) do nothing`,
    [
      table,
      tokenHash(`logout ${provider.name} ${jti}`),
      provider.name,
      now(),
      new Date(now().getTime() + 2 * OLDEST_MS),
    ],
  )
  if (rowCount === 0) throw refused('The logout token was used before')
}

/** Ends the sessions of a token, and the codes for which programs would get one; gives their number. */
async function endSessions(context: RouteContext, provider: Provider, { sid, sub }: JsonObject): Promise<number> {
  const { model } = context
  const { issuer, name } = provider
  const account =
    typeof sub === 'string'
      ? model('identities').query().where({ provider: name, issuer, subject: sub }).select('user_id')
      : undefined
  let ended = 0
  for (const resource of OPENED) {
    const query = model(resource).query().where({ provider: name })
    if (typeof sid === 'string') {
      // Sessions whose token named no session there can only be found by their person.
      query.where((either) => {
        either.where({ sid: sid.slice(0, 255) })
        if (account !== undefined) either.orWhere((own) => own.whereNull('sid').whereIn('user_id', account.clone()))
      })
    } else query.whereIn('user_id', account!.clone())
    const rows = await query.delete().returning('user_id').castTo<{ readonly user_id: number }[]>()
    ended += rows.length
    if (resource !== 'access_tokens') continue
    for (const user of new Set(rows.map(({ user_id }) => user_id)))
      await note(context, { act: 'signed_out', by: null, user, provider: name })
  }
  return ended
}
