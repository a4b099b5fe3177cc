/** Routes of the identities by which one is known at providers: their list, connecting one, and ending one. */
import { ApiError, type Route } from '../../../engine/index.ts'
import { note } from '../history/acts.ts'
import { refuseKeys } from '../key.ts'
import { addressFrom } from '../session.ts'
import { labelOf } from './options.ts'
import { BEGIN, lead, TAG } from './routes.ts'

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
  handle: async ({ actor, catalog, records }) => {
    const { data } = await records('identities', 'system').list({ user_id: String(actor.id), per_page: '100' })
    return {
      data: data.map(({ created_at, id, last_seen, provider }) => ({
        id,
        provider,
        label: labelOf(catalog, String(provider)) ?? String(provider),
        created_at,
        last_seen,
      })),
    }
  },
}

/** What no key may do here. */
const CHANGE_SIGN_IN = 'change how somebody signs in'

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
    refuseKeys(context.actor, CHANGE_SIGN_IN)
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
    refuseKeys(context.actor, CHANGE_SIGN_IN)
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

export const identityRoutes: readonly Route[] = [identities, connect, disconnect]
