/** Routes of sign-in by providers: their list, the way there and back, and the code by which a program gets its session. */
import { createHash } from 'node:crypto'
import {
  ApiError,
  countAct,
  fieldError,
  invalid,
  type Reply,
  type Route,
  type RouteContext,
} from '../../../engine/index.ts'
import { newToken, tokenHash } from '../../keys/seal.ts'
import { rootOf } from '../../pages/page.ts'
import { givingCookie, requireSafePlace } from '../cookie.ts'
import { note } from '../history/acts.ts'
import { openSession } from '../opened-sessions.ts'
import { authOptions } from '../options.ts'
import { addressFrom } from '../session.ts'
import { beginAt, exchange } from './exchange.ts'
import { logout } from './logout.ts'
import { type Provider, providerNamed, providersIn } from './options.ts'
import { leadOn, troublePage } from './page.ts'
import { arrive, type Outcome } from './sign-in.ts'
import { type Begun, begunIn, keeping } from './state.ts'
import { answeredTrouble, failureTrouble, isOwn, NOT_BEGUN, refusalTrouble } from './trouble.ts'

const TAG = 'Authentication'
const CODE_MS = 60_000
const LONGEST_PATH = 300
/** What pages of refusals are answered with. */
const REFUSALS = [400, 403, 503]

/** The address at which a browser begins, below the root of this application. */
function wayTo({ catalog, settings }: Pick<RouteContext, 'catalog' | 'settings'>, name: string): string {
  return `${rootOf({ settings })}${catalog.prefix}/auth/providers/${name}`
}

const PROVIDER = {
  type: 'object',
  properties: { name: { type: 'string' }, label: { type: 'string' }, path: { type: 'string' } },
  required: ['name', 'label', 'path'],
} as const

const list: Route = {
  method: 'GET',
  path: '/auth/providers',
  summary: 'The providers by which people sign in',
  description: 'A page leads its browser to the `path` of one.',
  tag: TAG,
  access: 'public',
  openToRestricted: true,
  output: { type: 'array', items: PROVIDER },
  handle: async (context) => ({
    data: [...providersIn(context.options).values()].map(({ label, name }) => ({
      name,
      label,
      path: wayTo(context, name),
    })),
  }),
}

/** A path of this application and no other address; throws invalid. */
function ownPath(context: RouteContext): string {
  const { next } = context.parameters
  if (typeof next !== 'string') return `${rootOf(context)}${authOptions(context.options).signInPage ?? '/'}`
  const { origin } = new URL(context.settings.baseUrl)
  const own = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(next) && next.length <= LONGEST_PATH
  if (!own || !URL.canParse(next, origin) || new URL(next, origin).origin !== origin)
    throw invalid({ next: [fieldError('wrong_format', `The next must be a path of this application, as /console`)] })
  return next
}

const BEGIN = {
  next: { type: 'string', description: 'Where the browser goes on: a path of this application' },
} as const

const begin: Route = {
  method: 'GET',
  path: '/auth/providers/{name}',
  summary: 'Lead a browser to a provider, at which somebody signs in',
  description:
    'The browser comes back with a session by cookie, and goes on to `next`. With `challenge` (the SHA-256 of a secret of 43 to 128 characters, as base64url) it goes on with `#code=` instead, for which the program that knows the secret gets a token from `/auth/providers/code` within a minute, once.',
  tag: TAG,
  access: 'public',
  openToRestricted: true,
  bucket: 'auth',
  status: 302,
  query: {
    ...BEGIN,
    challenge: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$', description: 'What a program can prove' },
  },
  produces: ['text/html'],
  refusals: REFUSALS,
  handle: async (context) => {
    const { challenge } = context.parameters
    return lead(context, typeof challenge === 'string' ? { challenge } : {})
  },
}

/** Leads to the provider, and keeps in a cookie what is needed when the browser comes back. */
async function lead(context: RouteContext, more: Pick<Begun, 'challenge' | 'account'>): Promise<Reply> {
  const provider = providerNamed(context)
  const next = ownPath(context)
  requireSafePlace(context)
  try {
    const { address, begun, state } = await beginAt(context, provider)
    const all = new Map([...(await begunIn(context)), [state, { ...begun, next, ...more }]])
    const headers = { Location: address, 'Set-Cookie': await keeping(context, all), 'Cache-Control': 'no-store' }
    return { status: 302, headers, raw: { type: 'text/html; charset=utf-8', body: '' } }
  } catch (error) {
    if (isOwn(error)) throw error
    context.log.warn({ err: error, ...named(context, provider) }, 'a sign-in could not begin')
    return troublePage(context, provider, failureTrouble(provider, error))
  }
}

