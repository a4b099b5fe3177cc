/** ⇄ Sessions open when somebody has proved who they are, and end. */
import { randomUUID } from 'node:crypto'
import { type Actor, ApiError, countAct, type PluginContext, type RouteContext } from '../../engine/index.ts'
import { note } from './history/acts.ts'
import { authOptions } from './options.ts'
import { addressFrom, sessionOf, signToken } from './session.ts'

/** How somebody proved who they are; `provider_factor` is a second factor that was asked for at a provider. */
export type Factor = 'password' | 'totp' | 'recovery_code' | 'passkey' | 'link' | 'provider' | 'provider_factor'

/** What a session knows of the way in by which it was opened. */
export interface WayIn {
  readonly factors: readonly Factor[]
  /** The name of the provider that said who it is. */
  readonly provider?: string
  /** The id of the session at that provider, by which it ends the session. */
  readonly sid?: string
  /** By which that provider can be asked again, sealed. */
  readonly tokens?: string
  /** Whether the token becomes a cookie; absent: it is sent as a bearer token. */
  readonly cookie?: boolean
}

/**
 * Opens a session for an account that proved by `wayIn` who it is; gives the token. For routes of any plugin: one that
 * has a way in of its own is the one to judge the proof. Throws forbidden for a service account.
 */
export async function openSession(
  given: Pick<RouteContext, 'catalog' | 'headers' | 'ip' | 'model' | 'now' | 'settings'>,
  userId: number,
  wayIn: WayIn,
): Promise<string> {
  const context = { ...given, options: given.catalog.pluginOptions.get('auth') ?? {} }
  await refuseService(context, userId)
  const opened = context.now()
  const expiresAt = opened.getTime() + authOptions(context.options).tokenDays * 86_400_000
  const jti = randomUUID()
  const row = {
    jti,
    user_id: userId,
    expires_at: new Date(expiresAt),
    created_at: opened,
    address: context.ip.slice(0, 45),
    user_agent: agentOf(context.headers['user-agent']),
    factors: wayIn.factors,
    provider: wayIn.provider ?? null,
    sid: wayIn.sid ?? null,
    provider_tokens: wayIn.tokens ?? null,
    fresh_at: opened,
    cookie: wayIn.cookie ?? false,
  }
  await context.model('access_tokens').query().insert(row)
  if (row.cookie) await keepMost(context, userId)
  countAct(context.settings, 'sign_in', 'done')
  const { address, factors, provider } = row
  await note(context, { act: 'signed_in', by: userId, user: userId, address, provider, details: { factors } })
  return signToken(context, userId, { jti, expiresAt })
}

/** Throws forbidden for a service account: a program has keys, and nobody signs in to its account. */
async function refuseService({ model }: Pick<PluginContext, 'model'>, userId: number): Promise<void> {
  const account = await model('users').query().findById(userId).select('kind')
  if (account?.kind === 'service')
    throw new ApiError('forbidden', { message: 'Nobody signs in to a service account: make a key for it' })
}

/** Ends the sessions by cookie of an account that are more than it may have: those that were unused for longest. */
async function keepMost({ model, options }: Pick<PluginContext, 'model' | 'options'>, userId: number): Promise<void> {
  const kept = model('access_tokens')
    .query()
    .where({ user_id: userId, cookie: true })
    .orderByRaw('coalesce(last_used_at, created_at) desc, id desc')
    .limit(authOptions(options).session.most)
    .select('id')
  await model('access_tokens').query().where({ user_id: userId, cookie: true }).whereNotIn('id', kept).delete()
}

/** The User-Agent header as one line of printable characters that fits the column. */
function agentOf(header: string | undefined): string | null {
  const line = (header ?? '').replace(/[^\x21-\x7e]+/g, ' ').trim()
  return line === '' ? null : line.slice(0, 255)
}

/** Ends the session of an actor. */
export async function closeSession({ model, now }: Pick<PluginContext, 'model' | 'now'>, actor: Actor): Promise<void> {
  const jti = sessionOf(actor)
  if (jti === undefined) return
  await model('access_tokens').query().where({ jti }).delete()
  await note({ model, now }, { act: 'signed_out', by: actor.id, user: actor.id, address: addressFrom(actor) })
}

/** Ends every session of a user; `except` is the one that stays. */
export async function closeSessionsOf(
  { model }: Pick<PluginContext, 'model'>,
  userId: number,
  except?: string,
): Promise<void> {
  const query = model('access_tokens').query().where({ user_id: userId })
  if (except !== undefined) query.whereNot({ jti: except })
  await query.delete()
}
