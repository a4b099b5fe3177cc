/** Routes of sign-in by providers: their list, and the way there and back. */
import { countAct, fieldError, invalid, type Reply, type Route, type RouteContext } from '../../../engine/index.ts'
import { rootOf } from '../../pages/page.ts'
import { requireSafePlace } from '../cookie.ts'
import { note } from '../history/acts.ts'
import type { WayIn } from '../opened-sessions.ts'
import { authOptions } from '../options.ts'
import { end } from './end.ts'
import { beginAt, exchange } from './exchange.ts'
import { logout } from './logout.ts'
import { type Provider, providerNamed, providersIn } from './options.ts'
import { troublePage } from './page.ts'
import { sealed } from './revalidate.ts'
import { arrive, type Outcome } from './sign-in.ts'
import { type Begun, begunIn, keeping } from './state.ts'
import { answeredTrouble, failureTrouble, isOwn, NOT_BEGUN, refusalTrouble } from './trouble.ts'

export const TAG = 'Authentication'
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

export const BEGIN = {
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
export async function lead(context: RouteContext, more: Pick<Begun, 'challenge' | 'account'>): Promise<Reply> {
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
    const { claims, sid, tokens } = await exchange(context, provider, begun, state)
    const outcome = await arrive(context, provider, claims, begun.account)
    if (outcome.kind === 'in') {
      const factors: WayIn['factors'] = outcome.factor ? ['provider', 'provider_factor'] : ['provider']
      const wayIn = {
        factors,
        provider: provider.name,
        ...(sid !== undefined && { sid: sid.slice(0, 255) }),
        ...(provider.revalidate !== undefined && { tokens: await sealed(context, tokens) }),
      }
      return await end(context, begun, outcome.account, wayIn, cookies)
    }
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

export const providerRoutes: readonly Route[] = [list, begin, callback, logout]
