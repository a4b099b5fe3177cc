/** Routes of the caller's own sessions: the list, and ending one. */
import { ApiError, type Route } from '../../engine/index.ts'
import { note } from './history/acts.ts'
import { addressFrom, sessionOf } from './session.ts'

const MOMENT = { type: 'string', format: 'date-time' } as const
const OPTIONAL_MOMENT = { type: ['string', 'null'], format: 'date-time' } as const
const OPTIONAL_TEXT = { type: ['string', 'null'] } as const

const SESSION = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    created_at: MOMENT,
    last_used_at: OPTIONAL_MOMENT,
    expires_at: MOMENT,
    address: OPTIONAL_TEXT,
    user_agent: OPTIONAL_TEXT,
    provider: OPTIONAL_TEXT,
    factors: { type: 'array', items: { type: 'string' } },
    cookie: { type: 'boolean' },
    current: { type: 'boolean' },
  },
  required: [
    'id',
    'created_at',
    'last_used_at',
    'expires_at',
    'address',
    'user_agent',
    'provider',
    'factors',
    'cookie',
    'current',
  ],
} as const

/** The fields of a session that its owner sees, in their order. */
const SHOWN = SESSION.required.filter((name) => name !== 'current')

const list: Route = {
  method: 'GET',
  path: '/auth/sessions',
  summary: 'Where one is signed in',
  description:
    'Newest first. `current` is the session of the token presented; `last_used_at` is known to within ten minutes, and null in the first ten. `factors` is what was proved when it was opened, and `provider` who said so.',
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
  query: { page: { type: 'integer', min: 1 }, per_page: { type: 'integer', min: 1 } },
  output: { type: 'array', items: SESSION },
  meta: { pagination: { $ref: '#/components/schemas/Pagination' } },
  handle: async (context) => {
    const { actor, model, now, parameters, records } = context
    const paging = Object.entries(parameters).map(([name, value]) => [name, String(value)])
    const { data, pagination } = await records('access_tokens', 'system').list({
      ...Object.fromEntries(paging),
      user_id: String(actor.id),
      'expires_at[gt]': now().toISOString(),
      sort: '-created_at',
    })
    const jti = sessionOf(actor) ?? ''
    const own = await model('access_tokens').query().findOne({ jti }).select('id')
    const shown = data.map((session) => ({
      ...Object.fromEntries(SHOWN.map((name) => [name, session[name] ?? null])),
      current: session.id === own?.id,
    }))
    return { data: shown, meta: { pagination } }
  },
}

const end: Route = {
  method: 'DELETE',
  path: '/auth/sessions/{id}',
  summary: 'End one of the own sessions',
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
  status: 204,
  handle: async ({ actor, model, now, params }) => {
    if (actor.scope !== undefined)
      throw new ApiError('forbidden', { message: 'A key cannot end sessions: sign in for it' })
    const id = /^[1-9]\d{0,9}$/.test(params.id ?? '') ? Number(params.id) : 0
    const ended = await model('access_tokens')
      .query()
      .where({ user_id: actor.id })
      .whereRaw('id = ?::bigint', [id])
      .delete()
    if (ended === 0) throw new ApiError('record_not_found', { label: 'Session' })
    await note({ model, now }, { act: 'signed_out', by: actor.id, user: actor.id, address: addressFrom(actor) })
    return { status: 204 }
  },
}

export const sessionRoutes: readonly Route[] = [list, end]
