/** Routes of the caller's own keys: the list, one, a new one, and ending one. No key may do any of it. */
import {
  type Actor,
  ApiError,
  type FieldError,
  type FieldErrors,
  fieldError,
  holds,
  invalid,
  type JsonObject,
  nearest,
  type Route,
  type RouteContext,
  subnetOf,
} from '../../engine/index.ts'
import { requireFresh } from './factors/fresh.ts'
import { note } from './history/acts.ts'
import { keyHash, newKey } from './key.ts'
import { usesOf } from './key-use.ts'
import { authOptions } from './options.ts'
import { addressFrom } from './session.ts'

/** The most keys of one account that have not ended. */
const MOST = 100
const DAY_MS = 86_400_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const TEXTS = { type: 'array', items: { type: 'string' } } as const
const MOMENT = { type: 'string', format: 'date-time' } as const

const PROPERTIES = {
  id: { type: 'integer' },
  name: { type: 'string' },
  start: { type: 'string' },
  permissions: TEXTS,
  own: { type: 'boolean' },
  networks: TEXTS,
  methods: TEXTS,
  rate: { type: ['integer', 'null'] },
  created_at: MOMENT,
  last_used_at: { type: ['string', 'null'], format: 'date-time' },
  expires_at: MOMENT,
} as const
const SHOWN = Object.keys(PROPERTIES)
const KEY = { type: 'object', properties: PROPERTIES, required: SHOWN } as const

const USED = {
  type: 'array',
  items: {
    type: 'object',
    properties: { permission: { type: 'string' }, used_at: { type: 'string' } },
    required: ['permission', 'used_at'],
  },
} as const

const OWN = { tag: 'Authentication', access: [{ kind: 'permission', permission: 'keys.own' }] } as const

/** Keys make no keys and end none: one that leaked could otherwise outlive its end. */
function refuseKeys({ scope }: Actor): void {
  if (scope !== undefined) throw new ApiError('forbidden', { message: 'A key cannot look after keys: sign in for it' })
}

function shown(key: JsonObject): JsonObject {
  return Object.fromEntries(SHOWN.map((name) => [name, key[name] ?? null]))
}

async function keysOf({ actor, now, records }: RouteContext, further: Readonly<Record<string, string>> = {}) {
  const { data } = await records('access_keys', 'system').list({
    user_id: String(actor.id),
    'expires_at[gt]': now().toISOString(),
    per_page: String(MOST),
    sort: '-created_at',
    ...further,
  })
  return data
}

function idIn(params: RouteContext['params']): string {
  return /^[1-9]\d{0,9}$/.test(params.id ?? '') ? String(params.id) : '0'
}

const list: Route = {
  ...OWN,
  method: 'GET',
  path: '/auth/keys',
  summary: 'The own keys',
  description:
    'Newest first. `start` is what a key begins with; the key itself was shown once. `last_used_at` is known to within ten minutes, and null in the first ten.',
  output: { type: 'array', items: KEY },
  handle: async (context) => {
    refuseKeys(context.actor)
    return { data: (await keysOf(context)).map(shown) }
  },
}

const get: Route = {
  ...OWN,
  method: 'GET',
  path: '/auth/keys/{id}',
  summary: 'One of the own keys',
  description:
    '`used` has the permissions by which its requests were let in within the last 30 days, to within an hour. One that only shows or takes further fields is not among them.',
  output: { ...KEY, properties: { ...PROPERTIES, used: USED }, required: [...SHOWN, 'used'] },
  handle: async (context) => {
    refuseKeys(context.actor)
    const [key] = await keysOf(context, { id: idIn(context.params) })
    if (key === undefined) throw new ApiError('record_not_found', { label: 'Key' })
    return { data: { ...shown(key), used: await usesOf(context, Number(key.id)) } }
  },
}

