/** Routes of the own second factors: the list, an app, recovery codes, and taking one away. */
import { ApiError, fieldError, invalid, type JsonObject, type Route, type RouteContext } from '../../../engine/index.ts'
import { seal } from '../../keys/seal.ts'
import { accountOfId } from '../account.ts'
import { refuseKeys } from '../key.ts'
import { factorsOf, makeRecoveryCodes, noteFactor, recoveryCodesLeft, type StoredFactor, useStep } from './factor.ts'
import { requireFresh } from './fresh.ts'
import { tellFactor } from './mail.ts'
import { addressOfSecret, lettersOf, newSecret } from './totp.ts'

/** The most factors of one account. */
export const MOST = 10

const MOMENT = { type: ['string', 'null'], format: 'date-time' } as const
const PROPERTIES = {
  id: { type: 'integer' },
  kind: { enum: ['totp', 'passkey'] },
  name: { type: 'string' },
  created_at: { type: 'string', format: 'date-time' },
  last_used_at: MOMENT,
} as const
const SHOWN = ['id', 'kind', 'name', 'created_at', 'last_used_at'] as const
const FACTOR = { type: 'object', properties: PROPERTIES, required: SHOWN } as const
const CODES = { type: 'array', items: { type: 'string' } } as const

/** A factor with the recovery codes that its account gets with the first one. */
export const ADDED = {
  ...FACTOR,
  properties: { ...PROPERTIES, recovery_codes: CODES },
} as const

export const OWN = {
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
} as const

export const NO_STORE = { 'cache-control': 'private, no-store' } as const

/** What no key may do here. */
export const CHANGE_FACTORS = 'change second factors'

function shown(factor: JsonObject): JsonObject {
  return Object.fromEntries(SHOWN.map((name) => [name, factor[name] ?? null]))
}

/** A factor as its owner sees it. */
export async function shownFactor({ records }: Pick<RouteContext, 'records'>, id: number): Promise<JsonObject> {
  return shown(await records('factors', 'system').get(id))
}

const list: Route = {
  ...OWN,
  method: 'GET',
  path: '/auth/factors',
  summary: 'The own second factors',
  output: { type: 'array', items: FACTOR },
  meta: { recovery_codes: { type: 'integer', description: 'How many recovery codes are left.' } },
  handle: async (context) => {
    refuseKeys(context.actor, CHANGE_FACTORS)
    const id = Number(context.actor.id)
    const { data } = await context
      .records('factors', 'system')
      .list({ user_id: String(id), 'confirmed_at[null]': 'false', sort: 'id', per_page: '100' })
    return { data: data.map(shown), meta: { recovery_codes: await recoveryCodesLeft(context, id) } }
  },
}

const begin: Route = {
  ...OWN,
  method: 'POST',
  path: '/auth/factors/totp',
  summary: 'Begin to set up an app for one-time codes',
  description:
    'The answer has the `secret` and an address for the picture that apps read. It counts once `POST /auth/factors/totp/{id}/confirm` has had a code of it.',
  status: 201,
  bucket: 'auth',
  input: { name: { type: 'string', max: 100, default: 'App', nullable: false } },
  output: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      secret: { type: 'string' },
      address: { type: 'string' },
      picture: { type: 'array', items: { type: 'string' }, description: 'The address as a QR code: rows of 0 and 1.' },
    },
    required: ['id', 'secret', 'address', 'picture'],
  },
  handle: async (context) => {
    const { actor, body, catalog, model, now, settings } = context
    refuseKeys(actor, CHANGE_FACTORS)
    await requireFresh(context, 'auth.second_factor')
    const userId = Number(actor.id)
    await refuseMany(context, userId)
    const account = await accountOfId(context, userId)
    const secret = newSecret()
    // What was begun before and never confirmed is of no use any more.
    await model('factors').query().where({ user_id: userId, kind: 'totp' }).whereNull('confirmed_at').delete()
    const row = {
      user_id: userId,
      kind: 'totp',
      name: String(body.name),
      secret: await seal(settings, 'factor', secret.toString('base64url')),
      created_at: now(),
    }
    const made = await model('factors').query().insertAndFetch(row)
    const address = addressOfSecret(secret, catalog.name, account?.email ?? '')
    const { encode } = await import('uqr')
    const picture = encode(address).data.map((row) => row.map(Number).join(''))
    return {
      data: { id: Number(made.id), secret: lettersOf(secret), address, picture },
      headers: NO_STORE,
    }
  },
}

/** Throws conflict where an account has as many factors as it may. */
export async function refuseMany({ model }: Pick<RouteContext, 'model'>, userId: number): Promise<void> {
  const total = await model('factors').query().where({ user_id: userId }).resultSize()
  if (total >= MOST)
    throw new ApiError('conflict', { message: `An account has at most ${MOST} factors: take one away` })
}