const callback: Route = {
  method: 'GET',
  path: '/auth/providers/{name}/callback',
  summary: 'The way back from a provider',
  description: 'The address that is registered there. Its answers are pages.',
  tag: TAG,
  access: 'public',
  openToRestricted: true,
  bucket: 'auth',
  produces: ['text/html'],
  refusals: REFUSALS,
  handle: async (context) => {
    const provider = providerNamed(context)
    const begun = new Map(await begunIn(context))
    const state = context.query.get('state') ?? ''
    const own = begun.get(state)
    if (own === undefined || own.provider !== provider.name) {
      context.log.warn(named(context, provider), 'somebody came back from a sign-in that was not begun, or is over')
      return troublePage(context, provider, NOT_BEGUN)
    }
    begun.delete(state)
    const cookies = [await keeping(context, begun)]
    const error = context.query.get('error')
    if (error !== null) {
      const answered = { ...named(context, provider), error, description: context.query.get('error_description') }
      context.log.warn(answered, 'a provider refused a sign-in')
      return troublePage(context, provider, answeredTrouble(provider, error), cookies)
    }
    return cameBack(context, provider, own, state, cookies)
  },
}

async function cameBack(
  context: RouteContext,
  provider: Provider,
  begun: Begun,
  state: string,
  cookies: readonly string[],
): Promise<Reply> {
  try {
    const { claims, sid } = await exchange(context, provider, begun, state)
    const outcome = await arrive(context, provider, claims, begun.account)
    if (outcome.kind === 'in') return await end(context, provider, begun, { account: outcome.account, sid }, cookies)
    countAct(context.settings, 'sign_in', outcome.why)
    const refused = {
      act: 'provider_refused',
      by: null,
      user: outcome.account ?? null,
      provider: provider.name,
    } as const
    await note(context, { ...refused, address: context.ip, details: { reason: outcome.why } })
    context.log.warn({ ...named(context, provider), ...told(outcome) }, 'somebody whom a provider named was not let in')
    return troublePage(context, provider, refusalTrouble(provider, outcome.why, outcome.reason), cookies)
  } catch (error) {
    if (isOwn(error)) throw error
    context.log.warn({ err: error, ...named(context, provider) }, 'the answer of a provider was not taken')
    return troublePage(context, provider, failureTrouble(provider, error), cookies)
  }
}

/** By what the log finds a sign-in: the id that its page shows. */
function named({ requestId }: RouteContext, { name }: Provider) {
  return { requestId, provider: name }
}

function told({ account, reason, why }: Extract<Outcome, { kind: 'refused' }>) {
  return { why, ...(account !== undefined && { user: account }), ...(reason !== undefined && { reason }) }
}

/** Gives the browser its session, or a code for the program that asked. */
async function end(
  context: RouteContext,
  { name: provider }: Provider,
  { account: connecting, challenge, next }: Begun,
  { account, sid }: { readonly account: number; readonly sid: string | undefined },
  cookies: readonly string[],
): Promise<Reply> {
  // A person who connects an identity is signed in already.
  if (connecting !== undefined) return leadOn(context, next, cookies)
  if (challenge !== undefined) {
    const code = newToken()
    await context
      .model('provider_codes')
      .query()
      .insert({
        code_hash: tokenHash(code),
        challenge,
        provider,
        sid: sid ?? null,
        user_id: account,
        created_at: context.now(),
        expires_at: new Date(context.now().getTime() + CODE_MS),
      })
    return leadOn(context, `${next.replace(/#.*$/, '')}#code=${code}`, cookies)
  }
  const token = await openSession(context, account, {
    factors: ['provider'],
    provider,
    ...(sid !== undefined && { sid: sid.slice(0, 255) }),
    cookie: true,
  })
  return leadOn(context, next, [...cookies, givingCookie(context, token)['set-cookie']])
}