const create: Route = {
  ...OWN,
  method: 'POST',
  path: '/auth/keys',
  summary: 'Make a key',
  description:
    'The answer has the `key`, which is never shown again; a program sends it as a bearer token. It acts with those of its permissions that its account has at the time. Rules that name a role or anybody signed in speak of it only with `own: true`. It ends after `days`, and at once with the account.',
  status: 201,
  input: {
    name: { type: 'string', required: true, max: 100 },
    permissions: { type: 'list', of: 'string', max_items: 200, default: [], nullable: false },
    own: { type: 'boolean', default: false, nullable: false },
    networks: { type: 'list', of: 'string', max_items: 50, default: [], nullable: false },
    methods: { type: 'list', of: 'string', max_items: 5, default: [], nullable: false },
    rate: { type: 'integer', min: 1, max: 1_000_000, description: 'Requests in a minute' },
    days: { type: 'integer', min: 1 },
  },
  output: { ...KEY, properties: { ...PROPERTIES, key: { type: 'string' } }, required: [...SHOWN, 'key'] },
  handle: async (context) => {
    const { actor, body, now, options, records } = context
    refuseKeys(actor)
    await requireFresh(context, 'auth.keys')
    const { keyDays } = authOptions(options)
    const errors = mistakes(context, keyDays)
    if (Object.keys(errors).length > 0) throw invalid(errors)
    const present = await keysOf(context)
    if (present.length >= MOST)
      throw new ApiError('conflict', { message: `An account has at most ${MOST} keys: end one that is not used` })
    const { key, start } = newKey()
    const { days = keyDays, name, permissions, own, networks, methods, rate = null } = body
    const made = await records('access_keys', 'system').create({
      name: name!,
      start,
      key_hash: keyHash(key)!,
      permissions: permissions!,
      own: own!,
      networks: networks!,
      methods: methods!,
      rate,
      expires_at: new Date(now().getTime() + Number(days) * DAY_MS).toISOString(),
      user_id: actor.id,
    })
    const details = {
      start,
      name: String(name),
      permissions: permissions!,
      own: own!,
      networks: networks!,
      methods: methods!,
    }
    await note(context, { act: 'key_made', by: actor.id, user: actor.id, address: addressFrom(actor), details })
    return { data: { ...shown(made), key }, headers: { 'cache-control': 'private, no-store' } }
  },
}

/** What is wrong with the limits of a new key. */
function mistakes({ actor, body, catalog }: RouteContext, keyDays: number): FieldErrors {
  const errors: Record<string, FieldError[]> = {}
  const judge = (field: string, judged: (text: string) => FieldError | undefined): void => {
    const texts = Array.isArray(body[field]) ? body[field].map(String) : []
    for (const [index, text] of texts.entries()) {
      const problem = judged(text)
      if (problem !== undefined) errors[`${field}.${index}`] = [problem]
    }
  }
  judge('permissions', (text) => {
    const known = text === '*' || catalog.permissions.has(text)
    const near = known ? undefined : nearest(text, [...catalog.permissions.keys()])
    const meant = near === undefined ? '' : `; did you mean "${near}"?`
    if (!known) return fieldError('invalid', `There is no permission "${text.slice(0, 100)}"${meant}`)
    const held = text === '*' ? actor.permissions.has('*') : holds(actor, text)
    return held ? undefined : fieldError('invalid', `You do not have the permission ${text}`)
  })
  judge('networks', (text) =>
    subnetOf(text) === undefined ? fieldError('invalid', 'The network must be written like 10.1.0.0/16') : undefined,
  )
  judge('methods', (text) =>
    METHODS.includes(text) ? undefined : fieldError('not_allowed', `The method must be one of ${METHODS.join(', ')}`),
  )
  if (Number(body.days ?? 1) > keyDays) errors.days = [fieldError('invalid', `A key lasts at most ${keyDays} days`)]
  return errors
}

const end: Route = {
  ...OWN,
  method: 'DELETE',
  path: '/auth/keys/{id}',
  summary: 'End one of the own keys',
  status: 204,
  handle: async ({ actor, model, now, params }) => {
    refuseKeys(actor)
    const [ended] = await model('access_keys')
      .query()
      .where({ user_id: actor.id })
      .whereRaw('id = ?::bigint', [idIn(params)])
      .delete()
      .returning(['start', 'name'])
      .castTo<{ readonly start: string; readonly name: string }[]>()
    if (ended === undefined) throw new ApiError('record_not_found', { label: 'Key' })
    const details = { start: ended.start, name: ended.name }
    await note({ model, now }, { act: 'key_ended', by: actor.id, user: actor.id, address: addressFrom(actor), details })
    return { status: 204 }
  },
}

export const keyRoutes: readonly Route[] = [list, get, create, end]