const confirm: Route = {
  ...OWN,
  method: 'POST',
  path: '/auth/factors/totp/{id}/confirm',
  summary: 'Show that an app makes the right codes',
  description: 'With the first factor the answer has ten recovery codes, which are never shown again.',
  bucket: 'auth',
  input: { code: { type: 'string', required: true, max: 40 } },
  output: ADDED,
  handle: async (context) => {
    const { actor, body, model, now } = context
    refuseKeys(actor, CHANGE_FACTORS)
    await requireFresh(context, 'auth.second_factor')
    const userId = Number(actor.id)
    const pending = await model('factors')
      .query()
      .where({ user_id: userId, kind: 'totp' })
      .whereNull('confirmed_at')
      .whereRaw('id = ?::bigint', [idIn(context.params)])
      .first()
      .castTo<{ id: number; secret: string | null } | undefined>()
    if (pending === undefined) throw new ApiError('record_not_found', { label: 'Second factor' })
    const code = String(body.code).replace(/\s/g, '')
    if (!(await useStep(context, pending, code)))
      throw invalid({
        code: [fieldError('invalid', 'The code is wrong: look whether the clock of the device is right')],
      })
    const codes = await added(context, userId, 'totp', (inner) =>
      inner.model('factors').query().where({ id: pending.id }).whereNull('confirmed_at').patch({ confirmed_at: now() }),
    )
    return { data: { ...(await shownFactor(context, pending.id)), ...codes }, headers: NO_STORE }
  },
}

type InTransaction = Parameters<Parameters<RouteContext['transaction']>[0]>[0]

/**
 * Adds a factor by `write`, which gives how many it added; with the first one the account gets recovery codes, and its
 * owner a mail. A session that had not proved a factor stays.
 */
export async function added(
  context: RouteContext,
  userId: number,
  kind: StoredFactor['kind'],
  write: (inner: InTransaction) => PromiseLike<number>,
): Promise<{ readonly recovery_codes?: readonly string[] }> {
  const codes = await context.transaction(async (inner) => {
    // One after the other, so that two first factors do not each get codes.
    await inner.model('users').query().findById(userId).forUpdate().select('id')
    const isFirst = (await factorsOf(inner, userId)).length === 0
    if ((await write(inner)) === 0) throw new ApiError('record_not_found', { label: 'Second factor' })
    await inner.model('users').query().findById(userId).patch({ second_factor_since: null })
    await noteFactor(inner, 'factor_set_up', { kind })
    return isFirst ? makeRecoveryCodes(inner, userId) : undefined
  })
  await tellFactor(context, userId, 'added')
  return codes === undefined ? {} : { recovery_codes: codes }
}

const recovery: Route = {
  ...OWN,
  method: 'POST',
  path: '/auth/factors/recovery-codes',
  summary: 'Make ten new recovery codes',
  description: 'They are shown in this answer alone, and the earlier ones end.',
  bucket: 'auth',
  body: 'none',
  output: { type: 'object', properties: { recovery_codes: CODES }, required: ['recovery_codes'] },
  handle: async (context) => {
    refuseKeys(context.actor, CHANGE_FACTORS)
    await requireFresh(context, 'auth.second_factor')
    const userId = Number(context.actor.id)
    if ((await factorsOf(context, userId)).length === 0)
      throw new ApiError('conflict', {
        message: 'Recovery codes are for accounts with a second factor: set one up first',
      })
    const codes = await context.transaction(async (inner) => {
      await noteFactor(inner, 'recovery_codes_made')
      return makeRecoveryCodes(inner, userId)
    })
    return { data: { recovery_codes: codes }, headers: NO_STORE }
  },
}

const remove: Route = {
  ...OWN,
  method: 'DELETE',
  path: '/auth/factors/{id}',
  summary: 'Take away one of the own second factors',
  description: 'With the last one the recovery codes end.',
  status: 204,
  handle: async (context) => {
    refuseKeys(context.actor, CHANGE_FACTORS)
    await requireFresh(context, 'auth.second_factor')
    const userId = Number(context.actor.id)
    await context.transaction(async (inner) => {
      const { model } = inner
      await model('users').query().findById(userId).forUpdate().select('id')
      const taken = await model('factors')
        .query()
        .where({ user_id: userId })
        .whereRaw('id = ?::bigint', [idIn(context.params)])
        .delete()
        .returning('kind')
        .castTo<Pick<StoredFactor, 'kind'>[]>()
      const [factor] = taken
      if (factor === undefined) throw new ApiError('record_not_found', { label: 'Second factor' })
      await noteFactor(inner, 'factor_ended', { kind: factor.kind })
      if ((await factorsOf(inner, userId)).length === 0)
        await model('recovery_codes').query().where({ user_id: userId }).delete()
    })
    await tellFactor(context, userId, 'removed')
    return { status: 204 }
  },
}

function idIn({ id = '' }: RouteContext['params']): string {
  return /^[1-9]\d{0,9}$/.test(id) ? id : '0'
}

export const factorRoutes: readonly Route[] = [list, begin, confirm, recovery, remove]
