/**
 * Routes of the caller's own keys: the list, one, a new one, also for a service account, and ending one. No key may do
 * any of it.
 */
import {
  type Actor,
  ApiError,
  type FieldError,
  type FieldErrors,
  fieldError,
  type HookContribution,
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
import { keyHash, newKey, refuseKeys } from './key.ts'
import { accountFor, keyAccountsRoute, LOOK_AFTER_KEYS, MANAGE } from './key-accounts.ts'
import { usesOf } from './key-use.ts'
import { type AuthOptions, authOptions } from './options.ts'
import { authorOf } from './role-guards.ts'
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

const TAG = { tag: 'Authentication' } as const

/** A key as its owner reads it: it ends when the application lets no key last longer, whatever was said before. */
function shown(key: JsonObject, { longestDays }: AuthOptions['keys']): JsonObject {
  const longest = new Date(Date.parse(String(key.created_at)) + longestDays * DAY_MS).toISOString()
  const ends = String(key.expires_at)
  return {
    ...Object.fromEntries(SHOWN.map((name) => [name, key[name] ?? null])),
    expires_at: ends < longest ? ends : longest,
  }
}

async function keysOf(
  { now, options, records }: RouteContext,
  account: number | null,
  further: Readonly<Record<string, string>> = {},
) {
  const time = now().getTime()
  const { data } = await records('access_keys', 'system').list({
    user_id: String(account),
    'expires_at[gt]': new Date(time).toISOString(),
    'created_at[gt]': new Date(time - authOptions(options).keys.longestDays * DAY_MS).toISOString(),
    per_page: String(MOST),
    sort: '-created_at',
    ...further,
  })
  return data
}

function idIn(params: RouteContext['params']): string {
  return /^[1-9]\d{0,9}$/.test(params.id ?? '') ? String(params.id) : '0'
}

const list: Omit<Route, 'access'> = {
  ...TAG,
  method: 'GET',
  path: '/auth/keys',
  summary: 'The own keys',
  description:
    'Newest first. `start` is what a key begins with; the key itself was shown once. `last_used_at` is known to within ten minutes, and null in the first ten.',
  output: { type: 'array', items: KEY },
  handle: async (context) => {
    refuseKeys(context.actor, LOOK_AFTER_KEYS)
    const { keys } = authOptions(context.options)
    return { data: (await keysOf(context, context.actor.id)).map((key) => shown(key, keys)) }
  },
}

const get: Omit<Route, 'access'> = {
  ...TAG,
  method: 'GET',
  path: '/auth/keys/{id}',
  summary: 'One of the own keys',
  description:
    '`used` has the permissions by which its requests were let in within the last 30 days, to within an hour. One that only shows or takes further fields is not among them.',
  output: { ...KEY, properties: { ...PROPERTIES, used: USED }, required: [...SHOWN, 'used'] },
  handle: async (context) => {
    refuseKeys(context.actor, LOOK_AFTER_KEYS)
    const [key] = await keysOf(context, context.actor.id, { id: idIn(context.params) })
    if (key === undefined) throw new ApiError('record_not_found', { label: 'Key' })
    return { data: { ...shown(key, authOptions(context.options).keys), used: await usesOf(context, Number(key.id)) } }
  },
}

const create: Omit<Route, 'access'> = {
  ...TAG,
  method: 'POST',
  path: '/auth/keys',
  summary: 'Make a key',
  description:
    'The answer has the `key`, which is never shown again; a program sends it as a bearer token. It acts with those of its permissions that its account has at the time. Rules that name a role or anybody signed in speak of it only with `own: true`. It ends after `days`, and at once with the account. With the permission `keys.manage` a key is made for the service account `user_id`, which must not have more rights than the caller.',
  status: 201,
  input: {
    name: { type: 'string', required: true, max: 100 },
    permissions: { type: 'list', of: 'string', max_items: 200, default: [], nullable: false },
    own: { type: 'boolean', default: false, nullable: false },
    networks: { type: 'list', of: 'string', max_items: 50, default: [], nullable: false },
    methods: { type: 'list', of: 'string', max_items: 5, default: [], nullable: false },
    rate: { type: 'integer', min: 1, max: 1_000_000, description: 'Requests in a minute' },
    days: { type: 'integer', min: 1 },
    user_id: { type: 'integer', min: 1, description: 'A service account; the caller if absent' },
  },
  output: { ...KEY, properties: { ...PROPERTIES, key: { type: 'string' } }, required: [...SHOWN, 'key'] },
  handle: async (context) => {
    const { actor, body, now, options, records } = context
    refuseKeys(actor, LOOK_AFTER_KEYS)
    await requireFresh(context, 'auth.keys')
    const { keys } = authOptions(options)
    const account = await accountFor(context, keys)
    const errors = mistakes(context, account, keys)
    if (Object.keys(errors).length > 0) throw invalid(errors)
    const present = await keysOf(context, account.id)
    if (present.length >= MOST)
      throw new ApiError('conflict', { message: `An account has at most ${MOST} keys: end one that is not used` })
    const { key, start } = newKey()
    const { days = keys.longestDays, name, permissions, own, networks, methods, rate = null } = body
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
      user_id: account.id,
    })
    const limits = { permissions: permissions!, own: own!, networks: networks!, methods: methods! }
    const details = { start, name: String(name), ...limits }
    await note(context, { act: 'key_made', by: actor.id, user: account.id, address: addressFrom(actor), details })
    return { data: { ...shown(made, keys), key }, headers: { 'cache-control': 'private, no-store' } }
  },
}

/** What is wrong with the limits of a new key. */
function mistakes(
  { actor, body, catalog }: RouteContext,
  account: Actor,
  { longestDays }: AuthOptions['keys'],
): FieldErrors {
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
    const held = text === '*' ? account.permissions.has('*') : holds(account, text)
    const whose = account === actor ? 'You do not have' : 'The service account does not have'
    return held ? undefined : fieldError('invalid', `${whose} the permission ${text}`)
  })
  judge('networks', (text) =>
    subnetOf(text) === undefined ? fieldError('invalid', 'The network must be written like 10.1.0.0/16') : undefined,
  )
  judge('methods', (text) =>
    METHODS.includes(text) ? undefined : fieldError('not_allowed', `The method must be one of ${METHODS.join(', ')}`),
  )
  if (Number(body.days ?? 1) > longestDays)
    errors.days = [fieldError('invalid', `A key lasts at most ${longestDays} days`)]
  return errors
}

const end: Omit<Route, 'access'> = {
  ...TAG,
  method: 'DELETE',
  path: '/auth/keys/{id}',
  summary: 'End one of the own keys',
  status: 204,
  handle: async ({ actor, model, now, params }) => {
    refuseKeys(actor, LOOK_AFTER_KEYS)
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

/** The routes; those whom the option `keys.for` admits look after keys of their own. */
export function keyRoutes(options: JsonObject): readonly Route[] {
  const makers = authOptions(options).keys.for
  const own = { access: makers }
  return [
    { ...list, ...own },
    { ...get, ...own },
    { ...create, access: [...makers, { kind: 'permission', permission: MANAGE }] },
    { ...end, ...own },
    keyAccountsRoute(makers),
  ]
}

/** `auth.end_key`, around the end of a key by somebody who looks after the keys of everybody. */
export const endKey: HookContribution = {
  run: async (context, next) => {
    refuseKeys(context.caller, LOOK_AFTER_KEYS)
    await next()
    const { name = null, start = null, user_id: user } = context.record ?? {}
    await note(context, { act: 'key_ended', ...authorOf(context), user: Number(user), details: { start, name } })
  },
}