const code: Route = {
  method: 'POST',
  path: '/auth/providers/code',
  summary: 'Get the session of a sign-in that a program began',
  description: '`code` is the one behind `#code=`, and `verifier` the secret whose SHA-256 was the `challenge`.',
  tag: TAG,
  access: 'public',
  bucket: 'auth',
  input: {
    code: { type: 'secret', required: true },
    verifier: { type: 'secret', required: true },
  },
  output: {
    type: 'object',
    properties: { user: { $ref: '#/resources/users' }, token: { type: 'string' }, token_type: { type: 'string' } },
    required: ['user', 'token', 'token_type'],
  },
  handle: async (context) => {
    const { body, model, now } = context
    // Used up even with a wrong verifier: a program that does not know it did not begin.
    const [found] = await model('provider_codes')
      .query()
      .where({ code_hash: tokenHash(String(body.code)) })
      .whereNotNull('challenge')
      .delete()
      .returning('*')
      .castTo<
        { challenge: string; provider: string; sid: string | null; user_id: number; expires_at: Date | string }[]
      >()
    const proof = createHash('sha256').update(String(body.verifier)).digest('base64url')
    if (found === undefined || found.challenge !== proof || new Date(found.expires_at) <= now())
      throw invalid({
        code: [
          fieldError('invalid', 'The code was used already, is older than a minute, or is not yours: begin again'),
        ],
      })
    const { provider, sid, user_id: account } = found
    const token = await openSession(context, account, {
      factors: ['provider'],
      provider,
      ...(sid !== null && { sid }),
    })
    const signed = await context.as(account)
    if (signed === null) throw new ApiError('forbidden', { message: 'Account is not active' })
    return {
      data: {
        user: await signed.records('users').shown(account),
        token,
        token_type: authOptions(context.options).schemes[0] ?? '',
      },
    }
  },
}

const IDENTITY = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    provider: { type: 'string' },
    label: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    last_seen: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'provider', 'label', 'created_at', 'last_seen'],
} as const

const identities: Route = {
  method: 'GET',
  path: '/auth/identities',
  summary: 'At which providers one is known',
  tag: TAG,
  access: [{ kind: 'signed_in' }],
  output: { type: 'array', items: IDENTITY },
  handle: async ({ actor, options, records }) => {
    const { data } = await records('identities', 'system').list({ user_id: String(actor.id), per_page: '100' })
    const label = (name: unknown): string => providersIn(options).get(String(name))?.label ?? String(name)
    return {
      data: data.map(({ created_at, id, last_seen, provider }) => ({
        id,
        provider,
        label: label(provider),
        created_at,
        last_seen,
      })),
    }
  },
}

function refuseKeys({ actor }: RouteContext): void {
  if (actor.scope !== undefined)
    throw new ApiError('forbidden', { message: 'A key cannot change how somebody signs in: sign in for it' })
}

const connect: Route = {
  method: 'POST',
  path: '/auth/identities',
  summary: 'Connect an identity at a provider to the own account',
  description:
    'Answers the address to which a page leads its browser, as `path`; afterwards the browser goes on to `next`.',
  tag: TAG,
  access: [{ kind: 'signed_in' }],
  bucket: 'auth',
  input: { provider: { type: 'string', required: true, max: 40 }, next: BEGIN.next },
  output: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  handle: async (context) => {
    refuseKeys(context)
    const { next, provider } = context.body
    const parameters = typeof next === 'string' ? { next } : {}
    const asked = { ...context, parameters, params: { name: String(provider) } }
    const { headers, ...page } = await lead(asked, { account: context.actor.id! })
    if (page.status !== 302) throw new ApiError('unavailable', { retryAfter: 10 })
    return { data: { path: String(headers?.Location) }, headers: { 'set-cookie': headers!['Set-Cookie']! } }
  },
}

const disconnect: Route = {
  method: 'DELETE',
  path: '/auth/identities/{id}',
  summary: 'End the connection of an identity',
  description: 'Its sessions end too. Refused where nothing else would be left by which to sign in.',
  tag: TAG,
  access: [{ kind: 'signed_in' }],
  status: 204,
  handle: async (context) => {
    refuseKeys(context)
    const { actor, params } = context
    const id = /^[1-9]\d{0,9}$/.test(params.id ?? '') ? Number(params.id) : 0
    return context.transaction(async ({ model }) => {
      const own = () => model('identities').query().where({ user_id: actor.id })
      const found = await own().findById(id).select('provider').castTo<{ provider: string } | undefined>()
      if (found === undefined) throw new ApiError('record_not_found', { label: 'Identity' })
      const account = await model('users').query().findById(actor.id!).forUpdate().select('password_hash')
      if ((account?.password_hash ?? null) === null && (await own().resultSize()) < 2)
        throw new ApiError('conflict', { message: 'Nothing else lets you in: choose a password first' })
      await own().findById(id).delete()
      const about = { by: actor.id, user: actor.id, provider: found.provider, address: addressFrom(actor) }
      await note({ model, now: context.now }, { act: 'identity_ended', ...about })
      await model('access_tokens').query().where({ user_id: actor.id, provider: found.provider }).delete()
      return { status: 204 }
    })
  },
}

export const providerRoutes: readonly Route[] = [list, begin, callback, code, logout, identities, connect, disconnect]
